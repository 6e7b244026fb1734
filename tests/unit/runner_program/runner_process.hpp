#pragma once

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "os/handle.hpp"
#include "os/wire.hpp"
#include "places.hpp"
#include "runner/client.hpp"
#include "soon.hpp"

namespace lazaret::runner::test {

using lazaret::test::soon;

/// The real runner program at the other end of a socket, without any box around it. It runs as
/// nobody, because its report tries forbidden things for real. Ends with this object.
class RunnerProcess {
 public:
  RunnerProcess() {
    auto ends = os::stream_pair();
    const os::Handle program(::open(lazaret::test::kRunnerPath, O_RDONLY | O_CLOEXEC));
    if (!ends.ok() || !program.valid()) throw std::runtime_error("no runner program");
    pid_ = ::fork();
    if (pid_ == 0) become_runner(ends->second.get(), program.get());
    ends->second.reset();
    wire_ = os::wire_over(std::move(ends->first));
    client_ = std::make_unique<Client>(*wire_);
  }
  RunnerProcess(const RunnerProcess&) = delete;
  RunnerProcess& operator=(const RunnerProcess&) = delete;
  ~RunnerProcess() {
    if (job_pid_ > 1) (void)::kill(-job_pid_, SIGKILL);
    if (pid_ <= 0) return;
    (void)::kill(pid_, SIGKILL);
    (void)::waitpid(pid_, nullptr, 0);
  }

  [[nodiscard]] Client& client() { return *client_; }
  [[nodiscard]] Wire& wire() { return *wire_; }
  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Remembers a program's group, so that it is gone afterwards whatever happens.
  void job_is(pid_t pid) { job_pid_ = pid; }
  void close_wire() {
    client_.reset();
    wire_.reset();
  }
  /// The exit status of the runner itself.
  [[nodiscard]] int finish() {
    int status = 0;
    (void)::waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  [[noreturn]] static void become_runner(int wire, int program) {
    const bool placed = ::dup2(wire, 0) == 0 && ::dup2(wire, 1) == 1;
    const bool lowered = ::geteuid() != 0 ||
                         (::setgroups(0, nullptr) == 0 && ::setresgid(65534, 65534, 65534) == 0 &&
                          ::setresuid(65534, 65534, 65534) == 0);
    char name[] = "runner";
    char* const argv[] = {name, nullptr};
    char* const environment[] = {nullptr};
    if (placed && lowered) ::fexecve(program, argv, environment);
    ::_exit(126);
  }

  pid_t pid_ = -1;
  pid_t job_pid_ = -1;
  std::unique_ptr<Wire> wire_;
  std::unique_ptr<Client> client_;
};

/// A directory that every user may write to, for jobs to work in.
class Workplace {
 public:
  Workplace() {
    char name[] = "/tmp/lazaret-runner-XXXXXX";
    if (::mkdtemp(name) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = name;
    (void)::chmod(name, 0777);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  ~Workplace() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string path(const std::string& name = {}) const {
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace lazaret::runner::test
