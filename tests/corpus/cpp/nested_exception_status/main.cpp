#include <exception>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>

class ConfigError : public std::runtime_error {
 public:
  ConfigError(const std::string& what, int status) : std::runtime_error(what), status_(status) {}
  [[nodiscard]] int status() const noexcept { return status_; }

 private:
  int status_;
};

static int port_of(const std::map<std::string, std::string>& settings) try {
  const int port = std::stoi(settings.at("port"));
  if (port < 1 || port > 65535) throw std::range_error("port out of range");
  return port;
} catch (const std::exception&) {
  std::throw_with_nested(ConfigError("bad port", 3));
}

static const char* kind(const std::exception& error) {
  if (dynamic_cast<const std::range_error*>(&error) != nullptr) return "range";
  if (dynamic_cast<const std::logic_error*>(&error) != nullptr) return "logic";
  return "other";
}

static void explain(const std::exception& error, int depth = 0) {
  std::cerr << std::string(static_cast<std::size_t>(depth) * 2, ' ') << kind(error);
  if (depth == 0) std::cerr << ": " << error.what();
  std::cerr << '\n';
  try {
    std::rethrow_if_nested(error);
  } catch (const std::exception& inner) {
    explain(inner, depth + 1);
  }
}

int main() {
  int status = 0;
  for (const char* const port : {"8080", "70000", "http", ""}) {
    try {
      std::map<std::string, std::string> settings;
      if (*port != '\0') settings["port"] = port;
      const int number = port_of(settings);
      std::cout << "port " << number << '\n';
    } catch (const ConfigError& error) {
      explain(error);
      status += error.status();
    }
  }
  return status;
}
