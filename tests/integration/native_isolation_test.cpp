#include <fcntl.h>
#include <signal.h>
#include <linux/landlock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"

// What hostile code sees and reaches in the native box, asked for by root and by an ordinary user.
// Each control has a twin: the same guest, run bare, gets what the box keeps from it.
namespace lazaret::test {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class NativeIsolation : public testing::TestWithParam<Caller> {
 protected:
  void SetUp() override {
    if (!can_be(GetParam())) LAZARET_SKIP_OR_FAIL("root", "this test is not run by root");
  }
  // What the guest reports from a box, as JSON.
  static Json seen_by(const std::string& name, std::vector<std::string> arguments = {}) {
    ExecutionRequest request = python(guest(name));
    request.arguments = std::move(arguments);
    Json result = run_as(GetParam(), request);
    EXPECT_EQ(result.value("exit_code", -2), 0) << result.dump();
    return Json::parse(result.value("stdout", ""), nullptr, false);
  }
  // The same, without a box.
  static Json seen_bare(const std::string& name, std::vector<std::string> arguments = {}) {
    std::vector<std::string> argv = {"/usr/bin/python3", "-c", guest(name)};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    const auto text = in_child(GetParam(), [&argv] { return run_program({.argv = argv}).out; });
    return Json::parse(text.value_or(""), nullptr, false);
  }
};

// L-14, L-44: nobody need be root.
INSTANTIATE_TEST_SUITE_P(AskedBy, NativeIsolation, testing::Values(Caller::root, Caller::user),
                         [](const auto& given) { return name_of(given.param); });

// A file with a secret, readable by everybody, where nobody's box may look.
class Canary {
 public:
  explicit Canary(const std::string& folder) : path_(folder + "/" + unique_marker()) {
    std::ofstream(path_) << "canary";
  }
  Canary(const Canary&) = delete;
  Canary& operator=(const Canary&) = delete;
  ~Canary() { ::unlink(path_.c_str()); }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool planted() const { return file_text(path_) == "canary"; }

