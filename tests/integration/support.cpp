#include "integration/support.hpp"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <sstream>
#include <thread>

#include "integration/id_tables.hpp"
#include "integration/laid_out.hpp"
#include "places.hpp"

namespace lazaret::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kChildBound{540};

[[noreturn]] void give_up(const std::string& why) {
  std::cerr << "the test cannot go on: " << why << '\n';
  std::abort();
}

bool become(Caller caller) {
  if (caller == Caller::root || ::geteuid() != 0) return true;
  if (caller == Caller::user_with_ids && !take_id_tables({.groups = IdTables().users}))
    return false;
  return ::setgroups(0, nullptr) == 0 &&
         ::setresgid(kOrdinaryUser, kOrdinaryUser, kOrdinaryUser) == 0 &&
         ::setresuid(kOrdinaryUser, kOrdinaryUser, kOrdinaryUser) == 0 &&
         // A change of identity hides /proc/self from its owner; a program of that user's starts
         // so.
         ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0;
}

int left_ms(Clock::time_point until) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(0, left));
}

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) give_up("pipe2");
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() { close(0), close(1); }
  void close(std::size_t end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
};

// False at the end of the stream.
bool append_available(int descriptor, std::string& text) {
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
  if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

int status_of(int waited) {
  return WIFSIGNALED(waited) ? 128 + WTERMSIG(waited) : WEXITSTATUS(waited);
}

[[noreturn]] void become_program(const LaidOut& program, const std::string& directory,
                                 const Pipe& in, const Pipe& out, const Pipe& err) {
  ::dup2(in.ends[0], 0);
  ::dup2(out.ends[1], 1);
  ::dup2(err.ends[1], 2);
  if (::chdir(directory.c_str()) != 0) ::_exit(126);
  program.become();
}

// Feeds and reads until both outputs have ended or the time is up.
void converse(const Invocation& invocation, Pipe& in, Pipe& out, Pipe& err, Ended& ended) {
  const auto until = Clock::now() + invocation.bound;
  std::string_view input = invocation.input;
  while (out.ends[0] >= 0 || err.ends[0] >= 0) {
    if (input.empty()) in.close(1);
    std::array<pollfd, 3> watched = {pollfd{in.ends[1], POLLOUT, 0}, pollfd{out.ends[0], POLLIN, 0},
                                     pollfd{err.ends[0], POLLIN, 0}};
    if (::poll(watched.data(), watched.size(), left_ms(until)) == 0) {
      ended.overdue = true;
      return;
    }
    if (watched[0].revents != 0) {
      const ssize_t count =
          ::write(in.ends[1], input.data(), std::min<std::size_t>(input.size(), 4096));
      if (count < 0)
        input = {};
      else
        input.remove_prefix(static_cast<std::size_t>(count));
    }
    if (watched[1].revents != 0 && !append_available(out.ends[0], ended.out)) out.close(0);
    if (watched[2].revents != 0 && !append_available(err.ends[0], ended.err)) err.close(0);
  }
}

// What the kernel says of each thread of a process that does not end, proc(5).
std::string where_it_stands(pid_t process) {
  std::string text = "\nit does not end:\n";
  std::error_code ignored;
  for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(process) + "/task",
                                                 ignored)) {
    for (const char* const file : {"comm", "stat", "wchan", "syscall", "stack"}) {
      std::ifstream source(task.path() / file);
      for (std::string line; std::getline(source, line);)
        text.append(file).append(" ").append(line).append("\n");
    }
  }
  return text;
}

}  // namespace

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

bool is_required(std::string_view feature) {
  std::istringstream list(variable("LAZARET_REQUIRE"));
  for (std::string word; std::getline(list, word, ',');) {
    if (word == feature) return true;
  }
  return false;
}

std::optional<SandboxOptions> options_for(const std::string& backend) {
  SandboxOptions options;
  options.fallback = false;
  options.type = backend == "native" ? "local" : backend;
  if (backend == "native") return options;
  const std::string host =
      variable(backend == "docker" ? "LAZARET_TEST_DOCKER" : "LAZARET_TEST_PODMAN");
  if (host.empty()) return std::nullopt;
  options.host = host;
  return options;
}

std::vector<std::string> words_for(const std::string& backend) {
  const auto options = options_for(backend);
  if (!options) return {};
  std::vector<std::string> words = {"--type", options->type.value_or(""), "--no-fallback"};
  if (options->host) words.insert(words.end(), {"--host", *options->host});
  return words;
}

CodeSandbox sandbox_on(const std::string& backend) {
  const auto options = options_for(backend);
  if (!options) give_up("no endpoint for " + backend);
  auto sandbox = SandboxFactory::with(*options);
  if (!sandbox.ok()) give_up(sandbox.error().message());
  return std::move(sandbox).value();
}

Json run_on(const std::string& backend, const ExecutionRequest& request) {
  return Json::parse(to_json(sandbox_on(backend).execute(request)));
}

ExecutionRequest code_request(std::string language, std::string code) {
  ExecutionRequest request;
  request.language = std::move(language);
  request.code = std::move(code);
  return request;
}

