#include <algorithm>
#include <functional>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

class Employee {
 public:
  explicit Employee(std::string name) : name_(std::move(name)) {}
  virtual ~Employee() = default;
  virtual double pay() const = 0;
  virtual std::string title() const { return "employee"; }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

struct Salaried final : Employee {
  double yearly;
  Salaried(std::string name, double sum) : Employee(std::move(name)), yearly(sum) {}
  double pay() const override { return yearly / 12; }
};

struct Hourly final : Employee {
  double hours, rate;
  Hourly(std::string name, double h, double r) : Employee(std::move(name)), hours(h), rate(r) {}
  double pay() const override { return rate * (hours + 0.5 * std::max(0.0, hours - 160)); }
  std::string title() const override { return "by the hour"; }
};

int main() {
  std::vector<std::unique_ptr<Employee>> staff;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream fields(line);
    std::string kind, name;
    double first = 0, second = 0;
    if (fields >> kind >> std::quoted(name) >> first && kind == "salary") {
      staff.push_back(std::make_unique<Salaried>(name, first));
    } else if (kind == "hours" && fields >> second) {
      staff.push_back(std::make_unique<Hourly>(name, first, second));
    } else {
      std::cerr << "skipped: " << line << '\n';
    }
  }
  std::ranges::stable_sort(staff, std::greater<>{}, [](const auto& one) { return one->pay(); });
  double total = 0;
  std::cout << std::fixed << std::setprecision(2);
  for (const auto& one : staff) {
    std::cout << std::left << std::setw(14) << one->name() << std::setw(12) << one->title()
              << std::right << std::setw(10) << one->pay() << '\n';
    total += one->pay();
  }
  std::cout << std::setfill('.') << std::setw(36) << total << '\n';
  std::cout << std::hex << std::showbase << 255 << ' ' << std::scientific << total << '\n';
}
