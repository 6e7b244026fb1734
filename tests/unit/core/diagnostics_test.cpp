#include "core/diagnostics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lazaret::core {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Compilation refused(std::string diagnostics) {
  Compilation compile;
  compile.exit_code = 1;
  compile.diagnostics = std::move(diagnostics);
  return compile;
}

std::string message_of(std::string diagnostics) {
  const ResultError error = compile_error(refused(std::move(diagnostics)));
  EXPECT_EQ(error.type, ErrorType::SyntaxError);
  return error.message;
}

TEST(CompileError, IsTheFirstComplaintAboutTheUsersFile) {
  EXPECT_EQ(message_of("main.c: In function 'main':\nmain.c:3:2: warning: unused\n"
                       "main.c:4:3: error: expected ';'\nmain.c:9:1: error: other\n"),
            "main.c:4:3: error: expected ';'");
  EXPECT_EQ(message_of("# command-line-arguments\n./main.go:4:3: undefined: x\n"),
            "./main.go:4:3: undefined: x");
  EXPECT_EQ(message_of("Tree.java:2: error: incompatible types\n int f;\n"),
            "Tree.java:2: error: incompatible types");
}

TEST(CompileError, PutsThePlaceBeforeWhatRustSays) {
  EXPECT_EQ(message_of("warning: unused variable\n --> main.rs:1:1\n\n"
                       "error[E0308]: mismatched types\n --> main.rs:3:16\n  |\n"),
            "main.rs:3:16: error[E0308]: mismatched types");
}

TEST(CompileError, NamesTheLine) {
  EXPECT_EQ(compile_error(refused("main.c:4:3: error: expected ';'\n")).line, 4U);
  EXPECT_EQ(compile_error(refused("./main.go:4:3: undefined: x\n")).line, 4U);
  EXPECT_EQ(compile_error(refused("error[E0308]: mismatched\n --> main.rs:4:16\n")).line, 4U);
  EXPECT_EQ(compile_error(refused("/usr/bin/ld:4: undefined\n")).line, std::nullopt);
}

TEST(CompileError, IsWhatTheLinkerMisses) {
  const ResultError error =
      compile_error(refused("/usr/bin/ld: main.o: in function `main':\n"
                            "main.c:(.text.startup+0x15): undefined reference to `area'\n"));
  EXPECT_EQ(error.message, "main.c:(.text.startup+0x15): undefined reference to `area'");
  EXPECT_EQ(error.line, std::nullopt);
}

TEST(CompilerNames, AreTheSameEachTime) {
  EXPECT_EQ(with_settled_names("/usr/bin/ld: /tmp/ccuC2KZK.o: in function `main':\n"),
            "/usr/bin/ld: main.o: in function `main':\n");
  EXPECT_EQ(with_settled_names("/tmp/ccAAAAAA.o(/work/ccBBBBBB.o)"), "main.o(main.o)");
  for (const char* const other :
       {"", "/cc", "/tmp/ccuC2KZ.o", "/tmp/ccuC2KZKK.o", "/tmp/ccuC2K/K.o", "/tmp/ccuC2KZK.s",
        "/tmp/ccuC2KZK", "accuC2KZK.o"})
    EXPECT_EQ(with_settled_names(other), other);
}

TEST(CompileError, BlamesNoHeader) {
  EXPECT_EQ(message_of("In file included from /usr/include/c++/12/vector:64,\n"
                       "                 from main.cpp:1:\n"
                       "/usr/include/c++/12/bits/stl.h:90:2: error: no match\n"
                       "main.cpp:7:5:   required from here\nmain.cpp:9:1: error: mine\n"),
            "main.cpp:9:1: error: mine");
}

TEST(CompileError, IsAllThatWasSaidWhereNoLineIsNamed) {
  EXPECT_THAT(message_of("/usr/bin/ld: undefined reference to `main'\n"), HasSubstr("main'"));
  EXPECT_THAT(message_of(""), StartsWith("the compiler refused"));
}

TEST(CompileError, IsBounded) {
  EXPECT_EQ(message_of("main.c:1:1: " + std::string(70'000, 'x')).size(), 4096U);
}

TEST(CompileError, NamesTheSignalThatEndedTheCompiler) {
  Compilation compile = refused("main.c:1:1: error: half a\n");
  compile.exit_code = -1;
  compile.signal = 11;
  EXPECT_EQ(compile_error(compile).type, ErrorType::RuntimeError);
  EXPECT_EQ(compile_error(compile).message, "the compiler was ended by SIGSEGV");
}

}  // namespace
}  // namespace lazaret::core
