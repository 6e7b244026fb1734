#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

class Lock {
 public:
  explicit Lock(const char* name) : name_(name) { std::cout << "lock " << name_ << '\n'; }
  Lock(Lock&& other) noexcept : name_(std::exchange(other.name_, "")) {}
  Lock(const Lock&) = delete;
  Lock& operator=(Lock&&) = delete;
  ~Lock() {
    if (!name_.empty()) std::cout << "unlock " << name_ << '\n';
  }

 private:
  std::string name_;
};

struct Transaction {
  Lock table{"table"};
  Lock row;
  explicit Transaction(bool fails) : row("row") {
    if (fails) throw std::runtime_error("no journal");
    std::cout << "begun\n";
  }
  ~Transaction() { std::cout << "ended\n"; }
};

std::optional<Lock> try_lock(const std::string& name) {
  if (name.size() > 3) return std::nullopt;
  return Lock(name.c_str());
}

int main() {
  try {
    const Lock outer("outer");
    const Transaction good(false);
    const auto bad = std::make_unique<Transaction>(true);
    std::cout << "never printed\n";
  } catch (const std::runtime_error& error) {
    std::cout << "failed: " << error.what() << '\n';
  }

  const auto closer = [](const int* number) {
    std::cout << "closed " << *number << '\n';
    delete number;
  };
  const std::unique_ptr<const int, decltype(closer)> handle(new int(7), closer);
  std::cout << (try_lock("long name") ? "locked" : "refused") << '\n';
  if (auto held = try_lock("key")) std::cout << "holding\n";
  std::cout << "end of main\n";
}
