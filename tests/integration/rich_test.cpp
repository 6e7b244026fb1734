#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/rich_bed.hpp"

// What cells of python show, as notebooks show it.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::StartsWith;

constexpr const char* kLeftOut = "; at most 100 are kept, 8 MiB in all, 4 MiB of one";

TEST_P(RichOn, IsEachFormOfALastExpression) {
  const std::string shown =
      "class Shown:\n"
      "  def __repr__(self): return 'shown'\n"
      "  def _repr_png_(self): return b'\\x89PNG\\0', {'width': 7}\n"
      "  def _repr_jpeg_(self): return None\n"
      "  def _repr_svg_(self): return '<svg/>'\n"
      "  def _repr_html_(self): return '<b>\\u00e4</b>'\n"
      "  def _repr_markdown_(self): return '*m*'\n"
      "  def _repr_latex_(self): return '$x$', {}\n"
      "  def _repr_json_(self): return {'z': [1, None], 'a': 'b'}\n";
  EXPECT_THAT(
      shown_by(shown + "Shown()"),
      ElementsAre(Pair("application/json", R"({"z":[1,null],"a":"b"})"),
                  Pair("image/png", std::string("\x89PNG\0", 5)), Pair("image/svg+xml", "<svg/>"),
                  Pair("text/html", "<b>\xC3\xA4</b>"), Pair("text/latex", "$x$"),
                  Pair("text/markdown", "*m*"), Pair("text/plain", "shown")));
  EXPECT_FALSE(run("Shown()").value.has_value());
  EXPECT_EQ(run("Shown").error->type, ErrorType::SerializationError) << "a class shows nothing";
  const ExecutionResult both =
      run("class Page(str):\n  def _repr_html_(self): return '<p>'\n"
          "Page('text')");
  EXPECT_EQ(both.value, "\"text\"");
  EXPECT_EQ(both.rich.size(), 1U);
}

TEST_P(RichOn, IsOfTheBundleBeforeTheMethods) {
  EXPECT_THAT(
      shown_by("class Shown:\n"
               "  def __repr__(self): return ''\n"
               "  def _repr_mimebundle_(self, include=None, exclude=None):\n"
               "    return {'text/html': 'bundle', 'image/png': 'AAE=\\n', 'x/unknown': 1}, {}\n"
               "  def _repr_html_(self): return 'method'\n"
               "  def _repr_latex_(self): return '$y$'\n"
               "Shown()"),
      ElementsAre(Pair("image/png", std::string("\0\1", 2)), Pair("text/html", "bundle"),
                  Pair("text/latex", "$y$"), Pair("text/plain", "")));
}

TEST_P(RichOn, IsWhatIsDisplayedInItsOrder) {
  const ExecutionResult result =
      run("def show(): display(HTML('<h1>'))\n"
          "print('out')\n"
          "display(1, 'two')\n"
          "show()\n"
          "display({'text/markdown': '*raw*'}, raw=True)\n"
          "7");
  EXPECT_EQ(result.value, "7");
  EXPECT_EQ(result.stdout_text, "out\n");
  ASSERT_EQ(result.rich.size(), 4U) << to_json(result);
  EXPECT_THAT(result.rich[0].data, ElementsAre(Pair("text/plain", "1")));
  EXPECT_THAT(result.rich[1].data, ElementsAre(Pair("text/plain", "'two'")));
  EXPECT_THAT(result.rich[2].data,
              ElementsAre(Pair("text/html", "<h1>"), Pair("text/plain", "<HTML>")));
  EXPECT_THAT(result.rich[3].data, ElementsAre(Pair("text/markdown", "*raw*")));
  for (const RichResult& each : result.rich) EXPECT_EQ(each.source, RichResult::Source::display);
  EXPECT_THAT(run("7").rich, IsEmpty());
}

TEST_P(RichOn, StandsForAValueThatIsNoJson) {
  EXPECT_EQ(run("{1}").error->type, ErrorType::SerializationError);
  const ExecutionResult result = run("display(1)\n{2}");
  EXPECT_FALSE(result.error || result.value) << to_json(result);
  ASSERT_EQ(result.rich.size(), 2U);
  EXPECT_EQ(result.rich[1].source, RichResult::Source::value);
  EXPECT_THAT(result.rich[1].data, ElementsAre(Pair("text/plain", "{2}")));
  EXPECT_EQ(run("{1}").error->type, ErrorType::SerializationError) << "of an earlier cell";
}

