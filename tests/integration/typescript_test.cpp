#include <cerrno>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"

// What holds for Deno beside what its corpus shows: the wall of its own that stands behind the
// box's. Each program would get something, or another error, without the flag that refuses it.
namespace lazaret::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class TypescriptOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    if (is_required("typescript")) return;
    const Json first = run("return 1");
    const Json& meta = first["meta"];
    if (meta["cause"] == "image_missing" || meta.value("start_errno", 0) == ENOENT)
      LAZARET_SKIP_OR_FAIL("typescript", first["error"].dump());
  }
  static Json run(const std::string& code,
                  const std::function<void(ExecutionRequest&)>& change = {}) {
    ExecutionRequest request = code_request("typescript", code);
    if (change) change(request);
    return run_on(GetParam(), request);
  }
  /// The wall's own words, and neither the kernel's nor a value: of the first for the program that
  /// does it, and of all for one that goes on.
  static void expect_refused(const std::string& right, const std::vector<std::string>& all) {
    const Json result = run(all.front());
    ASSERT_TRUE(result.contains("error")) << result;
    EXPECT_EQ(result["error"]["type"], "PermissionDenied") << result;
    EXPECT_EQ(result["error"].value("name", ""), "NotCapable") << result;
    EXPECT_FALSE(result.contains("value"));
    std::string code = "const said: unknown[] = [];\n";
    for (const std::string& one : all)
      code += "try { said.push(await (async () => { " + one +
              " })()); } catch (error) { said.push(error.name + ': ' + error.message); }\n";
    const Json value = run(code + "return said;").value("value", Json());
    ASSERT_EQ(value.size(), all.size()) << value;
    for (std::size_t at = 0; at < all.size(); ++at)
      EXPECT_THAT(value[at].dump(),
                  AllOf(HasSubstr("NotCapable: "), HasSubstr("Requires " + right + " access")))
          << all[at];
  }
};

INSTANTIATE_TEST_SUITE_P(EachBackend, TypescriptOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(TypescriptOn, MayNotUseTheNetwork_D32) {
  expect_refused("net", {"return (await fetch('http://127.0.0.1:8080/')).status",
                         "Deno.listen({ port: 0 })", "await Deno.connect({ port: 8080 })",
                         "const { connect } = await import('node:net');"
                         "await new Promise((good, bad) =>"
                         " connect(1, '127.0.0.1').on('error', bad).on('connect', good))"});
}

// Scratch and all: what it has to say it says by its value and its output.
TEST_P(TypescriptOn, MayNotWrite_D31) {
  expect_refused("write", {"Deno.writeTextFileSync('/tmp/test.txt', 'x')",
                           "Deno.mkdirSync('/work/out')",
                           "(await import('node:fs')).appendFileSync('main.ts', 'x')",
                           "await Deno.open('/dev/fd/3', { write: true })"});
}

TEST_P(TypescriptOn, MayReadNothingButItsOwnFiles_D30_D33) {
  expect_refused("read", {"return Deno.readTextFileSync('/etc/passwd')",
                          "return [...Deno.readDirSync('/usr')].length",
                          "(await import('node:fs')).readFileSync('/proc/self/status')"});
  const Json own =
      run("return [Deno.readTextFileSync('data.txt'), Deno.statSync('/mnt').isDirectory]",
          [](ExecutionRequest& request) {
            request.inputs = {{"data.txt", "mine", {}, false}};
          });
  EXPECT_EQ(own["value"], Json::parse(R"(["mine", true])")) << own;
}

TEST_P(TypescriptOn, MayStartNoProgram) {
  expect_refused("run", {"return new Deno.Command('/bin/true').outputSync().code",
                         "Deno.kill(1, 'SIGKILL')"});
}

TEST_P(TypescriptOn, MayCallNoForeignLibrary) {
  expect_refused("ffi", {"Deno.dlopen('libc.so.6', {})"});
}

TEST_P(TypescriptOn, MayReadTheVariablesThatItWasGivenAlone_D39) {
  expect_refused("env", {"return Deno.env.get('DENO_DIR')", "return Deno.env.toObject()",
                         "Deno.env.set('NO_COLOR', '')"});
  const Json given =
      run("return [Deno.env.get('MINE'), Deno.env.get('HOME')]", [](ExecutionRequest& request) {
        request.environment = {{"MINE", "yes"}};
      });
  EXPECT_EQ(given["value"], Json::parse(R"(["yes", "/work"])")) << given;
}

TEST_P(TypescriptOn, MayNotLookAtTheSystem) {
  expect_refused("sys", {"return Deno.hostname()", "return Deno.networkInterfaces()"});
}

TEST_P(TypescriptOn, ImportsNothingFromElsewhere) {
  const std::pair<const char*, const char*> kNames[] = {
      {"import 'http://127.0.0.1:1/x.ts'", "import access"},
      {"import 'jsr:@std/assert'", "--no-remote"},
      {"import 'npm:chalk'", "--no-npm"},
      {"await import('npm:chalk')", "--no-npm"},
      {"await import('http://127.0.0.1:1/x.ts')", "import access"},
  };
  for (const auto& [code, words] : kNames) {
    const Json result = run(code);
    ASSERT_TRUE(result.contains("error")) << code << result;
    EXPECT_THAT(result["error"]["message"].get<std::string>(), HasSubstr(words)) << code;
    EXPECT_NE(result["exit_code"], 0) << code;
  }
}

TEST_P(TypescriptOn, HearsNoConfigurationBesideTheProgram) {
  const Json result =
      run("import { x } from 'mapped';\nconsole.log(x);", [](ExecutionRequest& request) {
        request.inputs = {{"deno.json", R"({"imports":{"mapped":"./mapped.ts"}})", {}, false},
                          {"mapped.ts", "export const x = 1;", {}, false}};
      });
  EXPECT_EQ(result["stdout"], "") << result;
  EXPECT_THAT(result["error"]["message"].get<std::string>(), HasSubstr("mapped"));
}

// Nobody is asked, and nothing that was given up comes back.
TEST_P(TypescriptOn, GetsNoMoreByAsking) {
  const Json result = run(R"(
    const names = ["net", "write", "run", "ffi", "sys", "env", "import"] as const;
    const states = names.map((name) => Deno.permissions.requestSync({ name }).state);
    return { given: names.filter((_, at) => states[at] === "granted"),
             channel: Deno.permissions.requestSync({ name: "write", path: "/dev/fd/3" }).state };)",
                          [](ExecutionRequest& request) { request.stdin_data = "A\nA\nA\n"; });
  EXPECT_EQ(result["value"]["given"], Json::array()) << result;
  EXPECT_NE(result["value"]["channel"], "granted") << result;
}

