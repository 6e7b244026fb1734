#include <array>
#include <cstddef>
#include <iostream>

constexpr auto squares = [] {
  std::array<int, 10> table{};
  for (std::size_t at = 0; at < table.size(); ++at) table[at] = static_cast<int>(at * at);
  return table;
}();

static_assert(squares[3] == 9, "three squared");
static_assert(squares[7] == 48, "seven squared");

int main() { std::cout << squares[7] << '\n'; }
