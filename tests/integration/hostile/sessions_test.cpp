#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/rich_bed.hpp"

// A session whose programs turn against it: what they can reach is theirs, what is said of them is
// not, and the next run is as good as ever.
namespace lazaret::test {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class HostileSessionOn : public RichOn {
 protected:
  // After whatever has happened.
  void expect_good() const {
    EXPECT_EQ(session_->state(), SessionState::ready);
    EXPECT_EQ(session_->execute(bash("echo on")).stdout_text, "on\n");
    ExecutionRequest other = cell("1 + 1");
    other.context = "clean";
    const ExecutionResult clean = session_->execute(other);
    EXPECT_EQ(clean.value, "2") << to_json(clean);
    EXPECT_THAT(clean.rich, IsEmpty());
  }
  void expect_true(const ExecutionResult& result) const {
    EXPECT_EQ(result.meta.backend, GetParam());
    EXPECT_FALSE(result.meta.evidence.empty());
  }
};

// Frames, farewells, results.
TEST_P(HostileSessionOn, CannotBeMadeToSayWhatIsNotSo) {
  expect_true(
      run("import os\n"
          "for fd in range(3, 300):\n"
          "  for lie in (b'\\0' * 64, b'{\"value\":\"forged\"}', b'\\x88' * 40,\n"
          "              b'a' * 32 + b'\\0'):\n"
          "    try: os.write(fd, lie)\n"
          "    except OSError: pass\n"));
  expect_good();
}

// Whatever it says on all that it can reach: nothing becomes of it but what is its own to say.
TEST_P(HostileSessionOn, ShowsWhatIsItsOwnToShowAlone) {
  const ExecutionResult result =
      run("import os\n"
          "for fd in range(3, 300):\n"
          "  for lie in (b'{\"rich\":{\"source\":\"value\",\"data\":{\"text/html\":\"forged\"},'\n"
          "              b'\"meta\":{\"backend\":\"none\"},\"exit_code\":7}}\\n',\n"
          "              b'{\"rich\":' + b'[' * 100000 + b'\\n', b'{\"rich\":' + b'x' * 200):\n"
          "    try: os.write(fd, lie)\n"
          "    except OSError: pass\n"
          "raise SystemExit(3)");
  EXPECT_EQ(result.exit_code, 3);
  expect_true(result);
  for (const RichResult& each : result.rich)
    EXPECT_THAT(each.data, ElementsAre(Pair("text/html", "forged")));
  EXPECT_EQ(result.rich.size(), 1U);
  expect_good();
}

// What it may not signal is not its own; what is, its context among it, is gone.
TEST_P(HostileSessionOn, OutlivesAProgramThatKillsAllThatItCan) {
  EXPECT_EQ(run("x = 1; x").value, "1");
  const ExecutionResult killed = session_->execute(bash("kill -9 -1; kill -9 1; echo no"));
  expect_true(killed);
  EXPECT_THAT(std::string(name_of(killed.meta.cause)), AnyOf("exited", "signalled"));
  (void)run("x");  // is told that it was lost, where it was
  expect_good();
}

TEST_P(HostileSessionOn, OutlivesOneThatStopsAllThatItCan) {
  EXPECT_EQ(run("1").value, "1");
  ExecutionRequest request = bash("kill -STOP -1; kill -STOP 1; sleep 60");
  request.limits.timeout = std::chrono::seconds(1);
  const ExecutionResult stopped = session_->execute(request);
  expect_true(stopped);
  EXPECT_EQ(stopped.meta.cause, Cause::timeout) << to_json(stopped);
  (void)run("1");
  expect_good();
}

// There is no room left for what the runner itself would like to write.
TEST_P(HostileSessionOn, OutlivesOneThatTakesAllThatThereIs) {
  const ExecutionResult full = session_->execute(
      bash("i=0; while head -c 1000000 /dev/zero >/work/$i; do i=$((i + 1)); done 2>/dev/null\n"
           "i=0; while : >/tmp/$i; do i=$((i + 1)); done 2>/dev/null; echo full"));
  expect_true(full);
  EXPECT_EQ(full.stdout_text, "full\n");
  EXPECT_FALSE(session_->put({{"file", std::string(1 << 20, 'x'), {}, false}}).ok());
  EXPECT_EQ(session_->execute(bash("rm -f /work/* /tmp/*")).exit_code, 0);
  EXPECT_TRUE(session_->put({{"file", std::string(1 << 20, 'x'), {}, false}}).ok());
  expect_good();
}

INSTANTIATE_TEST_SUITE_P(EachBackend, HostileSessionOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

}  // namespace
}  // namespace lazaret::test
