#include <string>

int main() {
  const std::string name = "lazaret";
  int number = name;
  return number;
}
