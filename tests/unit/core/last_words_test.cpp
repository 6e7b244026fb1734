#include "core/last_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lazaret::core {
namespace {

using testing::HasSubstr;

using runner::Exited;

constexpr Exited exited_with(std::uint32_t code) { return {Exited::How::exit, code, 0, 0}; }
constexpr Exited kAborted{Exited::How::signal, 6, 0, 0};

// As the runtime of each ends what it has given up.
Exited end_of(std::string_view language) {
  if (language == "cpp" || language == "javascript") return kAborted;
  return exited_with(language == "go" ? 2 : language == "rust" ? 101 : 1);
}

auto last_words_of(std::string_view language, std::string_view text) {
  return core::last_words_of(language, end_of(language), text);
}

void expect_error(std::string_view language, std::string_view text, ErrorType type,
                  std::string_view message) {
  const auto error = last_words_of(language, text);
  ASSERT_TRUE(error.has_value()) << text;
  EXPECT_EQ(error->type, type) << text;
  EXPECT_EQ(error->message, message);
}

TEST(LastWords, AreAPanicOfGoWithItsStack) {
  constexpr std::string_view kText =
      "log\npanic: runtime error: index out of range [5] with length 1\n\ngoroutine 1 [running]:\n"
      "main.main()\n\t/work/main.go:3 +0x4b\n";
  expect_error("go", kText, ErrorType::RuntimeError,
               "runtime error: index out of range [5] with length 1");
  EXPECT_THAT(*last_words_of("go", kText)->stack, HasSubstr("/work/main.go:3"));
  expect_error("go", "fatal error: all goroutines are asleep - deadlock!\n",
               ErrorType::RuntimeError, "all goroutines are asleep - deadlock!");
}

TEST(LastWords, NameTheLineOfTheProgramsOwnFileAndWhatTheLanguageCallsIt) {
  const auto line_of = [](std::string_view language, std::string_view text) {
    return last_words_of(language, text)->line;
  };
  EXPECT_EQ(line_of("go",
                    "panic: boom\n\ngoroutine 1 [running]:\nsort.Sort()\n\t/usr/lib/go/sort.go:9\n"
                    "main.main()\n\t/work/main.go:3 +0x4b\n"),
            3U);
  EXPECT_EQ(line_of("rust", "thread 'main' panicked at main.rs:3:5:\nboom main.rs:9\n"), 3U);
  EXPECT_EQ(line_of("rust", "thread 'main' panicked at 'boom', main.rs:3:5\n"), 3U);
  constexpr std::string_view kJava =
      "Exception in thread \"main\" java.lang.IndexOutOfBoundsException: Index 1\n"
      "\tat java.base/java.util.List.get(List.java:100)\n\tat Main.main(Main.java:3)\n";
  EXPECT_EQ(line_of("java", kJava), 3U);
  EXPECT_EQ(last_words_of("java", kJava)->name, "java.lang.IndexOutOfBoundsException");
  EXPECT_EQ(line_of("bash", "/work/main.sh: line 3: x: command not found\n"), 3U);
  EXPECT_EQ(line_of("sh", "/work/main.sh: 3: x: not found\n"), 3U);
  EXPECT_EQ(line_of("sh", "/work/main.sh: cannot do 3 things\n"), std::nullopt);
  EXPECT_EQ(line_of("sh", "/work/main.sh: 2 arguments expected\n"), std::nullopt);
  EXPECT_EQ(line_of("bash", "/work/main.sh: line 9 of the input is bad\n"), std::nullopt);
  EXPECT_EQ(line_of("rust",
                    "thread 'main' panicked at 'see main.rs:9\n  left: `1`,\n right: `2`', "
                    "main.rs:3:5\nnote: run with\n"),
            3U);
}

TEST(LastWords, TakeForANameOnlyWhatCanBeOne) {
  const auto name_of = [](const std::string& exception) {
    return last_words_of("java", "Exception in thread \"main\" " + exception + "\n")->name;
  };
  EXPECT_EQ(name_of("a.B$C: odd"), "a.B$C");
  EXPECT_EQ(name_of("Error 42 at 10:30"), std::nullopt);
  EXPECT_EQ(name_of(": odd"), std::nullopt);
  EXPECT_EQ(name_of(std::string(200, 'x'))->size(), 200U);
  EXPECT_EQ(name_of(std::string(201, 'x')), std::nullopt);
}

TEST(LastWords, AreAPanicOfRustWithItsPlace) {
  expect_error("rust", "thread 'main' panicked at main.rs:3:5:\nboom\nnote: run with\n",
               ErrorType::RuntimeError, "panicked at main.rs:3:5: boom");
  expect_error("rust", "thread 'main' panicked at 'boom', main.rs:3:5\n", ErrorType::RuntimeError,
               "panicked at 'boom', main.rs:3:5");
}

TEST(LastWords, AreAnExceptionOfJavaAndAHeapThatIsFull) {
  expect_error("java",
               "Exception in thread \"main\" java.lang.IllegalStateException: odd: 3\n"
               "\tat Main.half(Main.java:3)\n",
               ErrorType::RuntimeError, "java.lang.IllegalStateException: odd: 3");
  expect_error("java", "Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space\n",
               ErrorType::MemoryError, "java.lang.OutOfMemoryError: Java heap space");
}

TEST(LastWords, AreAnExceptionOfCpp) {
  expect_error("cpp",
               "terminate called after throwing an instance of 'std::runtime_error'\n"
               "  what():  boom\n",
               ErrorType::RuntimeError, "std::runtime_error: boom");
  expect_error("cpp", "terminate called after throwing an instance of 'int'\n",
               ErrorType::RuntimeError, "int");
  expect_error("cpp",
               "terminate called after throwing an instance of 'std::bad_alloc'\n"
               "  what():  std::bad_alloc\n",
               ErrorType::MemoryError, "std::bad_alloc: std::bad_alloc");
}

TEST(LastWords, AreAShellsLastComplaint) {
  expect_error("bash",
               "/work/main.sh: line 3: one: command not found\n"
               "/work/main.sh: line 4: two: command not found\n",
               ErrorType::RuntimeError, "main.sh: line 4: two: command not found");
  expect_error("bash",
               "/work/main.sh: line 9: syntax error near unexpected token `done'\n"
               "/work/main.sh: line 9: `done'\n",
               ErrorType::SyntaxError,
               "main.sh: line 9: syntax error near unexpected token `done'");
  expect_error("sh", "/work/main.sh: 2: Syntax error: end of file unexpected\n",
               ErrorType::SyntaxError, "main.sh: 2: Syntax error: end of file unexpected");
  expect_error("sh", "/work/main.sh: 2: cannot create /x: Permission denied\n",
               ErrorType::PermissionDenied, "main.sh: 2: cannot create /x: Permission denied");
}

TEST(LastWords, AreNoComplaintAfterWhichAShellWentOn) {
  EXPECT_FALSE(last_words_of("bash",
                             "/work/main.sh: line 3: one: command not found\n"
                             "working\nfailed for another reason\n"));
}

TEST(LastWords, AreAHeapOfNodeThatIsFull) {
  expect_error("javascript", "FATAL ERROR: Reached heap limit - JavaScript heap out of memory\n",
               ErrorType::MemoryError, "the heap of the runtime is full");
}

TEST(LastWords, AreAHeapOfDenoThatIsFull) {
  constexpr std::string_view kFull = "#\n# Fatal JavaScript out of memory: Reached heap limit\n#\n";
  const auto full = core::last_words_of("typescript", {Exited::How::signal, 5, 0, 0}, kFull);
  ASSERT_TRUE(full);
  EXPECT_EQ(full->type, ErrorType::MemoryError);
  EXPECT_FALSE(last_words_of("typescript", kFull));
}

TEST(LastWords, AreWhatDenoSaysOfAProgramThatItHasNotStarted) {
  const auto syntax = last_words_of(
      "typescript",
      "error: SyntaxError: Unexpected token\n  |\n    at file:///work/main.ts:7:10\n");
  ASSERT_TRUE(syntax);
  EXPECT_EQ(syntax->type, ErrorType::SyntaxError);
  EXPECT_EQ(syntax->message, "SyntaxError: Unexpected token");
  EXPECT_EQ(syntax->name, "SyntaxError");
  EXPECT_EQ(syntax->line, 7U);
  const auto missing = last_words_of(
      "typescript",
      "x\nerror: Uncaught Module not found\n    at <anonymous> (file:///work/b.ts:2:1)\n");
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->type, ErrorType::RuntimeError);
  EXPECT_EQ(missing->message, "Module not found");
  EXPECT_FALSE(missing->line);
  EXPECT_FALSE(last_words_of("typescript", "its error: is no line's beginning\n"));
  EXPECT_FALSE(last_words_of("typescript", "error: usage: program FILE\n"));
  EXPECT_FALSE(last_words_of("typescript", "error: no file:///work/x\nat file:///work/x\n"));
}

