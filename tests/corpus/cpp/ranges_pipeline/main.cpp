#include <algorithm>
#include <cctype>
#include <iostream>
#include <iterator>
#include <numeric>
#include <ranges>
#include <string>
#include <vector>

struct Sale {
  std::string city;
  int units;
  double price;
};

int main() {
  namespace views = std::views;
  std::vector<Sale> sales{{"Oslo", 3, 2.5}, {"Bern", 10, 1.0}, {"Rome", 1, 99.0}, {"Bonn", 7, 4.0}};

  const auto revenue = [](const Sale& sale) { return sale.units * sale.price; };
  std::ranges::sort(sales, std::ranges::greater{}, revenue);
  for (const auto& city : sales | views::filter([](const Sale& s) { return s.units > 1; }) |
                              views::transform(&Sale::city) | views::take(2)) {
    std::cout << city << ' ';
  }
  std::cout << '\n';

  auto squares = views::iota(1) | views::transform([](int n) { return n * n; }) |
                 views::filter([](int n) { return n % 3 == 1; }) |
                 views::take_while([](int n) { return n < 200; });
  std::ranges::copy(squares, std::ostream_iterator<int>(std::cout, " "));
  auto ended = squares | views::common;
  std::cout << "sum " << std::accumulate(ended.begin(), ended.end(), 0) << '\n';

  const std::string text = "level; Anna, 'Otto' and kayak";
  auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  auto is_other = [](unsigned char c) { return std::isalpha(c) == 0; };
  for (auto at = text.begin(); at != text.end();) {
    const auto first = std::find_if(at, text.end(), is_letter);
    at = std::find_if(first, text.end(), is_other);
    std::string word(first, at);
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
    const bool same = std::ranges::equal(word, word | views::reverse);
    std::cout << word << (same ? " is" : " is no") << " palindrome\n";
  }

  std::vector<int> numbers{5, 3, 5, 1, 3, 9};
  std::ranges::sort(numbers);
  const auto rest = std::ranges::unique(numbers);
  numbers.erase(rest.begin(), rest.end());
  const auto at = std::ranges::lower_bound(numbers, 4);
  std::cout << numbers.size() << " different, first from 4 on: " << *at << ", largest "
            << *std::ranges::max_element(numbers) << '\n';
}