ExecutionRequest python(std::string code) { return code_request("python", std::move(code)); }
ExecutionRequest bash(std::string code) { return code_request("bash", std::move(code)); }

ExecutionRequest command(std::vector<std::string> argv) {
  ExecutionRequest request;
  request.command = std::move(argv);
  return request;
}

std::string file_text(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  // Unlike the buffer's own iterators this does not throw when a process ends while it is read.
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string guest(const std::string& name) {
  std::string text = file_text(in_checkout("tests/integration/guests/" + name));
  if (text.empty()) give_up("no guest " + name);
  return text;
}

std::string name_of(Caller caller) {
  constexpr const char* kNames[] = {"Root", "User", "UserWithIds"};
  return kNames[static_cast<std::size_t>(caller)];
}

bool can_be(Caller caller) {
  if (caller == Caller::user_with_ids && !missing_for_id_tables().empty()) return false;
  return caller == Caller::user || ::geteuid() == 0;
}

std::optional<std::string> in_child(Caller caller, const std::function<std::string()>& body) {
  Pipe answer;
  const pid_t child = ::fork();
  if (child < 0) give_up("fork");
  if (child == 0) {
    if (!become(caller)) ::_exit(1);
    const std::string text = body();
    for (std::string_view left = text; !left.empty();) {
      const ssize_t count = ::write(answer.ends[1], left.data(), left.size());
      if (count < 0) ::_exit(1);
      left.remove_prefix(static_cast<std::size_t>(count));
    }
    ::_exit(0);
  }
  answer.close(1);
  const auto until = Clock::now() + kChildBound;
  std::string text;
  pollfd watched{answer.ends[0], POLLIN, 0};
  bool ended = false;
  while (!ended && ::poll(&watched, 1, left_ms(until)) > 0)
    ended = !append_available(answer.ends[0], text);
  if (!ended) ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (ended && status_of(status) == 0) return text;
  std::cerr << "the child "
            << (ended ? "ended with " + std::to_string(status_of(status)) : "was overdue") << '\n';
  return std::nullopt;
}

Json evidence_of(const Json& result, const std::string& control) {
  const Json meta = result.value("meta", Json::object());
  for (const Json& piece : meta.value("evidence", Json::array())) {
    if (piece["control"] == control) return piece;
  }
  return {};
}

Json run_as(Caller caller, const ExecutionRequest& request) {
  const auto text =
      in_child(caller, [&request] { return to_json(sandbox_on("native").execute(request)); });
  return text ? Json::parse(*text) : Json::object();
}

Ended run_program(const Invocation& invocation) {
  const LaidOut program(invocation.argv, invocation.environment);
  Pipe in, out, err;
  Ended ended;
  const pid_t child = ::fork();
  if (child < 0) give_up("fork");
  if (child == 0) become_program(program, invocation.directory, in, out, err);
  in.close(0), out.close(1), err.close(1);
  std::jthread watcher;
  if (invocation.once_started)
    watcher = std::jthread([&invocation, child] { invocation.once_started(child); });
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before);  // a program need not read its input
  converse(invocation, in, out, err, ended);
  ::sigaction(SIGPIPE, &before, nullptr);
  if (ended.overdue) {
    ended.err += where_it_stands(child);
    ::kill(child, SIGKILL);
  }
  if (watcher.joinable()) watcher.join();
  int status = 0;
  ::waitpid(child, &status, 0);
  ended.status = status_of(status);
  return ended;
}

Ended lazaret(std::vector<std::string> arguments, Invocation rest) {
  rest.argv = std::move(arguments);
  rest.argv.insert(rest.argv.begin(), kLazaretPath);
  return run_program(rest);
}

std::string unique_marker() {
  static std::atomic<unsigned> next{0};
  std::random_device source;
  return "marked-" + std::to_string(::getpid()) + "-" + std::to_string(source()) + "-" +
         std::to_string(next++);
}

std::vector<pid_t> processes_marked(const std::string& marker) {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos ||
        name == std::to_string(::getpid()))
      continue;
    // A zombie has no command line (P-06).
    if (file_text(entry.path() / "cmdline").find(marker) != std::string::npos) {
      found.push_back(static_cast<pid_t>(std::stol(name)));
    }
  }
  return found;
}

bool becomes_true(std::chrono::milliseconds bound, const std::function<bool()>& condition) {
  const auto until = Clock::now() + bound;
  while (!condition()) {
    if (Clock::now() >= until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

Folder::Folder() {
  std::string pattern = testing::TempDir() + "lazaret-test-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) give_up("mkdtemp");
  path_ = pattern;
  ::chmod(path_.c_str(), 0755);
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string Folder::write(const std::string& name, const std::string& content,
                          unsigned mode) const {
  const std::string path = path_ + "/" + name;
  std::ofstream(path, std::ios::binary) << content;
  ::chmod(path.c_str(), static_cast<mode_t>(mode));
  return path;
}

}  // namespace lazaret::test
