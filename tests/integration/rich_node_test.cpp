#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/rich_bed.hpp"

// What cells of javascript show.
namespace lazaret::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

class NodeRichOn : public RichOn {
 protected:
  void SetUp() override {
    RichOn::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (run("1").meta.start_errno == 2) LAZARET_SKIP_OR_FAIL("javascript", "no node");
  }
  [[nodiscard]] std::string language() const override { return "javascript"; }
};

TEST_P(NodeRichOn, IsEachFormOfALastExpression) {
  EXPECT_THAT(
      shown_by("const shown = { [Symbol.for('Jupyter.display')]() { return {\n"
               "  'image/png': Buffer.from([0, 255]), 'text/html': '<b>\\u00e4',\n"
               "  'application/json': {z: [1, null]}, 'x/unknown': 'x' }; } }; shown"),
      ElementsAre(Pair("application/json", R"({"z":[1,null]})"),
                  Pair("image/png", std::string("\0\xFF", 2)), Pair("text/html", "<b>\xC3\xA4"),
                  Pair("text/plain", HasSubstr("Symbol(Jupyter.display)"))));
  EXPECT_THAT(shown_by("({ async [Symbol.for('Jupyter.display')]() {\n"
                       "  await new Promise((done) => setTimeout(done, 20));\n"
                       "  return {'text/html': 'late'}; } })"),
              testing::Contains(Pair("text/html", "late")));
  EXPECT_THAT(shown_by("HTML('<i>')"),
              ElementsAre(Pair("text/html", "<i>"), Pair("text/plain", "<HTML>")));
  EXPECT_THAT(run("1").rich, IsEmpty());
}

TEST_P(NodeRichOn, IsWhatIsDisplayedInItsOrder) {
  ExecutionResult result =
      run("display(1); display('two'); display({'text/markdown': '*'}, {raw: true}); 7");
  EXPECT_EQ(result.value, "7");
  ASSERT_EQ(result.rich.size(), 3U) << to_json(result);
  EXPECT_THAT(result.rich[0].data, ElementsAre(Pair("text/plain", "1")));
  EXPECT_THAT(result.rich[1].data, ElementsAre(Pair("text/plain", "'two'")));
  EXPECT_THAT(result.rich[2].data, ElementsAre(Pair("text/markdown", "*")));
  result = run("display(1); new Map()");
  EXPECT_FALSE(result.error || result.value);
  EXPECT_EQ(result.rich[1].data.at("text/plain"), "Map(0) {}");
  EXPECT_EQ(run("new Map()").error->type, ErrorType::SerializationError);
  EXPECT_EQ(run("for (let n = 0; n < 10000; n++) display(n)").rich.size(), 100U);
}

TEST_P(NodeRichOn, IsWithoutTheFormsThatCannotBe) {
  const ExecutionResult result =
      run("display({'application/json': [NaN], 'text/html': '\\ud800', 'text/latex': 5,\n"
          "  'text/\\x1b[31m': {}, 'text/markdown': '*'}, {raw: true}); 1");
  ASSERT_EQ(result.rich.size(), 1U) << to_json(result);
  EXPECT_THAT(result.rich[0].data, ElementsAre(Pair("text/markdown", "*")));
  EXPECT_THAT(result.stderr_text, HasSubstr("not shown: \"text/latex\": neither text nor bytes"));
  EXPECT_THAT(result.stderr_text, testing::Not(HasSubstr("\x1b")));
  const ExecutionResult raised =
      run("display({ [Symbol.for('Jupyter.display')]() { throw new TypeError('no'); } }); 2");
  EXPECT_EQ(raised.value, "2");
  EXPECT_THAT(raised.stderr_text, HasSubstr("TypeError: no"));
  EXPECT_EQ(run("const r = { [Symbol.for('Jupyter.display')]() { display(r); } }; r").error->name,
            "RangeError");
}

TEST_P(NodeRichOn, IsTextWhereItsBytesAre) {
  const ExecutionResult result =
      run("display({'image/svg+xml': Buffer.from('<svg/>'), 'text/html': Buffer.from('\u0436'),\n"
          "  'image/png': new Uint8Array([0, 255]), 'image/gif': 'AAE=\\n '}, {raw: true}); 1");
  ASSERT_EQ(result.rich.size(), 1U) << to_json(result);
  EXPECT_THAT(result.rich[0].data,
              ElementsAre(Pair("image/gif", std::string("\0\1", 2)),
                          Pair("image/png", std::string("\0\xFF", 2)),
                          Pair("image/svg+xml", "<svg/>"), Pair("text/html", "\xD0\xB6")));
}

// Nobody answers for what says that it has any method, nor for what raises once it is asked.
TEST_P(NodeRichOn, EndsItsCellWhateverAThingDoes) {
  const auto error = [this](const std::string& code) {
    const ExecutionResult result = run(code);
    EXPECT_FALSE(result.timed_out) << code;
    if (!result.error) return std::string();
    return std::string(name_of(result.error->type)) + ": " + result.error->message;
  };
  const std::string method = "Symbol.for('Jupyter.display')";
  EXPECT_THAT(error("const api = new Proxy(() => {}, {get: () => api, apply: () => api}); api"),
              HasSubstr("SerializationError: value: function"));
  EXPECT_EQ(error("({ [" + method + "]: () => ({ then() {} }) })"), "");
  EXPECT_THAT(error("({ async [" + method +
                    "]() {\n"
                    "  return { get 'text/html'() { throw new Error('got'); } }; } })"),
              HasSubstr("RuntimeError: Error: got"));
  EXPECT_THAT(error("({ async [" + method +
                    "]() { return {'text/html': 'a'}; },\n"
                    "  toJSON() { throw Symbol('q'); } })"),
              HasSubstr("SerializationError: value: Uncaught Symbol(q)"));
  EXPECT_EQ(error("1"), "");
}

TEST_P(NodeRichOn, OfOneCellIsNoneOfTheNext) {
  (void)run(
      "const fs = require('fs'); const timer = setInterval(() => {\n"
      "  if (!fs.existsSync('go')) return;\n"
      "  clearInterval(timer); display('late');\n"
      "  fs.writeSync(3, '{\"rich\":{\"data\":{\"text/html\":\"late\"}}}\\n{\"value\":1}');\n"
      "  fs.writeFileSync('gone', ''); }, 10)");
  EXPECT_EQ(
      session_->execute(code_request("sh", "touch go; until [ -e gone ]; do :; done")).exit_code,
      0);
  const ExecutionResult next = run("undefined");
  EXPECT_THAT(next.rich, IsEmpty()) << to_json(next);
  EXPECT_FALSE(next.value.has_value());
}

INSTANTIATE_TEST_SUITE_P(EachBackend, NodeRichOn, testing::Values("native", "docker", "podman"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace lazaret::test