TEST_P(RichOn, ToleratesAMethodThatRaises) {
  const ExecutionResult result =
      run("class Bad:\n"
          "  def __repr__(self): raise KeyError('repr')\n"
          "  def _repr_html_(self): raise ValueError('html')\n"
          "  def _repr_latex_(self): raise NotImplementedError\n"
          "  def _repr_svg_(self): return '<svg/>'\n"
          "display(Bad())\n"
          "5");
  EXPECT_EQ(result.meta.cause, Cause::exited) << to_json(result);
  EXPECT_EQ(result.value, "5");
  ASSERT_EQ(result.rich.size(), 1U);
  EXPECT_THAT(result.rich[0].data, ElementsAre(Pair("image/svg+xml", "<svg/>")));
  EXPECT_THAT(result.stderr_text, HasSubstr("File \"<cell-1>\", line 3, in _repr_html_"));
  EXPECT_THAT(result.stderr_text, HasSubstr("ValueError: html"));
  EXPECT_THAT(result.stderr_text, HasSubstr("KeyError: 'repr'"));
  EXPECT_THAT(result.stderr_text, testing::Not(HasSubstr("NotImplementedError")));
}

TEST_P(RichOn, IsWithoutTheFormsThatCannotBe) {
  const ExecutionResult result =
      run("loop = []\n"
          "loop.append(loop)\n"
          "for form in (float('nan'), loop, {1: 2}, b'', '\\ud800'):\n"
          "  display({'application/json': form}, raw=True)\n"
          "display({'text/html': '\\udfff', 'image/png': 5, 'image/jpeg': 'no base64!', 7: 8,\n"
          "         'text/markdown': '*m*', 'text/\\x1b[31m': 'a', 'text/latex': None}, raw=True)");
  EXPECT_EQ(result.meta.cause, Cause::exited);
  ASSERT_EQ(result.rich.size(), 1U) << to_json(result);
  EXPECT_THAT(result.rich[0].data, ElementsAre(Pair("text/markdown", "*m*")));
  EXPECT_THAT(result.stderr_text,
              HasSubstr("not shown: application/json: nan does not exist in JSON"));
  EXPECT_THAT(result.stderr_text, HasSubstr("not shown: application/json[0]: contains itself"));
  EXPECT_THAT(result.stderr_text, HasSubstr("text/html: text with half of a surrogate pair"));
  EXPECT_THAT(result.stderr_text, HasSubstr("image/png: int is neither text nor bytes"));
  EXPECT_THAT(result.stderr_text, testing::Not(HasSubstr("\x1b")));
}

TEST_P(RichOn, IsTextWhereItsBytesAre) {
  const ExecutionResult result =
      run("display({'image/svg+xml': b'<svg/>', 'text/html': '\u0436'.encode(),\n"
          "         'text/latex': b'\\xff', 'image/png': bytearray(b'\\0'),\n"
          "         'image/gif': 'AAE=\\n '}, raw=True)");
  ASSERT_EQ(result.rich.size(), 1U) << to_json(result);
  EXPECT_THAT(result.rich[0].data,
              ElementsAre(Pair("image/gif", std::string("\0\1", 2)),
                          Pair("image/png", std::string("\0", 1)), Pair("image/svg+xml", "<svg/>"),
                          Pair("text/html", "\xD0\xB6"), Pair("text/latex", "\xEF\xBF\xBD")));
}

TEST_P(RichOn, EndsWhereItGoesRoundInCircles) {
  const ExecutionResult result =
      run("class Round:\n"
          "  def _repr_html_(self): display(self)\n"
          "Round()");
  ASSERT_TRUE(result.error.has_value());
  EXPECT_EQ(result.error->name, "RecursionError");
  EXPECT_THAT(result.rich, IsEmpty());
  EXPECT_EQ(run("import unittest.mock\nunittest.mock.MagicMock()").error->type,
            ErrorType::SerializationError)
      << "what has any method is not asked";
}

TEST_P(RichOn, IsOneHundredThingsOfTenThousand) {
  const ExecutionResult result = run("for n in range(10_000): display(n)\n'on'");
  EXPECT_EQ(result.value, "\"on\"");
  ASSERT_EQ(result.rich.size(), 100U);
  EXPECT_EQ(result.rich[99].data.at("text/plain"), "99");
  EXPECT_THAT(result.meta.warnings,
              testing::Contains(std::string("rich results left out: 9900") + kLeftOut));
  const ExecutionResult next = run("8");
  EXPECT_THAT(next.meta.warnings, testing::Not(testing::Contains(StartsWith("rich results"))));
  EXPECT_THAT(next.rich, IsEmpty());
}

TEST_P(RichOn, IsLeftOutWhereItIsHuge) {
  ExecutionResult result = run("display(HTML('x' * (5 << 20)), HTML('y' * (3 << 20)))\n1");
  EXPECT_EQ(result.value, "1");
  ASSERT_EQ(result.rich.size(), 1U);
  EXPECT_EQ(result.rich[0].data.at("text/html"), std::string(3UL << 20, 'y'));
  EXPECT_THAT(result.meta.warnings,
              testing::Contains(std::string("rich results left out: 1") + kLeftOut));
  result = run("for n in range(30): display(HTML('z' * (3 << 20)))\n2");
  EXPECT_EQ(result.value, "2");
  EXPECT_EQ(result.rich.size(), 2U);
  result = run("class Long:\n  def __repr__(self): return 'r' * (9 << 20)\ndisplay(Long())");
  ASSERT_EQ(result.rich.size(), 1U) << "a text is cut";
  EXPECT_EQ(result.rich[0].data.at("text/plain"), std::string(65536, 'r') + "\xE2\x80\xA6");
}

