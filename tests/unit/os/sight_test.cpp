#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "os/init.hpp"

// What a runner sees of the one program that it has.
namespace lazaret::os {
namespace {

// A child that does something when it is told to, and waits then.
class Child {
 public:
  explicit Child(const std::function<void()>& body) {
    if (::pipe2(go_, O_CLOEXEC) != 0 || ::pipe2(done_, O_CLOEXEC) != 0) return;
    pid_ = ::fork();
    if (pid_ != 0) return;
    char byte = 0;
    (void)!::read(go_[0], &byte, 1);
    body();
    (void)!::write(done_[1], "d", 1);
    ::pause();
    ::_exit(0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    for (const int descriptor : {go_[0], go_[1], done_[0], done_[1]}) ::close(descriptor);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  void go() const { (void)!::write(go_[1], "g", 1); }
  void go_and_wait() const {
    go();
    char byte = 0;
    (void)!::read(done_[0], &byte, 1);
  }

 private:
  int go_[2] = {-1, -1}, done_[2] = {-1, -1};
  pid_t pid_ = -1;
};

TEST(Sight, TellsOneProgramFromTheNextThatAProcessExecutes) {
  const Child child([] { ::execl("/bin/sleep", "sleep", "100", nullptr); });
  ASSERT_GT(child.pid(), 0);
  const Sight sight(child.pid());
  const std::string before = sight.program_mark();
  EXPECT_NE(before, "");
  EXPECT_EQ(sight.program_mark(), before);
  child.go();
  std::string after = before;
  for (int look = 0; (after.empty() || after == before) && look < 3000; ++look) {
    ::usleep(10'000);
    after = sight.program_mark();
  }
  EXPECT_NE(after, "");
  EXPECT_NE(after, before);
}

bool is_only_child(const Sight& sight) { return sight.is_all(sight.program_mark()); }

TEST(Sight, SeesAChildThatHasNobody) {
  std::ifstream children("/proc/thread-self/children");
  if (!children || children.get() != EOF) GTEST_SKIP() << "no list of children, or some are there";
  const Child child([] {});
  ASSERT_GT(child.pid(), 0);
  const Sight sight(child.pid());
  EXPECT_TRUE(is_only_child(sight));
  EXPECT_FALSE(sight.is_all("")) << "who has no mark cannot be told from another";
  EXPECT_FALSE(sight.is_all(sight.program_mark() + " "));
  EXPECT_GT(sight.peak_kib(), 0U);
  EXPECT_EQ(sight.peak_kib(), peak_kib_of(child.pid()));
  child.go_and_wait();
  EXPECT_TRUE(is_only_child(sight));
  const Child other([] {});
  EXPECT_FALSE(is_only_child(sight));
}

TEST(Sight, SeesThatAChildHasOneOfItsOwn) {
  const Child child([] {
    if (::fork() == 0) {
      ::usleep(500'000);
      ::_exit(0);
    }
  });
  ASSERT_GT(child.pid(), 0);
  const Sight sight(child.pid());
  child.go_and_wait();
  EXPECT_FALSE(is_only_child(sight));
}

TEST(Sight, SeesThatAChildHasWaitedForOne) {
  const Child child([] {
    const pid_t grandchild = ::fork();
    if (grandchild == 0) ::_exit(0);
    ::waitpid(grandchild, nullptr, 0);
  });
  ASSERT_GT(child.pid(), 0);
  const Sight sight(child.pid());
  child.go_and_wait();
  EXPECT_FALSE(is_only_child(sight));
}

TEST(Sight, SeesNothingOfWhoIsGoneOrWasNever) {
  EXPECT_EQ(Sight().program_mark(), "");
  EXPECT_FALSE(Sight().is_all("some mark"));
  const Sight nobody(0x3FFFFFFF);
  EXPECT_EQ(nobody.program_mark(), "");
  EXPECT_EQ(nobody.peak_kib(), 0U);
  EXPECT_FALSE(nobody.is_all("some mark"));
}

}  // namespace
}  // namespace lazaret::os