TEST(LastWords, AreNoneWhereTheRuntimeSaysNothing) {
  for (const auto* language : {"go", "rust", "java", "cpp", "bash", "sh", "javascript"}) {
    EXPECT_FALSE(last_words_of(language, "").has_value()) << language;
    EXPECT_FALSE(last_words_of(language, "its panic: is text\nthread 'x'\n").has_value());
  }
  EXPECT_FALSE(last_words_of("c", "panic: x\n").has_value());
  EXPECT_FALSE(last_words_of("c", "open: No such file or directory\n").has_value());
  EXPECT_FALSE(last_words_of("python", "panic: x\n").has_value());
}

TEST(LastWords, TellWhatTheSystemHasRefused) {
  const auto type = [](std::string_view language, std::string_view text) {
    const auto error = last_words_of(language, text);
    return error ? error->type : ErrorType::BackendError;
  };
  EXPECT_EQ(type("go", "panic: open /etc/x: permission denied\n"), ErrorType::PermissionDenied);
  EXPECT_EQ(type("rust",
                 "thread 'main' panicked at main.rs:2:9:\n"
                 "called `Result::unwrap()` on an `Err` value: Os { code: 30, kind: "
                 "ReadOnlyFilesystem, message: \"Read-only file system\" }\n"),
            ErrorType::PermissionDenied);
  EXPECT_EQ(type("java",
                 "Exception in thread \"main\" java.nio.file.AccessDeniedException: /etc/x\n"),
            ErrorType::PermissionDenied);
  EXPECT_EQ(type("cpp",
                 "terminate called after throwing an instance of "
                 "'std::filesystem::__cxx11::filesystem_error'\n"
                 "  what():  filesystem error: cannot remove: Operation not permitted [/etc]\n"),
            ErrorType::PermissionDenied);
}

