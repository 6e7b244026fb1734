#include "os/landlock.hpp"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "os/handle.hpp"

// What is denied, tried by a child that has denied it to itself.
namespace lazaret::os {
namespace {

constexpr int kNone = 200, kFailed = 201;
constexpr std::uint32_t kScoped = 6;

// The wall has a door to /work, which this machine may not have.
class Landlock : public testing::Test {
 protected:
  void SetUp() override {
    if (::access("/work", F_OK) != 0) GTEST_SKIP() << "there is no /work here";
  }
};

// What an attempt ends with behind the wall: its errno, or 0.
int answer_behind(const std::function<int()>& attempt, std::uint32_t at_least = 1) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) ::_exit(kFailed);
    const auto version = restrict_access();
    if (!version.ok()) ::_exit(version.error().code() == Errc::unsupported ? kNone : kFailed);
    ::_exit(*version < at_least ? kNone : attempt());
  }
  int status = 0;
  return ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int opening(const char* path, int flags) {
  const Handle file(::open(path, flags | O_CLOEXEC, 0600));
  return file.valid() ? 0 : errno;
}

#define LAZARET_EXPECT_BEHIND(answer, expected)                            \
  do {                                                                     \
    const int seen = (answer);                                             \
    if (seen == kNone) GTEST_SKIP() << "this kernel has no such Landlock"; \
    EXPECT_EQ(seen, expected);                                             \
  } while (false)

TEST_F(Landlock, LeavesReadingAndScratchAlone) {
  LAZARET_EXPECT_BEHIND(answer_behind([] { return opening("/etc/passwd", O_RDONLY); }), 0);
  LAZARET_EXPECT_BEHIND(answer_behind([] { return opening("/dev/null", O_WRONLY); }), 0);
  LAZARET_EXPECT_BEHIND(answer_behind([] {
                          char path[] = "/tmp/lazaret-landlock-XXXXXX";
                          const Handle file(::mkstemp(path));
                          const int code = file.valid() ? 0 : errno;
                          (void)::unlink(path);
                          return code;
                        }),
                        0);
}

TEST_F(Landlock, DeniesToWriteElsewhere) {
  LAZARET_EXPECT_BEHIND(
      answer_behind([] { return opening("/var/lazaret-landlock", O_WRONLY | O_CREAT); }), EACCES);
  LAZARET_EXPECT_BEHIND(
      answer_behind([] { return ::mkdir("/var/lazaret-landlock", 0700) == 0 ? 0 : errno; }),
      EACCES);
}

// With a name that the kernel chooses (unix(7), autobind).
struct Listener {
  Listener() : socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    address.sun_family = AF_UNIX;
    (void)::bind(socket.get(), general(), sizeof address.sun_family);
    (void)::listen(socket.get(), 4);
    (void)::getsockname(socket.get(), general(), &size);
  }
  sockaddr* general() { return reinterpret_cast<sockaddr*>(&address); }
  int connecting() {
    const Handle way(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return ::connect(way.get(), general(), size) == 0 ? 0 : errno;
  }

  Handle socket;
  sockaddr_un address{};
  socklen_t size = sizeof address;
};

TEST_F(Landlock, DeniesAbstractSocketsOfOthers) {
  Listener outside;
  ASSERT_EQ(outside.connecting(), 0);
  LAZARET_EXPECT_BEHIND(answer_behind([&outside] { return outside.connecting(); }, kScoped), EPERM);
  LAZARET_EXPECT_BEHIND(answer_behind([] { return Listener().connecting(); }, kScoped), 0);
}

// Refuses to make sockets, as a box's filter does.
bool allow_no_sockets() {
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAFNOSUPPORT),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{static_cast<unsigned short>(std::size(steps)), steps};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

int binding(int socket) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto* const general = reinterpret_cast<const sockaddr*>(&address);
  return ::bind(socket, general, sizeof address) == 0 ? 0 : errno;
}

TEST_F(Landlock, DeniesTcpWhereThereAreNoSockets) {
  const Handle from_elsewhere(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (!allow_no_sockets()) ::_exit(kFailed);
    const auto version = restrict_access();
    ::_exit(!version.ok() || *version < 4 ? kNone : binding(from_elsewhere.get()));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  LAZARET_EXPECT_BEHIND(WEXITSTATUS(status), EACCES);
  LAZARET_EXPECT_BEHIND(answer_behind([&] { return binding(from_elsewhere.get()); }), 0);
}

TEST_F(Landlock, DeniesSignalsToOthers) {
  const auto signalling = [](pid_t pid) { return ::kill(pid, 0) == 0 ? 0 : errno; };
  LAZARET_EXPECT_BEHIND(answer_behind([&] { return signalling(::getppid()); }, kScoped), EPERM);
  LAZARET_EXPECT_BEHIND(answer_behind([&] { return signalling(::getpid()); }, kScoped), 0);
}

}  // namespace
}  // namespace lazaret::os
