#include <signal.h>

#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/driver.hpp"
#include "unit/runner_program/bench.hpp"

// The real runner and the real interpreter; what the box's init alone can do is seen in real boxes.
namespace lazaret::runner {
namespace {

using test::Bench;
using test::soon;
using testing::HasSubstr;

// Its pipes end with the runner.
bool becomes_gone(pid_t process) {
  for (int look = 0; look < 500; ++look) {
    if (::kill(process, 0) != 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

constexpr int kNoSuchProcess = 3, kIsThere = 17;

struct Cells : Bench {
  int number = 0;

  Job cell(const std::string& context, const std::string& code, bool begins) {
    const Words none;
    Task task{"", none, 512ULL << 20};
    task.in_context = true;
    Job made = job(driver_named("python")->recipe(task).cells);
    made.keeps_box = true;
    made.context = context;
    made.begins_context = begins;
    made.farewell = "farewell-" + std::to_string(++number);
    made.word = made.farewell + '\0' + "<cell-" + std::to_string(number) + ">" + '\0' + code;
    return made;
  }
  Exited run(const std::string& context, const std::string& code, bool begins = false) {
    sink.out = sink.err = sink.value_text = "";
    EXPECT_TRUE(start(cell(context, code, begins)).ok());
    EXPECT_TRUE(client().end_stdin(soon()).ok());
    return exited();
  }
};

TEST(Cells, KeepWhatTheOnesBeforeHaveLeft) {
  Cells cells;
  EXPECT_TRUE(cells.run("a", "import math; x = 41", true).keeps_context);
  const Exited second = cells.run("a", "print('told'); x + 1");
  EXPECT_EQ(second.how, Exited::How::exit);
  EXPECT_EQ(second.code, 0U);
  EXPECT_TRUE(second.keeps_context);
  EXPECT_EQ(cells.sink.out, "told\n");
  EXPECT_EQ(cells.sink.value_text, R"({"value":42})");
  EXPECT_EQ(cells.run("a", "math.floor(1.5)").code, 0U);
  EXPECT_EQ(cells.sink.value_text, R"({"value":1})");
}

TEST(Cells, OfOneContextKnowNothingOfAnother) {
  Cells cells;
  (void)cells.run("a", "x = 'of a'", true);
  (void)cells.run("b", "x = 'of b'", true);
  (void)cells.run("a", "x");
  EXPECT_EQ(cells.sink.value_text, R"({"value":"of a"})");
}

TEST(Cells, OfAContextThatIsNotThereOrThereAlreadyFail) {
  Cells cells;
  const Failed absent = cells.run_to_failure(cells.cell("a", "1", false));
  EXPECT_EQ(absent.step, kFindContext);
  EXPECT_EQ(absent.os_error, kNoSuchProcess);
  (void)cells.run("a", "x = 1", true);
  const Failed there = cells.run_to_failure(cells.cell("a", "1", true));
  EXPECT_EQ(there.step, kFindContext);
  EXPECT_EQ(there.os_error, kIsThere);
  EXPECT_EQ(cells.run("a", "x").code, 0U);
}

TEST(Cells, EndWithTheirOwnStatusAndTheContextStays) {
  Cells cells;
  EXPECT_EQ(cells.run("a", "import sys; sys.exit(7)", true).code, 7U);
  EXPECT_EQ(cells.run("a", "sys.exit('words')").code, 1U);
  EXPECT_EQ(cells.sink.err, "words\n");
  EXPECT_EQ(cells.run("a", "sys.exit()").code, 0U);
  EXPECT_EQ(cells.run("a", "def f():\n  return 1/0").code, 0U);
  EXPECT_EQ(cells.run("a", "f()").code, 1U);
  EXPECT_THAT(cells.sink.value_text, HasSubstr(R"("name":"ZeroDivisionError")"));
  EXPECT_THAT(cells.sink.err, HasSubstr("File \"<cell-5>\", line 1, in <module>"));
  EXPECT_THAT(cells.sink.err, HasSubstr("File \"<cell-4>\", line 2, in f\n    return 1/0"));
  EXPECT_EQ(cells.run("a", "a b").code, 1U);
  EXPECT_THAT(cells.sink.value_text, HasSubstr(R"("type":"SyntaxError")"));
  EXPECT_TRUE(cells.run("a", "1").keeps_context);
}

TEST(Cells, ThatEndTheirInterpreterLoseTheContext) {
  Cells cells;
  const Exited lost = cells.run("a", "import os; print('last', flush=True); os._exit(5)", true);
  EXPECT_EQ(lost.code, 5U);
  EXPECT_FALSE(lost.keeps_context);
  EXPECT_EQ(cells.sink.out, "last\n");
  const Exited killed = cells.run("a", "import os; os.kill(os.getpid(), 9)", true);
  EXPECT_EQ(killed.how, Exited::How::signal);
  EXPECT_FALSE(killed.keeps_context);
  EXPECT_TRUE(cells.run("a", "1", true).keeps_context);
}

TEST(Cells, OfAContextThatHasEndedMeanwhileFail) {
  Cells cells;
  const std::string go = cells.place.path("go");
  (void)cells.run("a",
                  "import os, threading, time\n"
                  "def end():\n"
                  "  while not os.path.exists('" +
                      go +
                      "'): time.sleep(0.01)\n"
                      "  os._exit(0)\n"
                      "threading.Thread(target=end).start(); print(os.getpid())",
                  true);
  const std::string pid = cells.sink.out.substr(0, cells.sink.out.find('\n'));
  const std::string waits = "import os, time\nopen('" + go +
                            "', 'w').close()\n"
                            "try:\n  while True: os.kill(" +
                            pid +
                            ", 0); time.sleep(0.01)\n"
                            "except ProcessLookupError: pass";
  EXPECT_EQ(cells.run("b", waits, true).code, 0U) << cells.sink.err;
  EXPECT_EQ(cells.run_to_failure(cells.cell("a", "1", false)).os_error, kNoSuchProcess);
}

TEST(Cells, AreInterruptedAndTheContextStays) {
  Cells cells;
  (void)cells.run("a", "x = 5", true);
  cells.sink.on_output = [&cells] { EXPECT_TRUE(cells.client().signal(SIGINT, soon()).ok()); };
  EXPECT_EQ(cells.run("a", "print('began', flush=True)\nwhile True: pass").code, 1U);
  cells.sink.on_output = nullptr;
  EXPECT_THAT(cells.sink.value_text, HasSubstr(R"("name":"KeyboardInterrupt")"));
  EXPECT_TRUE(cells.client().signal(SIGINT, soon()).ok());  // while nothing runs
  EXPECT_EQ(cells.run("a", "x").code, 0U);
  EXPECT_EQ(cells.sink.value_text, R"({"value":5})");
}

TEST(Cells, AreNotOverBeforeTheyAre) {
  Cells cells;
  (void)cells.run("a", "import os", true);
  const Exited over =
      cells.run("a", "os.write(252, b'farewell-1\\0farewell-9\\0' + b'x' * 5000); print('late')");
  EXPECT_EQ(over.code, 0U);
  EXPECT_EQ(cells.sink.out, "late\n");
  EXPECT_TRUE(cells.run("a", "1").keeps_context);
}

TEST(Cells, MayBeAsLongAsAJob) {
  Cells cells;
  EXPECT_EQ(cells.run("a", "x = '" + std::string(1 << 20, 'y') + "'; len(x)", true).code, 0U);
  EXPECT_EQ(cells.sink.value_text, R"({"value":1048576})");
  EXPECT_EQ(cells.run("a", "print(x)").code, 0U);
  EXPECT_EQ(cells.sink.out.size(), (1U << 20) + 1);
}

TEST(Cells, HaveChildrenThatEndWithThem) {
  Cells cells;
  EXPECT_EQ(
      cells.run("a", "import os\nif not os.fork(): print('child')\nelse: os.wait()", true).code,
      0U);
  EXPECT_EQ(cells.sink.out, "child\n");
  EXPECT_EQ(cells.run("a", "print('once')").code, 0U);
  EXPECT_EQ(cells.sink.out, "once\n");
}

TEST(Cells, TakeNoProcessorTimeOfTheOnesBefore) {
  Cells cells;
  const Exited busy = cells.run("a", "for _ in range(5_000_000): pass", true);
  const Exited idle = cells.run("a", "1");
  EXPECT_GT(busy.cpu_us, 40'000U);
  EXPECT_LT(idle.cpu_us, busy.cpu_us / 4);
}

TEST(Cells, OfAContextThatWasEndedBeginAnew) {
  Cells cells;
  (void)cells.run("a", "x = 1", true);
  EXPECT_TRUE(cells.client().end_context("a", soon()).ok());
  EXPECT_EQ(cells.client().end_context("a", soon()).error().code(), Errc::not_found);
  EXPECT_EQ(cells.run_to_failure(cells.cell("a", "1", false)).step, kFindContext);
  EXPECT_EQ(cells.run("a", "x", true).code, 1U);
}

TEST(Cells, EndWithTheWire) {
  Cells cells;
  ASSERT_EQ(cells.run("a", "import os; print(os.getpid())", true).code, 0U);
  const auto context = static_cast<pid_t>(std::stol(cells.sink.out));
  cells.process.close_wire();
  EXPECT_EQ(cells.process.finish(), 0);
  EXPECT_TRUE(becomes_gone(context));
}

}  // namespace
}  // namespace lazaret::runner
