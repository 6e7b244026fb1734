#include "core/rich.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/value.hpp"

// What a program shows over the value channel, ahead of its value.
namespace lazaret::core {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr std::uint64_t kCapBesideRich = 1000;

struct Came {
  ValueMessage value;
  RichLines::Message rich;
};

Came came(std::string_view text, std::size_t piece = std::string_view::npos) {
  ValueChannel channel(kCapBesideRich);
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
    channel.take(bytes_of(text.substr(0, piece)));
  return {channel.message(), channel.rich()};
}

std::string rich_entry(const std::string& data, const std::string& source = "display") {
  return R"({"source":")" + source + R"(","data":{)" + data + "}}";
}

std::string rich_line(const std::string& data) { return R"({"rich":)" + rich_entry(data) + "}\n"; }

std::string rich_text_line(std::size_t size) {
  const std::string empty = rich_line(R"("text/plain":"")");
  return rich_line(R"("text/plain":")" + std::string(size + 1 - empty.size(), 'x') + '"');
}

std::map<std::string, std::string> rich_data(const std::string& data) {
  const auto rich = rich_of(rich_entry(data));
  return rich ? rich->data : std::map<std::string, std::string>();
}

TEST(Rich, ComesAheadOfTheValueInItsOrder) {
  const Came all = came(rich_line(R"("text/html":"<b>")") + "{\"rich\":" +
                        rich_entry(R"("image/png":"AP96")", "value") + "}\n" + R"({"value":[1]})");
  EXPECT_EQ(all.value.value, "[1]");
  ASSERT_EQ(all.rich.results.size(), 2U);
  EXPECT_EQ(all.rich.results[0].source, RichResult::Source::display);
  EXPECT_THAT(all.rich.results[0].data, ElementsAre(Pair("text/html", "<b>")));
  EXPECT_EQ(all.rich.results[1].source, RichResult::Source::value);
  EXPECT_THAT(all.rich.results[1].data, ElementsAre(Pair("image/png", std::string("\0\xFFz", 3))));
  EXPECT_THAT(all.rich.warnings, IsEmpty());
}

TEST(Rich, IsTheSameInPiecesOfAnySize) {
  const std::string text = rich_line(R"("text/plain":"a")") + "\n" +
                           rich_line(R"("text/plain":"b")") +
                           "{\n\"value\": \"{\\\"rich\\\":1}\\n\"\n}\n";
  for (const std::size_t piece : {1UL, 2UL, 7UL, 8UL, 9UL, 64UL}) {
    SCOPED_TRACE(piece);
    const Came all = came(text, piece);
    EXPECT_EQ(all.value.value, R"("{\"rich\":1}\n")");
    ASSERT_EQ(all.rich.results.size(), 2U);
    EXPECT_EQ(all.rich.results[1].data.at("text/plain"), "b");
    EXPECT_THAT(all.rich.warnings, IsEmpty());
  }
}

TEST(Rich, IsNotThereBehindTheValue) {
  const Came all = came("{\"value\":1}\n" + rich_line(R"("text/plain":"a")"));
  EXPECT_THAT(all.rich.results, IsEmpty());
  EXPECT_EQ(all.value.error->type, ErrorType::SerializationError);
}

TEST(Rich, IsThereWithAnErrorToo) {
  const Came all =
      came(rich_line(R"("text/plain":"a")") + R"({"error":{"type":"RuntimeError","message":"m"}})");
  EXPECT_EQ(all.value.error->message, "m");
  EXPECT_EQ(all.rich.results.size(), 1U);
}

TEST(Rich, WithoutItsEndIsLeftOutAndNoValue) {
  std::string cut = rich_line(R"("text/plain":"a")");
  cut.pop_back();
  const Came all = came(rich_line(R"("text/plain":"b")") + cut);
  EXPECT_FALSE(all.value.value || all.value.error);
  EXPECT_EQ(all.rich.results.size(), 1U);
  EXPECT_THAT(all.rich.warnings, ElementsAre(testing::HasSubstr("left out: 1;")));
  // What is cut off ends where the next begins.
  const Came next = came(cut.substr(0, 20) + "\n" + R"({"value":7})");
  EXPECT_EQ(next.value.value, "7");
  EXPECT_THAT(next.rich.warnings, ElementsAre(testing::HasSubstr("known media type")));
}

TEST(Rich, HasAFarewellTakenOffBehindIt) {
  ValueChannel channel(kCapBesideRich);
  channel.take(bytes_of(rich_line(R"("text/plain":"a")") + "bye"));
  channel.drop_farewell("bye");
  EXPECT_FALSE(channel.message().error.has_value());
  EXPECT_EQ(channel.rich().results.size(), 1U);
}

struct NoForm {
  const char* name;
  const char* data;
};

const NoForm kNoForms[] = {
    {"a type that is not known", R"("text/x-mine":"a")"},
    {"a type with a control character", R"("text/plain\u001b[31m":"a")"},
    {"a type with a null", R"("text/html\u0000":"a")"},
    {"a type in capitals", R"("Text/HTML":"a")"},
    {"a type with a parameter", R"("text/html; charset=utf-8":"a")"},
    {"a text that is a number", R"("text/html":5)"},
    {"a text that is null", R"("text/html":null)"},
    {"a text that is a list", R"("text/html":["a"])"},
    {"a picture that is no base64", R"("image/png":"not base64!")"},
    {"a picture with half of a base64", R"("image/png":"AP9")"},
    {"a picture with lines", R"("image/png":"AP96\n")"},
    {"a picture that is an object", R"("image/png":{})"},
    {"nothing", ""},
};

TEST(Rich, HasOnlyContentOfAKnownTypesKind) {
  for (const NoForm& form : kNoForms) {
    SCOPED_TRACE(form.name);
    EXPECT_THAT(rich_data(form.data), IsEmpty());
    const Came all = came(rich_line(form.data) + R"({"value":1})");
    EXPECT_THAT(all.rich.results, IsEmpty());
    EXPECT_THAT(all.rich.warnings, ElementsAre("rich results left out: 1; they have no content of "
                                               "a known media type"));
    EXPECT_EQ(all.value.value, "1") << "its own fault alone";
  }
  EXPECT_THAT(rich_data(R"("image/png":5,"text/html":"a","x":1)"),
              ElementsAre(Pair("text/html", "a")));
}

TEST(Rich, IsNotReadFromWhatIsNone) {
  for (const char* const text :
       {"1", "[]", "{}", R"({"data":[]})", R"({"data":"a"})", "null", R"({"source":"value"})",
        "{\"data\":{\"text/html\":NaN}}", "{\"data\":{\"text/html\":\"\xFF\"}}", "{\"data\"",
        R"({"data":{"text/html":"\ud800"}})"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(rich_of(text).has_value());
    const Came all = came("{\"rich\":" + std::string(text) + "}\n{\"value\":1}");
    EXPECT_THAT(all.rich.results, IsEmpty());
    EXPECT_EQ(all.value.value, "1");
  }
}

TEST(Rich, IsAlwaysOfOneOfTwoSources) {
  for (const char* const source : {"display", "stdout", "", "valu"}) {
    const auto rich = rich_of(rich_entry(R"("text/html":"a")", source));
    EXPECT_EQ(rich->source, RichResult::Source::display) << source;
  }
  EXPECT_EQ(rich_of(R"({"data":{"text/html":"a"},"source":["value"]})")->source,
            RichResult::Source::display);
}

TEST(Rich, KeepsJsonAsItIs) {
  const auto data = rich_data(R"("application/json": {"z": [1, null], "a": 2.5, "z": "\u00e4"},)"
                              R"("application/vnd.plotly.v1+json":[])");
  EXPECT_THAT(data,
              ElementsAre(Pair("application/json", "{\"z\":[1,null],\"a\":2.5,\"z\":\"\xC3\xA4\"}"),
                          Pair("application/vnd.plotly.v1+json", "[]")));
}

TEST(Rich, TakesJsonAtTheBoundOnDepthAndNoneDeeper) {
  const auto nested = [](std::size_t depth) {
    return rich_line(R"("application/json":)" + std::string(depth, '[') + std::string(depth, ']'));
  };
  EXPECT_EQ(came(nested(125)).rich.results.size(), 1U);
  EXPECT_EQ(came(nested(126)).rich.results.size(), 0U);
  EXPECT_EQ(came(nested(500'000)).rich.results.size(), 0U);
}

TEST(Rich, IsOneHundredAndNoMore) {
  std::string text;
  for (int index = 0; index < 100; ++index)
    text += rich_line(R"("text/plain":")" + std::to_string(index) + '"');
  EXPECT_THAT(came(text + R"({"value":1})").rich.warnings, IsEmpty());
  const Came all = came(text + rich_text_line(100) + rich_text_line(100) + R"({"value":1})");
  ASSERT_EQ(all.rich.results.size(), 100U);
  EXPECT_EQ(all.rich.results[99].data.at("text/plain"), "99");
  EXPECT_THAT(all.rich.warnings, ElementsAre("rich results left out: 2; at most 100 are kept, "
                                             "8 MiB in all, 4 MiB of one"));
  EXPECT_EQ(all.value.value, "1");
}

// A line of that size, without its end, that is read no further than its beginning.
std::string rich_filler(std::size_t size) {
  const std::string start = "{\"rich\":!";
  return start + std::string(size - start.size(), 'x') + "\n";
}

// How many were too many or too large, and how many were kept to be read.
std::pair<std::string, std::string> rich_counts(const std::string& text) {
  std::pair<std::string, std::string> counts("0", "0");
  const Came all = came(text + R"({"value":1})", 65536);
  EXPECT_EQ(all.value.value, "1");
  for (const std::string& warning : all.rich.warnings) {
    const std::string count = warning.substr(warning.find(": ") + 2, 1);
    (warning.ends_with("of one") ? counts.first : counts.second) = count;
  }
  return counts;
}

TEST(Rich, IsAsLargeAsOneMayBeAndNoLarger) {
  EXPECT_EQ(rich_counts(rich_filler(kLargestRich)),
            (std::pair<std::string, std::string>("0", "1")));
  EXPECT_EQ(rich_counts(rich_filler(kLargestRich + 1) + rich_filler(100)),
            (std::pair<std::string, std::string>("1", "1")));
  EXPECT_EQ(rich_counts(rich_filler(3 * kLargestRich) + rich_filler(100)),
            (std::pair<std::string, std::string>("1", "1")));
}

TEST(Rich, IsEightMebibytesInAllAndNoMore) {
  const std::string most = rich_filler(kLargestRich) + rich_filler(kLargestRich - 100);
  EXPECT_EQ(rich_counts(most + rich_filler(100)), (std::pair<std::string, std::string>("0", "3")));
  EXPECT_EQ(rich_counts(most + rich_filler(101)), (std::pair<std::string, std::string>("1", "2")));
  EXPECT_EQ(rich_counts(most + rich_filler(101) + rich_filler(100)),
            (std::pair<std::string, std::string>("1", "3")))
      << "what is left out takes no room";
}

TEST(Rich, IsNotMadeLargerByWhatItsNumbersAreWrittenAs) {
  const auto numbers = [](std::size_t count) {
    std::string text = rich_line(R"("application/json":[0])");
    std::string all;
    for (std::size_t index = 0; index < count; ++index) all += ",1e14";
    return text.replace(text.find(']'), 0, all);
  };
  const std::size_t most = (kLargestRich - 3) / 18;  // ",100000000000000.0"
  EXPECT_EQ(came(numbers(most)).rich.results.size(), 1U);
  const Came all = came(numbers(most + 1));
  EXPECT_THAT(all.rich.results, IsEmpty());
  EXPECT_THAT(all.rich.warnings, ElementsAre(testing::EndsWith("4 MiB of one")));
}

TEST(Rich, DoesNotWidenTheRoomOfAValue) {
  const std::string value = R"({"value":1)" + std::string(600 << 10, ' ') + "}";
  EXPECT_EQ(came(rich_line(R"("text/plain":"a")") + value).value.error->message,
            "the value is larger than 1000 bytes");
}

TEST(Rich, IsReadAtOnceWhateverIsInIt) {
  std::string keys;
  for (int key = 0; key < 50'000; ++key) keys += ",\"" + std::to_string(key) + "\":0";
  const Came all = came(rich_line(R"("text/html":"a")" + keys) +
                        rich_line(R"("application/json":{"a":0)" + keys + "}"));
  ASSERT_EQ(all.rich.results.size(), 2U);
  EXPECT_EQ(all.rich.results[0].data.size(), 1U);
  EXPECT_EQ(all.rich.results[1].data.at("application/json"), "{\"a\":0" + keys + "}");
}

TEST(Rich, IsReadAsItWasWritten) {
  RichResult rich{RichResult::Source::value,
                  {{"image/png", std::string("\x89PNG\0", 5)},
                   {"text/html", "<a href=\"x\">\n\xC3\xA4\x1b"},
                   {"application/json", R"({"b":1,"a":[null],"b":2})"}}};
  const auto again = rich_of(json_of(rich));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->source, rich.source);
  EXPECT_EQ(again->data, rich.data);
}

}  // namespace
}  // namespace lazaret::core
