#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>

#include "integration/runtimes.hpp"
#include "integration/support.hpp"

// Each structured error of each language, wherever it has a runtime.
namespace lazaret::test {
namespace {

using testing::AnyOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

// Programs that end so. Empty: the language has no such end of its own.
struct Endings {
  const char* language;
  const char* does_not_parse;
  const char* raises;
  const char* raised;  // what the language calls it; empty: it has no name for it
  int raised_in;       // line; 0: nobody says
  const char* is_denied;
  const char* spins;
  const char* fills;
  const char* kills_itself;
  int by;  // signal
};

constexpr Endings kEndings[] = {
    {"python", "total = 1\nprint((total\n",
     "def divide(a, b):\n    return a / b\n\ndivide(1, 0)\n", "ZeroDivisionError", 2,
     "open('/etc/lazaret', 'w')", "while True:\n    pass\n",
     "kept = []\nwhile True:\n    kept.append(b'x' * (len(kept) + (1 << 20)))\n",
     "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n", 11},
    {"javascript", "const total = 1;\nconst = 2;\n",
     "const first = (rows) => {\n  return rows[0].name;\n};\nfirst([]);\n", "TypeError", 2,
     "require('fs').writeFileSync('/etc/lazaret', 'x');\n", "for (;;) {}\n",
     "const kept = [];\nfor (;;) kept.push(new Array(1 << 16).fill(kept.length + 0.5));\n",
     "process.kill(process.pid, 'SIGSEGV');\nsetTimeout(() => {}, 60000);\n", 11},
    {"typescript", "const total: number = 1;\nconst = 2;\n",
     "const first = (rows: { name: string }[]) => {\n  return rows[0].name;\n};\nfirst([]);\n",
     "TypeError", 2, "await Deno.writeTextFile('/etc/lazaret', 'x');\n", "for (;;) {}\n",
     "const kept: number[][] = [];\n"
     "for (;;) kept.push(new Array(1 << 16).fill(kept.length + 0.5));\n",
     "", 0},
    {"bash", "echo begun\nif true; then\n", "echo begun\nno_such_command_here\n", "", 2,
     "echo x > /etc/lazaret\n", "while :; do :; done\n",
     "kept=x\nwhile :; do kept=$kept$kept; done\n", "kill -SEGV $$\n", 11},
    {"sh", "echo begun\nif true; then\n", "echo begun\nno_such_command_here\n", "", 2,
     "echo x > /etc/lazaret\n", "while :; do :; done\n",
     "kept=x\nwhile :; do kept=$kept$kept; done\n", "kill -SEGV $$\n", 11},
    {"c", "int main(void) {\n  return 0\n}\n", "", "", 0,
     "#include <stdio.h>\n"
     "int main(void) {\n"
     "  if (fopen(\"/etc/lazaret\", \"w\")) return 0;\n"
     "  perror(\"/etc/lazaret\");\n  return 1;\n}\n",
     "int main(void) { for (volatile int turns = 0;;) turns = 1; }\n",
     "#include <stdlib.h>\n#include <string.h>\n"
     "int main(void) {\n"
     "  for (char* kept; (kept = malloc(1 << 20));) memset(kept, 1, 1 << 20);\n"
     "  return 7;\n}\n",
     "#include <signal.h>\nint main(void) { return raise(SIGSEGV); }\n", 11},
    {"cpp", "int main() {\n  return 0\n}\n",
     "#include <string>\nint main() { return std::string(\"a\").at(7); }\n", "std::out_of_range", 0,
     "#include <filesystem>\n"
     "int main() { std::filesystem::create_directory(\"/etc/lazaret\"); }\n",
     "int main() { for (volatile int turns = 0;;) turns = 1; }\n",
     "#include <string>\n#include <vector>\n"
     "int main() {\n"
     "  std::vector<std::string> kept;\n"
     "  for (;;) kept.push_back(std::string(1 << 20, 'x'));\n}\n",
     "#include <csignal>\nint main() { return std::raise(SIGSEGV); }\n", 11},
    {"go", "package main\n\nfunc main() {\n\ttotal :=\n}\n",
     "package main\n\nfunc main() {\n\tvar rows []int\n\tprintln(rows[len(rows)])\n}\n", "", 5,
     "package main\n\nimport \"os\"\n\nfunc main() {\n"
     "\terr := os.WriteFile(\"/etc/lazaret\", nil, 0600)\n"
     "\tif err != nil {\n\t\tpanic(err)\n\t}\n}\n",
     "package main\n\nfunc main() {\n\tfor {\n\t}\n}\n",
     "package main\n\nfunc main() {\n\tvar kept [][]byte\n\tfor {\n"
     "\t\tpage := make([]byte, 1<<20)\n"
     "\t\tfor place := range page {\n\t\t\tpage[place] = 1\n\t\t}\n"
     "\t\tkept = append(kept, page)\n\t}\n}\n",
     "package main\n\nimport \"syscall\"\n\nfunc main() {\n"
     "\tsyscall.Kill(syscall.Getpid(), syscall.SIGKILL)\n\tselect {}\n}\n",
     9},
    {"rust", "fn main() {\n    let total = ;\n}\n",
     "fn main() {\n    let rows: Vec<i32> = Vec::new();\n"
     "    println!(\"{}\", rows[rows.len()]);\n}\n",
     "", 3,
     "fn main() {\n    if let Err(error) = std::fs::write(\"/etc/lazaret\", \"x\") {\n"
     "        panic!(\"/etc/lazaret: {}\", error);\n    }\n}\n",
     "fn main() {\n    let turns = 0;\n"
     "    loop {\n        unsafe { std::ptr::read_volatile(&turns) };\n    }\n}\n",
     "fn main() {\n    let mut kept: Vec<Vec<u8>> = Vec::new();\n"
     "    loop {\n        kept.push(vec![1u8; 1 << 20]);\n    }\n}\n",
     "fn main() {\n    std::process::abort();\n}\n", 6},
    {"java", "class Main {\n  static int total = ;\n}\n",
     "class Main {\n  static int half(int[] rows) { return rows[rows.length]; }\n"
     "  public static void main(String[] words) { half(new int[0]); }\n}\n",
     "java.lang.ArrayIndexOutOfBoundsException", 2,
     "import java.nio.file.*;\nclass Main {\n"
     "  public static void main(String[] words) throws Exception {\n"
     "    Files.writeString(Path.of(\"/etc/lazaret\"), \"x\");\n  }\n}\n",
     "class Main {\n  public static void main(String[] words) { for (;;) {} }\n}\n",
     "import java.util.*;\nclass Main {\n  public static void main(String[] words) {\n"
     "    List<byte[]> kept = new ArrayList<>();\n"
     "    for (;;) kept.add(new byte[1 << 20]);\n  }\n}\n",
     "class Main {\n  public static void main(String[] words) throws Exception {\n"
     "    new ProcessBuilder(\"sh\", \"-c\", \"kill -KILL $PPID\").start();\n"
     "    Thread.sleep(60000);\n  }\n}\n",
     9},
};

std::ostream& operator<<(std::ostream& out, const Endings& endings) {
  return out << endings.language;
}

using Place = std::tuple<const char*, Endings>;

class ErrorsOn : public testing::TestWithParam<Place> {
 protected:
  void SetUp() override {
    const char* const backend = std::get<0>(GetParam());
    if (!options_for(backend)) LAZARET_SKIP_OR_FAIL(backend, "no endpoint is given");
  }
  static const Endings& endings() { return std::get<1>(GetParam()); }
  static ExecutionRequest request(const char* code) {
    ExecutionRequest made = code_request(endings().language, code);
    made.limits.compile_timeout = std::chrono::minutes(4);
    return made;
  }
  static std::optional<Json> result_of(const ExecutionRequest& request) {
    return result_on(std::get<0>(GetParam()), request);
  }
};

// Skips what the language or the backend does not have, and leaves what became of the program.
#define LAZARET_ENDED(result, made)                                    \
  if ((made).code.empty()) GTEST_SKIP() << "no such error in it";      \
  const std::optional<Json> found = result_of(made);                   \
  if (!found) GTEST_SKIP() << "no " << endings().language << " there"; \
  const Json& result = *found;                                         \
  SCOPED_TRACE(result.dump().substr(0, 4000))

TEST_P(ErrorsOn, CallASyntaxErrorWhatDoesNotParse) {
  LAZARET_ENDED(result, request(endings().does_not_parse));
  ASSERT_TRUE(result.contains("error"));
  EXPECT_EQ(result["error"]["type"], "SyntaxError");
  EXPECT_GE(result["error"].value("line", 0), 1);
  EXPECT_THAT(result["error"]["message"].get<std::string>(), Not(HasSubstr("\x1b")));
}

TEST_P(ErrorsOn, NameWhatIsRaisedAndItsLineInTheProgramsOwnFile) {
  LAZARET_ENDED(result, request(endings().raises));
  ASSERT_TRUE(result.contains("error"));
  const Json& error = result["error"];
  EXPECT_EQ(error["type"], "RuntimeError");
  EXPECT_EQ(error.value("name", ""), endings().raised);
  EXPECT_EQ(error.value("line", 0), endings().raised_in);
  const std::set<std::string> with_stack = {"python", "javascript", "typescript", "go", "java"};
  EXPECT_EQ(error.contains("stack"), with_stack.contains(endings().language));
  if (error.contains("stack")) {
    EXPECT_THAT(error["stack"].get<std::string>(), ContainsRegex("[Mm]ain\\.[a-z]+"));
  }
  for (const char* const ours : {"python_run", "<string>", "node:vm", "[eval]", "data:", "lazaret"})
    EXPECT_THAT(error.value("stack", ""), Not(HasSubstr(ours)));
}

TEST_P(ErrorsOn, TellWhatTheSystemHasRefused) {
  LAZARET_ENDED(result, request(endings().is_denied));
  ASSERT_TRUE(result.contains("error"));
  EXPECT_EQ(result["error"]["type"], "PermissionDenied");
  EXPECT_THAT(result["error"]["message"].get<std::string>(), HasSubstr("/etc/lazaret"));
}

TEST_P(ErrorsOn, EndWhatGoesOnAfterItsTime) {
  ExecutionRequest made = request(endings().spins);
  made.limits.timeout = std::chrono::milliseconds(400);
  made.limits.grace = std::chrono::milliseconds(100);
  LAZARET_ENDED(result, made);
  ASSERT_TRUE(result.contains("error"));
  EXPECT_EQ(result["error"]["type"], "TimeoutError");
  EXPECT_EQ(result["meta"]["cause"], "timeout");
  EXPECT_EQ(result["timed_out"], true);
  const int by_itself = endings().language == std::string("java") ? 143 : -1;  // hears TERM
  EXPECT_THAT(result["exit_code"].get<int>(), AnyOf(-1, by_itself));
  EXPECT_EQ(result["meta"]["kill"]["survivors"], 0);
}

// The limit of the box by the kernel's counter; the heap of the runtime, or memory that the program
// was not given, without. C says nothing of that itself, and dash crashes.
TEST_P(ErrorsOn, TellAFullHeapFromTheLimitOfTheBox) {
  ExecutionRequest made = request(endings().fills);
  made.limits.memory_bytes = 512 << 20;  // compilers live in the box too
  LAZARET_ENDED(result, made);
  const bool is_box = result["meta"]["cause"] == "memory_limit";
  EXPECT_EQ(result["meta"]["usage"].contains("memory_kills"), is_box);
  const std::string language = endings().language;
  // An engine bounds the box; these have no heap that would be full before.
  const std::set<std::string> unbounded = {"python", "c", "cpp", "rust"};
  if (std::get<0>(GetParam()) != std::string("native") && unbounded.contains(language)) {
    EXPECT_TRUE(is_box);
  }
  if (!is_box && language == "c") {
    EXPECT_EQ(result["exit_code"], 7);
  }
  if (!is_box && (language == "c" || language == "sh")) return;
  ASSERT_TRUE(result.contains("error"));
  EXPECT_EQ(result["error"]["type"], "MemoryError");
}

TEST_P(ErrorsOn, DescribeTheSignalOfACrash) {
  LAZARET_ENDED(result, request(endings().kills_itself));
  ASSERT_TRUE(result.contains("error"));
  EXPECT_EQ(result["meta"]["cause"], "signalled");
  EXPECT_EQ(result["meta"]["signal"], endings().by);
  EXPECT_EQ(result["exit_code"], -1);
  EXPECT_EQ(result["error"]["type"], "RuntimeError");
  EXPECT_THAT(result["error"]["message"].get<std::string>(), HasSubstr("ended by SIG"));
}

INSTANTIATE_TEST_SUITE_P(EachBackend, ErrorsOn,
                         testing::Combine(testing::ValuesIn(kBackends),
                                          testing::ValuesIn(kEndings)),
                         [](const auto& given) {
                           return std::string(std::get<0>(given.param)) + "_" +
                                  std::get<1>(given.param).language;
                         });

}  // namespace
}  // namespace lazaret::test
