#include <array>
#include <concepts>
#include <cstddef>
#include <iostream>
#include <string>

template <typename T>
concept Ring = requires(T a, T b) {
  { a + b } -> std::convertible_to<T>;
  { a * b } -> std::convertible_to<T>;
};

template <Ring T, std::size_t Rows, std::size_t Columns>
struct Matrix {
  std::array<std::array<T, Columns>, Rows> cells{};

  template <std::size_t Other>
  constexpr Matrix<T, Rows, Other> operator*(const Matrix<T, Columns, Other>& right) const {
    Matrix<T, Rows, Other> product;
    for (std::size_t i = 0; i < Rows; ++i)
      for (std::size_t j = 0; j < Other; ++j)
        for (std::size_t k = 0; k < Columns; ++k)
          product.cells[i][j] = product.cells[i][j] + cells[i][k] * right.cells[k][j];
    return product;
  }
};

template <Ring T, std::size_t Size>
constexpr Matrix<T, Size, Size> power(Matrix<T, Size, Size> base, unsigned exponent) {
  Matrix<T, Size, Size> result;
  for (std::size_t i = 0; i < Size; ++i) result.cells[i][i] = T(1);
  for (; exponent > 0; exponent /= 2, base = base * base)
    if (exponent % 2 == 1) result = result * base;
  return result;
}

std::string describe(const std::integral auto& value) { return "integer " + std::to_string(value); }
std::string describe(const std::floating_point auto&) { return "floating point"; }
template <typename T>
  requires(!Ring<T>)
std::string describe(const T&) { return "no ring"; }

int main() {
  const Matrix<int, 2, 3> left{{{{1, 2, 3}, {4, 5, 6}}}};
  const Matrix<int, 3, 1> right{{{{1}, {0}, {-1}}}};
  const auto product = left * right;
  std::cout << product.cells[0][0] << ' ' << product.cells[1][0] << '\n';

  constexpr Matrix<unsigned long long, 2, 2> step{{{{1, 1}, {1, 0}}}};
  static_assert(power(step, 10).cells[0][1] == 55);
  std::cout << "fibonacci(90) = " << power(step, 90).cells[0][1] << '\n';
  std::cout << describe(42) << ", " << describe(0.5f) << ", " << describe(std::string("x")) << '\n';
}