// Another file of its own, as typescript; one that is data.
TEST_P(TypescriptOn, ImportsFilesBesideIt) {
  const Json result =
      run("import { twice } from './deep/twice.ts';\n"
          "import data from './data.json' with { type: 'json' };\n"
          "const { Late } = await import('./late.ts');\n"
          "return [twice(data.n), new Late(3).n];",
          [](ExecutionRequest& request) {
            request.inputs = {
                {"deep/twice.ts", "export const twice = (n: number): number => n * 2;", {}, false},
                {"data.json", R"({"n": 21})", {}, false},
                {"late.ts", "export class Late { constructor(readonly n: number) {} }", {}, false}};
          });
  EXPECT_EQ(result["value"], Json::parse("[42, 3]")) << result;
}

TEST_P(TypescriptOn, TellsItsFullHeapFromTheBoxesLimit) {
  const Json result =
      run("const all: unknown[] = [];\nfor (;;) all.push(new Array(100_000).fill({}));",
          [](ExecutionRequest& request) { request.limits.memory_bytes = 384 << 20; });
  EXPECT_EQ(result["error"]["type"], "MemoryError") << result;
  EXPECT_EQ(result["meta"]["cause"], "signalled");
  EXPECT_THAT(result["error"]["message"].get<std::string>(), HasSubstr("heap"));
}

TEST_P(TypescriptOn, AnswersForWhateverIsThrown) {
  const Json value = run("return { toJSON() { throw Symbol('q'); } }");
  EXPECT_EQ(value["error"]["type"], "SerializationError") << value;
  EXPECT_EQ(value["error"]["message"], "value: Uncaught Symbol(q)");
  EXPECT_EQ(value["exit_code"], 0);
  EXPECT_EQ(run("throw null")["error"]["message"], "Uncaught null");
}

TEST_P(TypescriptOn, ShowsNoColours) {
  const Json result = run("throw new Error('\\x1b[31mred\\x1b[0m and plain')");
  EXPECT_EQ(result["error"]["message"], "Error: red and plain") << result;
  EXPECT_THAT(result["error"]["stack"].get<std::string>(), Not(HasSubstr("\x1b")));
  EXPECT_THAT(run("null!.x")["stderr"].get<std::string>(), Not(HasSubstr("\x1b")));
}

TEST_P(TypescriptOn, FixesItsRandomNumbersWhereAsked) {
  const auto draw = [](bool is_fixed) {
    return run("return [Math.random(), Math.random()]",
               [is_fixed](ExecutionRequest& request) { request.deterministic = is_fixed; });
  };
  const Json first = draw(true);
  EXPECT_EQ(first["value"], draw(true)["value"]);
  EXPECT_EQ(first["meta"]["fixed"], Json::parse(R"(["time_zone", "locale", "random_seed"])"));
  EXPECT_NE(draw(false)["value"], draw(false)["value"]);
}

TEST_P(TypescriptOn, RunsJavascriptByDenosName) {
  ExecutionRequest request = code_request("deno", "return typeof Deno.version.deno;");
  EXPECT_EQ(run_on(GetParam(), request)["value"], "string");
}

TEST(TypescriptFiles, AreRunByTheirName) {
  Folder folder;
  const std::string path = folder.write("program.ts", "const n: number = 4;\nconsole.log(n);\n");
  const Ended ended = lazaret({"run", path});
  if (ended.status == 127) LAZARET_SKIP_OR_FAIL("typescript", ended.err);
  EXPECT_EQ(ended.out, "4\n") << ended.err;
}

}  // namespace
}  // namespace lazaret::test