TEST_P(RichOn, IsThereHoweverTheCellEnds) {
  ExecutionResult result = run("display(1)\n1 / 0");
  ASSERT_EQ(result.rich.size(), 1U);
  EXPECT_EQ(result.error->name, "ZeroDivisionError");
  result = run("display(2)\nimport sys\nsys.exit(9)");
  EXPECT_EQ(result.exit_code, 9);
  EXPECT_EQ(result.rich.size(), 1U);
  ExecutionRequest overdue =
      cell("import time\ndisplay(HTML('begun'))\nwhile True: display(HTML('x' * (1 << 20)))");
  overdue.limits.timeout = 2s;
  overdue.limits.grace = 20s;
  result = session_->execute(overdue);
  EXPECT_EQ(result.meta.cause, Cause::timeout);
  EXPECT_EQ(result.meta.kill->path, "int") << to_json(result);
  ASSERT_FALSE(result.rich.empty());
  EXPECT_EQ(result.rich[0].data.at("text/html"), "begun");
  result = run("display(3)\n4");
  EXPECT_EQ(result.value, "4") << to_json(result);
  EXPECT_EQ(result.rich.size(), 1U);
  result = run("import os\ndisplay(5)\nos._exit(0)");
  EXPECT_TRUE(result.meta.context->lost);
  EXPECT_EQ(result.rich.size(), 1U);
}

// By its own display() and by what it writes itself, when its cell is over.
TEST_P(RichOn, OfOneCellIsNoneOfTheNext) {
  (void)run(
      "import os, threading, time\n"
      "def late():\n"
      "  while not os.path.exists('go'): time.sleep(0.01)\n"
      "  display('late')\n"
      "  os.write(250, b'{\"rich\":{\"data\":{\"text/html\":\"late\"}}}\\n{\"value\":\"late\"}')\n"
      "  open('gone', 'w').close()\n"
      "threading.Thread(target=late).start()");
  EXPECT_EQ(session_->execute(bash("touch go; until [ -e gone ]; do :; done")).exit_code, 0);
  const ExecutionResult next = run("x = 1");
  EXPECT_THAT(next.rich, IsEmpty()) << to_json(next);
  EXPECT_FALSE(next.value.has_value()) << *next.value;
  EXPECT_EQ(run("x").value, "1");
}

TEST_P(RichOn, IsNotOfAProcessThatACellHasStarted) {
  const ExecutionResult result =
      run("import os\n"
          "child = os.fork()\n"
          "if child == 0:\n"
          "  display('child')\n"
          "  os._exit(0)\n"
          "os.waitpid(child, 0)[1]");
  EXPECT_EQ(result.value, "0");
  EXPECT_THAT(result.rich, IsEmpty());
}

TEST_P(RichOn, NeedsNoNameThatACellWantsForItself) {
  EXPECT_EQ(run("display = 3\ndisplay").value, "3");
  EXPECT_EQ(run("del display\ndisplay(4)").rich.size(), 1U);
  EXPECT_EQ(run("open('shows.py', 'w').write('display(5)')\nimport shows").rich.size(), 1U);
  EXPECT_EQ(run("import sys\n[name for name in ('matplotlib', 'pandas', 'json', 'traceback')\n"
                " if name in sys.modules]")
                .value,
            "[]")
      << "nothing is loaded that nobody asked for";
}

TEST_P(RichOn, IsOfContextsAlone) {
  const ExecutionResult result = session_->execute(python("display(1)"));
  ASSERT_TRUE(result.error.has_value());
  EXPECT_EQ(result.error->name, "NameError");
}

TEST_P(RichOn, IsInTheJsonOfAResult) {
  const ExecutionResult result = run("display(HTML('<b>'))\n{'rich': None}");
  const Json json = Json::parse(to_json(result));
  EXPECT_EQ(json["value"], Json::parse(R"({"rich":null})"));
  EXPECT_EQ(json["rich"], Json::parse(R"([{"source":"display","data":)"
                                      R"({"text/html":"<b>","text/plain":"<HTML>"}}])"));
  EXPECT_FALSE(Json::parse(to_json(run("1"))).contains("rich"));
}

INSTANTIATE_TEST_SUITE_P(EachBackend, RichOn, testing::Values("native", "docker", "podman"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace lazaret::test
