#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "os/pipe.hpp"
#include "places.hpp"

namespace lazaret::test {

/// An index of the packages in a folder, on the loopback.
class IndexServer {
 public:
  explicit IndexServer(const std::string& folder, bool secure = false) {
    auto ends = os::make_pipe();
    const std::string program = in_checkout("tests/integration/package_index.py");
    const std::string tls = in_checkout("tests/integration/tls/");
    std::vector<std::string> words = {"python3", program, folder};
    if (secure) words.insert(words.end(), {tls + "certificate.pem", tls + "key.pem"});
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(ends->second.get(), STDOUT_FILENO);
      ::execvp(argv[0], argv.data());
      ::_exit(127);
    }
    ends->second.reset();
    char digit = 0;
    while (::read(ends->first.get(), &digit, 1) == 1 && digit != '\n') port_ += digit;
    scheme_ = secure ? "https" : "http";
  }
  IndexServer(const IndexServer&) = delete;
  IndexServer& operator=(const IndexServer&) = delete;
  ~IndexServer() { end(); }
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  [[nodiscard]] const std::string& port() const { return port_; }
  [[nodiscard]] std::string address(const std::string& path) const {
    return scheme_ + "://" + host + ":" + port_ + path;
  }
  std::string host = "127.0.0.1";

 private:
  pid_t pid_ = -1;
  std::string port_, scheme_;
};

}  // namespace lazaret::test