 private:
  std::string path_;
};

std::vector<std::string> words_in(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

TEST_P(NativeIsolation, ShowsNoFileOfTheHost) {
  const Canary in_tmp("/tmp"), in_var("/var/tmp"), in_root("/root"), in_etc("/etc"),
      in_shm("/dev/shm");
  std::vector<std::string> paths;
  for (const Canary* const canary : {&in_tmp, &in_var, &in_root, &in_etc, &in_shm}) {
    if (canary->planted()) paths.push_back(canary->path());
  }
  ASSERT_FALSE(paths.empty());
  Json seen = seen_by("host_view.py", paths);
  for (const std::string& path : paths) EXPECT_EQ(seen["files"][path], "errno 2") << path;
  EXPECT_EQ(seen_bare("host_view.py", {in_tmp.path()})["files"][in_tmp.path()], "canary");
}

TEST_P(NativeIsolation, ShowsNoUserNameHomeOrMachineIdentity) {
  Json seen = seen_by("host_view.py");
  EXPECT_THAT(seen["homes"], IsEmpty());
  EXPECT_EQ(seen["shadow"], "errno 2");
  EXPECT_EQ(seen["machine_id"], "errno 2");
  EXPECT_EQ(seen["host"], "lazaret");
  const auto passwd = seen["passwd"].get<std::string>();
  EXPECT_EQ(std::count(passwd.begin(), passwd.end(), '\n'), 2);
}

TEST_P(NativeIsolation, HandsOnNoVariableOfTheCaller) {
  ::setenv("LAZARET_TEST_SECRET", "env-canary", 1);
  ::setenv("AWS_SECRET_ACCESS_KEY", "env-canary", 1);
  Json seen = seen_by("host_view.py");
  Json bare = seen_bare("host_view.py");
  ::unsetenv("LAZARET_TEST_SECRET");
  ::unsetenv("AWS_SECRET_ACCESS_KEY");
  EXPECT_THAT(seen["environment"].dump(), Not(HasSubstr("env-canary")));
  EXPECT_EQ(seen["environment"]["HOME"], "/work");
  EXPECT_TRUE(bare.contains("environment"));
}

// P-54
TEST_P(NativeIsolation, HandsOnNoDescriptorThatTheCallerLeftOpen) {
  const Canary secret("/tmp");
  std::vector<int> open;
  for (int count = 0; count < 20; ++count) open.push_back(::open(secret.path().c_str(), O_RDONLY));
  open.push_back(::dup2(open.front(), 200));
  Json seen = seen_by("host_view.py");
  Json bare = seen_bare("host_view.py");
  for (const int descriptor : open) ::close(descriptor);
  EXPECT_THAT(seen["descriptors"].dump(), Not(HasSubstr("marked-")));
  for (const auto& [number, target] : seen["descriptors"].items()) {
    EXPECT_THAT(target.get<std::string>(), AnyOf(StartsWith("pipe:"), StartsWith("/dev/null")))
        << number;
  }
  EXPECT_THAT(bare["descriptors"].dump(), HasSubstr("marked-"));
}

TEST_P(NativeIsolation, HasFewDevicesAndFolders) {  // L-15, L-17
  const std::string seen = run_as(GetParam(), bash("cd /dev; echo *; echo /*")).value("stdout", "");
  const std::size_t end = std::min(seen.find('\n'), seen.size());
  EXPECT_EQ(seen.substr(0, end),
            "fd full null ptmx pts random shm stderr stdin stdout tty urandom zero");
  const std::set<std::string> known = {"/bin",  "/dev",   "/etc",    "/lib",          "/lib32",
                                       "/lib64", "/libx32", "/mnt",  "/node_modules", "/proc",
                                       "/sbin", "/tmp",   "/usr",    "/var",          "/work"};
  for (const std::string& name : words_in(seen.substr(end)))
    EXPECT_TRUE(known.contains(name)) << name;
}

// Whatever its caller has made of them (P-54).
TEST_P(NativeIsolation, BeginsWithoutTheSignalsAndTheMaskOfItsCaller) {
  const auto seen = in_child(GetParam(), [] {
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, nullptr);
    for (const int number : {SIGINT, SIGHUP, SIGPIPE, SIGUSR1, SIGALRM}) ::signal(number, SIG_IGN);
    ::umask(0);
    return run_on("native", bash("grep -E '^Sig(Blk|Ign|Cgt)|^Umask' /proc/self/status"))
        .value("stdout", "");
  });
  EXPECT_THAT(seen.value_or(""), HasSubstr("Umask:\t0022\n"));
  for (const char* const set : {"SigBlk", "SigIgn"})
    EXPECT_THAT(seen.value_or(""), HasSubstr(std::string(set) + ":\t0000000000000000\n"));
}

TEST_P(NativeIsolation, ShowsOnlyTheProcessesOfTheBox) {
  Json seen = seen_by("host_view.py");
  EXPECT_LE(seen["processes"].size(), 2U);
  EXPECT_GT(seen["processes"][0], 1) << "hidepid shows no process that cannot be looked into";
  EXPECT_GT(seen_bare("host_view.py")["processes"].size(), 3U);
}

TEST_P(NativeIsolation, ShowsAProgramItsOwnProcesses) {
  Json result =
      run_as(GetParam(), bash("sleep 5 & until read -r name </proc/$!/comm && [[ $name == sleep "
                              "]]; do :; done; ps -o comm= -e; cat /proc/$!/comm; kill $!"));
  EXPECT_EQ(result.value("exit_code", -2), 0) << result.dump();
  EXPECT_EQ(result.value("stdout", ""), "bash\nsleep\nps\nsleep\n");
}

TEST_P(NativeIsolation, MountsNothingOfTheHostThatIsWritable) {  // L-17, L-18
  const auto mounts = seen_by("host_view.py")["mounts"].get<std::string>();
  std::istringstream lines(mounts);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string id, parent, device, root, point, options;
    words >> id >> parent >> device >> root >> point >> options;
    const bool scratch = point == "/work" || point == "/tmp" || point == "/dev/shm";
    EXPECT_EQ(options.starts_with("rw"), scratch) << line;
    EXPECT_THAT(options, HasSubstr("nosuid")) << line;
    if (point == "/dev/shm") {
      EXPECT_THAT(options, HasSubstr("noexec")) << line;
    }
    // The five devices are bound one by one; what covers a file of /proc is one of them.
    const bool holds_devices = point.starts_with("/dev/") || point.starts_with("/proc/");
    if (!holds_devices || scratch) {
      EXPECT_THAT(options, HasSubstr("nodev")) << line;
    }
  }
}