// perror(3) at the very end; what was said before, or of others, is none.
TEST(LastWords, AreThatAProgramOfCWasRefusedSomething) {
  for (const char* const language : {"c", "cpp"}) {
    const auto type = [language](std::string_view text, const Exited& exited) {
      const auto error = core::last_words_of(language, exited, text);
      return error ? error->type : ErrorType::BackendError;
    };
    for (const char* const why :
         {"Permission denied", "Operation not permitted", "Read-only file system"}) {
      const std::string line = std::string("/etc/x: ") + why;
      EXPECT_EQ(type(line, exited_with(1)), ErrorType::PermissionDenied);
      EXPECT_EQ(type("begun\n" + line + "\n", exited_with(3)), ErrorType::PermissionDenied);
      EXPECT_EQ(type(line + "\nwent on\n", exited_with(1)), ErrorType::BackendError);
      EXPECT_EQ(type(line + "\n\n", exited_with(1)), ErrorType::BackendError);
      EXPECT_EQ(type(line + "\n", kAborted), ErrorType::BackendError);
      EXPECT_EQ(type(std::string(why) + "\n", exited_with(1)), ErrorType::BackendError);
    }
  }
}

TEST(LastWords, TellThatThereWasNoMemory) {
  const auto go = last_words_of("go", "fatal error: runtime: out of memory\n\nruntime stack:\n");
  ASSERT_TRUE(go);
  EXPECT_EQ(go->type, ErrorType::MemoryError);
  const auto rust =
      core::last_words_of("rust", kAborted, "memory allocation of 8589934592 bytes failed\n");
  ASSERT_TRUE(rust);
  EXPECT_EQ(rust->type, ErrorType::MemoryError);
  EXPECT_FALSE(core::last_words_of("rust", kAborted, "memory allocation of all bytes\n"));
}

TEST(LastWords, HaveNoColours) {
  expect_error("go", "\x1b[31mpanic: \x1b[1mboom\x1b[0m\n", ErrorType::RuntimeError, "boom");
  expect_error("cpp",
               "terminate called after throwing an instance of 'std::runtime_error'\n"
               "  what():  \x1b[31mred\x1b[0m\n",
               ErrorType::RuntimeError, "std::runtime_error: red");
}

// Anybody can say the words.
TEST(LastWords, AreNoneOfWhoHasEndedOtherwise) {
  constexpr std::string_view kHeap = "FATAL ERROR: x JavaScript heap out of memory\n";
  constexpr std::string_view kThrown =
      "terminate called after throwing an instance of 'std::bad_alloc'\n";
  EXPECT_FALSE(core::last_words_of("javascript", exited_with(1), kHeap));
  EXPECT_FALSE(core::last_words_of("cpp", {Exited::How::signal, 11, 0, 0}, kThrown));
  EXPECT_FALSE(core::last_words_of("go", exited_with(1), "panic: x\n"));
  EXPECT_FALSE(core::last_words_of("rust", exited_with(1), "thread 'main' panicked at 'x'\n"));
  EXPECT_FALSE(last_words_of("javascript", "a test saw: JavaScript heap out of memory\n"));
}

TEST(LastWords, AreBounded) {
  const auto error =
      last_words_of("go", "panic: " + std::string(9000, 'x') + "\n" + std::string(100'000, 'y'));
  EXPECT_EQ(error->message.size(), 4096U);
  EXPECT_EQ(error->stack->size(), 64U << 10);
}

}  // namespace
}  // namespace lazaret::core
