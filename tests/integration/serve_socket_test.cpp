#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/daemon.hpp"
#include "os/wire.hpp"
#include "places.hpp"

// The Unix socket of the daemon: whose it is, and from whom it is taken.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(ServeSocket, IsItsUsersAloneWhateverTheMask) {
  const mode_t mask = ::umask(0);
  const Daemon daemon;
  ::umask(mask);
  struct stat there {};
  ASSERT_EQ(::stat(daemon.socket().c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 0777U, 0600U);
}

// Who owns the folder could put a socket of his own in the place of ours.
TEST(ServeSocket, IsNotMadeInTheFolderOfAnother) {
  if (!can_be(Caller::root)) LAZARET_SKIP_OR_FAIL("root", "somebody else must own the folder");
  const Folder folder;
  ASSERT_EQ(::chown(folder.path().c_str(), kOrdinaryUser, 0), 0);
  const std::string path = folder.path() + "/lazaret.sock";
  const Ended ended =
      lazaret({"serve", "--socket", path},
              {.argv = {}, .once_started = [&](pid_t pid) {
                 if (becomes_true(1s, [&] { return ::access(path.c_str(), F_OK) == 0; }))
                   ::kill(pid, SIGTERM);
               }});
  EXPECT_EQ(ended.status, 125);
  EXPECT_THAT(ended.err, HasSubstr("another user"));
}

TEST(ServeSocket, RefusesAnotherUserWhoGotThrough) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
  const Daemon daemon;
  ASSERT_EQ(::chmod(daemon.socket().c_str(), 0666), 0);
  const auto status = in_child(
      Caller::user, [&daemon] { return std::to_string(daemon.ask("GET", "/v1/ready").status); });
  EXPECT_EQ(status, "403");
}

TEST(ServeSocket, IsAskedForWhereThereIsNothingToListenOn) {
  const Ended ended = lazaret({"serve", "--socket", ""});
  EXPECT_EQ(ended.status, 125);
  EXPECT_THAT(ended.err, HasSubstr("nothing to listen on"));
  EXPECT_THAT(ended.err, HasSubstr("hint: --socket"));
}

TEST(ServeSocket, IsNotTakenFromADaemonThatAnswers) {
  const Daemon daemon;
  const Ended ended = lazaret({"serve", "--socket", daemon.socket()});
  EXPECT_EQ(ended.status, 125);
  EXPECT_THAT(ended.err, HasSubstr("answers"));
  EXPECT_EQ(daemon.ask("GET", "/v1/health").status, 200);
}

TEST(ServeSocket, IsTakenFromADaemonThatWasKilled) {
  const Folder folder;
  const std::string path = folder.path() + "/lazaret.sock";
  const auto serve_until = [&path](int number) {
    return lazaret({"serve", "--socket", path},
                   {.argv = {}, .once_started = [&](pid_t pid) {
                      (void)becomes_true(20s, [&] { return ::access(path.c_str(), F_OK) == 0; });
                      ::kill(pid, number);
                    }});
  };
  EXPECT_EQ(serve_until(SIGKILL).status, 128 + SIGKILL);
  EXPECT_EQ(::access(path.c_str(), F_OK), 0);
  const Ended ended = lazaret(
      {"serve", "--socket", path},
      {.argv = {}, .once_started = [&](pid_t pid) {
         (void)becomes_true(20s, [&] { return os::connect_unix(path, Call{}.within(1s)).ok(); });
         ::kill(pid, SIGTERM);
       }});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(::access(path.c_str(), F_OK), 0);
}

TEST(ServeSocket, DoesNotReplaceWhatIsNoSocket) {
  const Folder folder;
  const std::string path = folder.write("lazaret.sock", "precious");
  EXPECT_EQ(lazaret({"serve", "--socket", path}).status, 125);
  EXPECT_EQ(file_text(path), "precious");
}

TEST(ServeSocket, CanBeAServiceManagers) {
  const Folder folder;
  const std::string path = folder.path() + "/s";
  const std::string script =
      "import os, socket, sys\n"
      "s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen()\n"
      "os.dup2(s.fileno(), 3); os.set_inheritable(3, True)\n"
      "os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1')\n"
      "os.execv(sys.argv[2], ['lazaret-serve', '--socket', sys.argv[1] + '.own'])\n";
  int status = 0;
  const Ended ended = run_program(
      {.argv = {"python3", "-c", script, path, kServePath}, .once_started = [&](pid_t pid) {
         (void)becomes_true(10s, [&] {
           auto wire = os::connect_unix(path, Call{}.within(1s));
           if (wire.ok()) status = reply_on(std::move(wire).value(), "GET", "/v1/ready", "").status;
           return status != 0;
         });
         ::kill(pid, SIGTERM);
       }});
  EXPECT_EQ(status, 200);
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(::access((path + ".own").c_str(), F_OK), 0);
  EXPECT_EQ(::access(path.c_str(), F_OK), 0);
}

TEST(ServeSocket, OfTheNetworkTakesATokenWhoeverHasOpenedIt) {
  const std::string script =
      "import os, socket, sys\n"
      "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()\n"
      "os.dup2(s.fileno(), 3); os.set_inheritable(3, True)\n"
      "os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1')\n"
      "os.execv(sys.argv[1], ['lazaret-serve'])\n";
  const Ended ended = run_program({.argv = {"python3", "-c", script, kServePath}});
  EXPECT_NE(ended.status, 0);
  EXPECT_THAT(ended.err, HasSubstr("listening on TCP needs a token"));
  EXPECT_THAT(ended.err, HasSubstr("--token-file"));
}

}  // namespace
}  // namespace lazaret::test