TEST_P(NativeIsolation, LetsNothingBeWrittenOutsideItsScratchDirectories) {  // L-16, L-19
  Json seen = seen_by("writes.py");
  EXPECT_GT(seen["seen"], 100);
  EXPECT_THAT(seen["writable"], ElementsAre("/dev/shm", "/tmp", "/work"));
  EXPECT_THAT(seen["changed"], IsEmpty());
}

// Listens on the host, on loopback and on an abstract name, without ever accepting.
class Listeners {
 public:
  Listeners()
      : name_(unique_marker()),
        tcp_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
        abstract_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in inet{};
    inet.sin_family = AF_INET;
    inet.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof inet;
    ready_ = ::bind(tcp_, reinterpret_cast<sockaddr*>(&inet), size) == 0 &&
             ::listen(tcp_, 4) == 0 &&
             ::getsockname(tcp_, reinterpret_cast<sockaddr*>(&inet), &size) == 0;
    port_ = ntohs(inet.sin_port);
    sockaddr_un local{};
    local.sun_family = AF_UNIX;
    std::memcpy(local.sun_path + 1, name_.data(), name_.size());
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name_.size());
    ready_ = ready_ && ::bind(abstract_, reinterpret_cast<sockaddr*>(&local), length) == 0 &&
             ::listen(abstract_, 4) == 0;
  }
  Listeners(const Listeners&) = delete;
  Listeners& operator=(const Listeners&) = delete;
  ~Listeners() { ::close(tcp_), ::close(abstract_); }
  [[nodiscard]] bool ready() const { return ready_; }
  [[nodiscard]] std::vector<std::string> arguments() const {
    return {std::to_string(port_), name_};
  }

 private:
  std::string name_;
  int tcp_;
  int abstract_;
  int port_ = 0;
  bool ready_ = false;
};

TEST_P(NativeIsolation, HasNoNetworkAndReachesNoListenerOfTheHost) {  // L-37
  const Listeners host;
  ASSERT_TRUE(host.ready());
  Json seen = seen_by("network.py", host.arguments());
  EXPECT_THAT(seen["interfaces"], ElementsAre("lo"));
  EXPECT_THAT(seen["routes"], IsEmpty());
  EXPECT_THAT(seen["sockets"], IsEmpty());
  for (const char* const way : {"loopback", "loopback6", "outside", "datagram", "abstract"}) {
    EXPECT_THAT(seen[way].get<std::string>(), StartsWith("refused")) << way;
  }
  Json bare = seen_bare("network.py", host.arguments());
  EXPECT_EQ(bare["loopback"], "connected");
  EXPECT_EQ(bare["abstract"], "connected");
}

TEST_P(NativeIsolation, RefusesTheSystemCallsThatLeadOut) {
  Json seen = seen_by("system_calls.py");
  if (seen.empty())
    LAZARET_SKIP_OR_FAIL("x86_64", "the guest knows the call numbers of x86-64 only");
  for (const auto& [name, outcome] : seen.items()) {
    if (outcome.is_string()) {
      EXPECT_THAT(outcome.get<std::string>(), AnyOf("EPERM", "ENOSYS")) << name;
    }
  }
  for (const auto& [name, outcome] : seen["deadly"].items()) EXPECT_EQ(outcome, "SIGSYS") << name;
  for (const auto& [name, outcome] : seen["sockets"].items()) {
    EXPECT_EQ(outcome == "ok", name == "unix") << name;
  }
  for (const auto& [name, outcome] : seen["terminal"].items()) {
    EXPECT_THAT(outcome.get<std::string>(), AnyOf("EPERM", "ENOSYS")) << name;
  }
}

