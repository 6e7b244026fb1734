#include "core/compile_step.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/core/stage.hpp"

namespace lazaret::core {
namespace {

using namespace test;
using std::chrono::milliseconds;
using testing::Contains;
using testing::HasSubstr;

policy::Spec compiled_spec() {
  policy::Spec spec = spec_of();
  spec.language = "c";
  spec.program.argv = {"/work/main", "x"};
  spec.program.compiler = {"gcc", "main.c"};
  spec.program.compiler_environment = {{"LANG", "en"}, {"CACHE", "/tmp"}};
  spec.program.needs = "gcc";
  return spec;
}

/// Answers the compiler with one function, and the job with an exit.
FakeWire::Runner compiles(std::function<void(FakeWire&)> compiler, std::uint32_t code = 0) {
  return [compiler = std::move(compiler), code](FakeWire& wire, const Heard& frame) {
    if (frame.type == FrameType::compile) compiler(wire);
    if (frame.type != FrameType::job) return;
    wire.say(FrameType::stdout_data, "ran");
    say_exit(wire, code);
  };
}

runner::Job heard_job(const Stage& stage, std::size_t index) {
  return runner::decode_job(bytes_of(stage.script->heard().at(index).payload)).value();
}

TEST(CompileStep, ComesBeforeTheProgramAndIsAPartOfTheResult) {
  Stage stage(compiles([](FakeWire& wire) {
    wire.say(FrameType::stderr_data, "main.c:1: warning: hm\n");
    wire.say(FrameType::value_data, R"({"value":"forged"})");
    say_exit(wire, 0);
  }));
  const ExecutionResult result = stage.run(compiled_spec());
  EXPECT_TRUE(result.success());
  EXPECT_EQ(result.stdout_text, "ran");
  EXPECT_EQ(result.stderr_text, "");
  EXPECT_FALSE(result.value.has_value());
  ASSERT_TRUE(result.compile.has_value());
  EXPECT_EQ(result.compile->exit_code, 0);
  EXPECT_EQ(result.compile->diagnostics, "main.c:1: warning: hm\n");
}

TEST(CompileStep, GetsTheFilesAndAnEnvironmentOfItsOwn) {
  Stage stage(compiles([](FakeWire& wire) { say_exit(wire, 0); }));
  (void)stage.run(compiled_spec());
  const runner::Job compiler = heard_job(stage, 0), program = heard_job(stage, 1);
  EXPECT_EQ(compiler.argv, (std::vector<std::string>{"gcc", "main.c"}));
  EXPECT_EQ(compiler.files.size(), 1U);
  EXPECT_THAT(compiler.environment, Contains("LANG=en"));
  EXPECT_THAT(compiler.environment, Contains("CACHE=/tmp"));
  EXPECT_EQ(compiler.cpu_seconds, 60U);
  EXPECT_EQ(program.argv, (std::vector<std::string>{"/work/main", "x"}));
  EXPECT_TRUE(program.files.empty());
  EXPECT_THAT(program.environment, Contains("LANG=C.UTF-8"));
}

TEST(CompileStep, IsTheEndWhereTheCompilerRefuses) {
  Stage stage(compiles([](FakeWire& wire) {
    wire.say(FrameType::stdout_data, "main.c:3:1: error: no\n");
    say_exit(wire, 2);
  }));
  const ExecutionResult result = stage.run(compiled_spec());
  EXPECT_EQ(result.meta.cause, Cause::compile_failed);
  EXPECT_EQ(result.exit_code, -1);
  EXPECT_EQ(result.stdout_text, "");
  EXPECT_EQ(result.error->type, ErrorType::SyntaxError);
  EXPECT_EQ(result.error->message, "main.c:3:1: error: no");
  EXPECT_EQ(result.compile->exit_code, 2);
  EXPECT_EQ(stage.script->jobs, 0);
  EXPECT_EQ(stage.script->destroyed, 1);
}

TEST(CompileStep, IsTheEndWhereASignalEndsTheCompiler) {
  Stage stage(compiles([](FakeWire& wire) { say_signal(wire, 11); }));
  const ExecutionResult result = stage.run(compiled_spec());
  EXPECT_EQ(result.meta.cause, Cause::compile_failed);
  EXPECT_FALSE(result.meta.signal.has_value());
  EXPECT_EQ(result.compile->signal, 11);
  EXPECT_EQ(result.compile->exit_code, -1);
}

TEST(CompileStep, IsEndedFromOutsideAtItsOwnTimeout) {
  Stage stage(compiles([](FakeWire&) {}));
  policy::Spec spec = compiled_spec();
  spec.limits.compile_timeout = milliseconds(20);
  const ExecutionResult result = stage.run(spec);
  EXPECT_EQ(result.meta.cause, Cause::timeout);
  EXPECT_TRUE(result.timed_out);
  EXPECT_TRUE(result.compile->timed_out);
  EXPECT_THAT(result.error->message, HasSubstr("the compiler was ended after 20 ms"));
  EXPECT_EQ(result.error->hint, "raise --compile-timeout");
  EXPECT_EQ(result.meta.kill->path, "kill");
  EXPECT_EQ(stage.script->killed, 1);
  EXPECT_EQ(stage.script->jobs, 0);
}

TEST(CompileStep, IsEndedWhenNobodyWantsItAnyMore) {
  std::stop_source stop;
  Stage stage(compiles([&stop](FakeWire&) { stop.request_stop(); }));
  stage.request.stop = stop.get_token();
  const ExecutionResult result = stage.run(compiled_spec());
  EXPECT_EQ(result.meta.cause, Cause::cancelled);
  EXPECT_EQ(stage.script->killed, 1);
  EXPECT_EQ(stage.script->jobs, 0);
}

TEST(CompileStep, SaysWhatToInstallWhereThereIsNoCompiler) {
  Stage stage(compiles([](FakeWire& wire) {
    wire.say(FrameType::failed, runner::encode(runner::Failed{"exec", 2}));
  }));
  const ExecutionResult result = stage.run(compiled_spec());
  EXPECT_EQ(result.meta.cause, Cause::start_failed);
  EXPECT_EQ(result.meta.start_errno, 2);
  EXPECT_EQ(result.error->message, "no such program in the box: gcc");
  EXPECT_THAT(*result.error->hint, HasSubstr("install gcc"));
  EXPECT_FALSE(result.compile.has_value());
}

TEST(CompileStep, IsNotBlamedForAProgramThatIsNotThere) {
  Stage stage([](FakeWire& wire, const Heard& frame) {
    if (frame.type == FrameType::compile) say_exit(wire, 0);
    if (frame.type == FrameType::job)
      wire.say(FrameType::failed, runner::encode(runner::Failed{"exec", 2}));
  });
  EXPECT_EQ(stage.run(compiled_spec()).error->message, "no such program in the box: /work/main");
}

// A box that has said a word about its compiler has said none about its program.
TEST(CompileStep, IsNotTakenForTheProgramsStart) {
  Stage stage([](FakeWire& wire, const Heard& frame) {
    if (frame.type == FrameType::compile) say_exit(wire, 0);
  });
  policy::Spec spec = compiled_spec();
  spec.limits.timeout = milliseconds(1);
  spec.limits.grace = milliseconds(1);
  EXPECT_THAT(stage.run(spec).meta.warnings,
              Contains("the box never said that it had started the program"));
}

TEST(CompileStep, IsNamedWhereTheKernelEndedItForMemory) {
  Stage stage(compiles([](FakeWire& wire) { say_exit(wire, 1); }));
  stage.script->autopsy.usage.memory_kills = true;
  const ExecutionResult result = stage.run(compiled_spec());
  EXPECT_EQ(result.meta.cause, Cause::memory_limit);
  EXPECT_THAT(result.error->message, HasSubstr("the compiler used more than"));
}

TEST(CompileStep, KeepsTheHeadAndTheTailOfEndlessDiagnostics) {
  const std::string part(60UL << 10, 'x');
  Stage stage(compiles([&part](FakeWire& wire) {
    wire.say(FrameType::stderr_data, part);
    wire.say(FrameType::stderr_data, part);
    say_exit(wire, 1);
  }));
  const ExecutionResult result = stage.run(compiled_spec());
  EXPECT_TRUE(result.compile->truncated);
  EXPECT_LT(result.compile->diagnostics.size(), 66UL << 10);
  EXPECT_FALSE(result.truncated);
}

}  // namespace
}  // namespace lazaret::core
