#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/rich_bed.hpp"

// Figures of matplotlib and data frames of pandas. Their packages are in no image: natively a box
// has this machine's.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class DrawnRichOn : public RichOn {
 protected:
  void SetUp() override {
    RichOn::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (run("import matplotlib, pandas").exit_code != 0)
      LAZARET_SKIP_OR_FAIL("matplotlib", "no matplotlib and pandas for the machine's python3");
  }
  // Of each thing that is shown the picture's beginning, or the first other type that it has.
  [[nodiscard]] static std::vector<std::string> pictures_of(const ExecutionResult& result) {
    std::vector<std::string> pictures;
    for (const RichResult& each : result.rich) {
      const auto png = each.data.find("image/png");
      pictures.push_back(png == each.data.end() ? each.data.begin()->first
                                                : png->second.substr(1, 3));
    }
    return pictures;
  }
};

TEST_P(DrawnRichOn, IsAFigureThatIsShownOrLeftOpen) {
  ExecutionResult result =
      run("import matplotlib.pyplot as plt\n"
          "plt.plot([1, 4, 2]); plt.show()\n"
          "plt.bar(['a', 'b'], [3, 4])\n"
          "plt.figure()  # with nothing in it\n"
          "plt.figure(); plt.title('last')");
  EXPECT_FALSE(result.error.has_value()) << to_json(result);
  EXPECT_THAT(pictures_of(result), ElementsAre("PNG", "PNG", "PNG", "text/plain"));
  EXPECT_EQ(result.rich[3].data.at("text/plain"), "Text(0.5, 1.0, 'last')");
  EXPECT_GT(result.rich[0].data.at("image/png").size(), 2000U);
  result = run("plt.get_fignums()");
  EXPECT_EQ(result.value, "[]") << "they are closed";
  EXPECT_THAT(result.rich, IsEmpty());
  result = run("plt.plot([1])\n1 / 0");
  EXPECT_THAT(pictures_of(result), ElementsAre("PNG")) << "of a cell that fails, too";
  result = run("figure, axes = plt.subplots()\naxes.plot([1])\nfigure");
  EXPECT_THAT(pictures_of(result), ElementsAre("PNG")) << "once";
  EXPECT_EQ(result.rich[0].source, RichResult::Source::value);
  EXPECT_THAT(pictures_of(run("display(figure)")), ElementsAre("PNG"));
  EXPECT_EQ(run("'MPLBACKEND' in __import__('os').environ").value, "false");
}

TEST_P(DrawnRichOn, IsNoneOfTheNextCellAfterAnInterrupt) {
  ExecutionRequest overdue =
      cell("import matplotlib.pyplot as plt\nplt.plot([1])\nwhile True: pass");
  overdue.limits.timeout = 5s;
  overdue.limits.grace = 20s;
  const ExecutionResult result = session_->execute(overdue);
  EXPECT_EQ(result.meta.kill->path, "int") << to_json(result);
  EXPECT_EQ(run("plt.get_fignums()").value, "[]");
  EXPECT_THAT(run("1").rich, IsEmpty());
}

TEST_P(DrawnRichOn, IsADataFrameAsHtmlAndJson) {
  const auto data = shown_by("import pandas as pd\npd.DataFrame({'a': [1.5, None], 'b': 'xy'})");
  EXPECT_THAT(data.at("text/html"), HasSubstr("<table"));
  EXPECT_THAT(data.at("text/plain"), StartsWith("     a   b\n0  1.5  xy\n"));
  const Json table = Json::parse(data.at("application/json"));
  EXPECT_EQ(table["data"], Json::parse(R"([{"index":0,"a":1.5,"b":"xy"},)"
                                       R"({"index":1,"a":null,"b":"xy"}])"));
  EXPECT_EQ(table["schema"]["fields"][1], Json::parse(R"({"name":"a","type":"number"})"));
  EXPECT_EQ(table["shape"], Json::parse("[2,2]"));
  const Json twice =
      Json::parse(shown_by("pd.DataFrame([[1, 2]], columns=['a', 'a'])").at("application/json"));
  EXPECT_EQ(twice["columns"], Json::parse(R"(["a","a"])"));
}

TEST_P(DrawnRichOn, HasOfALargeDataFrameTheFirstRowsAndColumns) {
  const auto rows = [this](const std::string& frame) {
    const auto data = shown_by("import pandas as pd\n" + frame);
    const auto json = data.find("application/json");
    EXPECT_NE(json, data.end());
    return json == data.end() ? Json() : Json::parse(json->second);
  };
  EXPECT_EQ(rows("pd.DataFrame({'a': range(1000)})")["data"].size(), 1000U);
  Json table = rows("pd.DataFrame({'a': range(1001)})");
  EXPECT_EQ(table["data"].size(), 1000U);
  EXPECT_EQ(table["shape"], Json::parse("[1001,1]"));
  table = rows("pd.DataFrame([range(101)])");
  EXPECT_EQ(table["data"][0].size(), 101U) << "a hundred and the index";
  table = rows("pd.DataFrame({'a': ['x' * 10000] * 500})");
  EXPECT_EQ(table["data"].size(), 63U) << "no more than a mebibyte of them";
}

// Of which little more is made than is shown.
TEST_P(DrawnRichOn, TakesLittleMemoryForALargeDataFrame) {
  const std::string peak = "import resource\nresource.getrusage(resource.RUSAGE_SELF).ru_maxrss";
  (void)run("import pandas as pd\npd.DataFrame({'a': ['x'] * 500})");
  const std::int64_t before = std::stoll(run(peak).value.value());
  const auto data = shown_by("pd.DataFrame({'a': ['x' * 200_000] * 500})");
  EXPECT_EQ(Json::parse(data.at("application/json"))["data"].size(), 3U);
  EXPECT_LT(std::stoll(run(peak).value.value()) - before, 64 << 10);
}

TEST_P(DrawnRichOn, IsAFigureThatHoldsNothingButWhatWasPutIntoIt) {
  const ExecutionResult result =
      run("import matplotlib.pyplot as plt, matplotlib.patches as patches\n"
          "_ = plt.figure().add_artist(patches.Rectangle((0, 0), 1, 1))");
  EXPECT_THAT(pictures_of(result), ElementsAre("PNG")) << to_json(result);
}

INSTANTIATE_TEST_SUITE_P(Native, DrawnRichOn, testing::Values("native"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace lazaret::test