TEST_P(NativeIsolation, RefusesCallsThatSucceedWithoutIt) {
  Json bare = seen_bare("system_calls.py");
  if (bare.empty())
    LAZARET_SKIP_OR_FAIL("x86_64", "the guest knows the call numbers of x86-64 only");
  // Bare, a traced parent or memory that hides from the kernel are anybody's to have.
  EXPECT_EQ(bare["ptrace_traceme"], "ok");
  EXPECT_EQ(bare["personality_no_random"], "ok");
}

// P-07
TEST_P(NativeIsolation, KeepsItsFirstProcessOutOfReach) {
  ExecutionRequest request = python(guest("first_process.py"));
  Json result = run_as(GetParam(), request);
  ASSERT_EQ(result.value("exit_code", -2), 0) << result.dump();
  Json seen = Json::parse(result["stdout"].get<std::string>());
  for (const char* const secret :
       {"mem", "environ", "maps", "auxv", "syscall", "stack", "io", "fd", "exe", "root"}) {
    EXPECT_THAT(seen[secret].get<std::string>(), StartsWith("errno")) << secret;
  }
  EXPECT_EQ(result["meta"]["cause"], "exited");
}

TEST_P(NativeIsolation, LetsNobodyLimitItsFirstProcess) {
  ExecutionRequest request = python(
      "import resource\n"
      "try:\n"
      "    resource.prlimit(1, resource.RLIMIT_NOFILE, (0, 0))\n"
      "    print('limited')\n"
      "except OSError:\n"
      "    print('refused')\n");
  Json result = run_as(GetParam(), request);
  EXPECT_EQ(result["stdout"], "refused\n") << result.dump();
  EXPECT_EQ(result["meta"]["cause"], "exited");
}

TEST_P(NativeIsolation, OffersNoWayBackToPrivilege) {  // L-31
  Json seen = seen_by("privileges.py");
  EXPECT_FALSE(seen["identities"].empty()) << "no set-user-id program is installed";
  for (const auto& [path, identity] : seen["identities"].items()) {
    if (!identity.is_array()) continue;
    EXPECT_EQ(identity[0], Json::array({"65534", "65534", "65534", "65534"})) << path;
    EXPECT_EQ(identity[1], "0000000000000000") << path;
  }
  EXPECT_EQ(seen["refused"], Json::array({true, true, true, true, true}));
  EXPECT_EQ(seen["own"]["NoNewPrivs"], Json::array({"1"}));
  EXPECT_EQ(seen["own"]["Seccomp"], Json::array({"2"}));
  for (const char* const set : {"CapEff", "CapPrm", "CapBnd", "CapAmb"}) {
    EXPECT_EQ(seen["own"][set], Json::array({"0000000000000000"})) << set;
  }
  // An ordinary user cannot give up groups; the kernel then shows those it cannot map as 65534.
  for (const auto& group : seen["own"]["Groups"]) EXPECT_EQ(group, "65534");
}

// Whole from version 6 on: then sockets and signals are of it, too. What can be denied from version
// 9 on is not known.
TEST_P(NativeIsolation, IsUnderTheLandlockThatThisKernelHas) {
  const long version =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  const Json landlock = evidence_of(run_as(GetParam(), python("1")), "landlock");
  const bool is_whole = version >= 6 && version <= 8;
  EXPECT_EQ(landlock["status"], is_whole ? "enforced" : version > 0 ? "partial" : "not_enforced")
      << landlock;
}

}  // namespace
}  // namespace lazaret::test
