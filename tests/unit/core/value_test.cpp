#include "core/value.hpp"

#include <gtest/gtest.h>

namespace lazaret::core {
namespace {

constexpr std::uint64_t kCap = 1000;

ValueMessage message_of(std::string_view text, std::uint64_t cap = kCap) {
  ValueChannel channel(cap);
  channel.take(bytes_of(text));
  return channel.message();
}

void expect_refused(std::string_view text) {
  const ValueMessage message = message_of(text);
  EXPECT_FALSE(message.value.has_value());
  ASSERT_TRUE(message.error.has_value());
  EXPECT_EQ(message.error->type, ErrorType::SerializationError);
}

std::string nested(std::size_t depth) {
  return R"({"value":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
}

TEST(ValueChannel, SaysNothingWhenNothingCame) {
  const ValueMessage message = message_of("");
  EXPECT_FALSE(message.value.has_value());
  EXPECT_FALSE(message.error.has_value());
}

TEST(ValueChannel, GivesTheValueAsJson) {
  EXPECT_EQ(message_of(R"({"value": {"b": [1, 2.5, null, true, "x"]}})").value,
            R"({"b":[1,2.5,null,true,"x"]})");
}

TEST(ValueChannel, LeavesOutAFarewellAtItsEndAlone) {
  for (const std::string_view text : {R"({"value":1}bye)", R"({"value":1})"}) {
    ValueChannel channel(kCap);
    channel.take(bytes_of(text));
    channel.drop_farewell("bye");
    EXPECT_EQ(channel.message().value, "1");
    channel.drop_farewell("");
    EXPECT_EQ(channel.message().value, "1");
  }
  ValueChannel elsewhere(kCap);
  elsewhere.take(bytes_of(R"(bye{"value":1})"));
  elsewhere.drop_farewell("bye");
  EXPECT_TRUE(elsewhere.message().error.has_value());
}

TEST(ValueChannel, KeepsTheOrderOfKeys) {
  EXPECT_EQ(message_of(R"({"value":{"z":1,"a":2}})").value, R"({"z":1,"a":2})");
}

TEST(ValueChannel, KeepsNullApartFromNoValue_P26) {
  EXPECT_EQ(message_of(R"({"value":null})").value, "null");
}

TEST(ValueChannel, PutsPiecesTogether) {
  ValueChannel channel(kCap);
  const std::string_view text = R"({"value":"\u00e4"})";
  for (std::size_t index = 0; index < text.size(); ++index)
    channel.take(bytes_of(text.substr(index, 1)));
  EXPECT_EQ(channel.message().value, "\"\xC3\xA4\"");
}

struct Refusal {
  const char* name;
  std::string text;
};

const Refusal kRefusals[] = {
    {"not JSON", "hello"},
    {"cut off", R"({"value":[1,2)"},
    {"two documents", R"({"value":1}{"value":2})"},
    {"array instead of envelope", "[1]"},
    {"text instead of envelope", R"("value")"},
    {"neither value nor error", R"({"result":1})"},
    {"empty envelope", "{}"},
    {"NaN", R"({"value":NaN})"},
    {"Infinity", R"({"value":Infinity})"},
    {"number beyond a double", R"({"value":1e999})"},
    {"ill-formed UTF-8", "{\"value\":\"\xFF\"}"},
    {"lone surrogate", R"({"value":"\ud800"})"},
    {"raw NUL", std::string("{\"value\":\"\0\"}", 13)},
    {"byte order mark alone", "\xEF\xBB\xBF"},
    {"white space alone", "  \n"},
    {"error that is no object", R"({"error":"boom"})"},
    {"error that is null beside a value", R"({"value":1,"error":null})"},
    {"error without a type", R"({"error":{"message":"m"}})"},
    {"error with a type that is a number", R"({"error":{"type":7,"message":"m"}})"},
};

TEST(ValueChannel, RefusesWhatIsNoValue_P26) {
  for (const Refusal& refusal : kRefusals) {
    SCOPED_TRACE(refusal.name);
    expect_refused(refusal.text);
  }
}

TEST(ValueChannel, DoesNotLetAProgramForgeErrorsThatOnlyWeMake) {
  for (const char* const type :
       {"TimeoutError", "OutputLimitError", "PolicyDenied", "BackendError", "runtimeerror", ""}) {
    SCOPED_TRACE(type);
    expect_refused(std::string(R"({"error":{"type":")") + type + R"(","message":"m"}})");
  }
}

TEST(ValueChannel, TakesTheErrorsThatAProgramCanHave) {
  for (const ErrorType type :
       {ErrorType::SyntaxError, ErrorType::RuntimeError, ErrorType::MemoryError,
        ErrorType::SerializationError, ErrorType::PermissionDenied}) {
    const std::string name(name_of(type));
    SCOPED_TRACE(name);
    const ValueMessage message = message_of(R"({"error":{"type":")" + name +
                                            R"(","message":"m","stack":"s","hint":"forged"}})");
    ASSERT_TRUE(message.error.has_value());
    EXPECT_EQ(message.error->type, type);
    EXPECT_EQ(message.error->message, "m");
    EXPECT_EQ(message.error->stack, "s");
    EXPECT_EQ(message.error->hint, std::nullopt);
  }
}

TEST(ValueChannel, TakesAnErrorWhoseTextsAreOfTheWrongType) {
  const ValueMessage message =
      message_of(R"({"error":{"type":"RuntimeError","message":1,"stack":[]}})");
  EXPECT_EQ(message.error->message, "");
  EXPECT_EQ(message.error->stack, std::nullopt);
}

TEST(ValueChannel, TakesANameAndALineThatCanBeOnes) {
  const auto error_with = [](const std::string& members) {
    return *message_of(R"({"error":{"type":"RuntimeError","message":"m",)" + members + "}}").error;
  };
  const ResultError error = error_with(R"("name":"E","line":16777216)");
  EXPECT_EQ(error.name, "E");
  EXPECT_EQ(error.line, 16777216U);
  for (const char* const line : {"0", "-1", "16777217", "1e99", "\"7\"", "[7]", "null"})
    EXPECT_EQ(error_with(std::string(R"("line":)") + line).line, std::nullopt) << line;
  EXPECT_EQ(error_with("\"name\":\"" + std::string(200, 'x') + "\"").name->size(), 200U);
  for (const std::string& name :
       {std::string("7"), std::string("\"\""), '"' + std::string(201, 'x') + '"'})
    EXPECT_EQ(error_with("\"name\":" + name).name, std::nullopt) << name;
}

TEST(ValueChannel, PrefersTheErrorToAValueBesideIt) {
  const ValueMessage message = message_of(R"({"value":1,"error":{"type":"RuntimeError"}})");
  EXPECT_FALSE(message.value.has_value());
  EXPECT_EQ(message.error->type, ErrorType::RuntimeError);
}

TEST(ValueChannel, TakesTheColoursOutOfMessages) {
  const auto text_of_error = [](const std::string& message) {
    return message_of(R"({"error":{"type":"RuntimeError","message":")" + message + "\"}}")
        .error->message;
  };
  EXPECT_EQ(text_of_error(R"(a\u001b[1;31mred\u001b[0mz)"), "aredz");
  EXPECT_EQ(text_of_error(R"(cut \u001b[12)"), "cut ");
  EXPECT_EQ(text_of_error(R"(end \u001b)"), "end ");
  EXPECT_EQ(text_of_error(R"(\u001b]8;;http://x/\u001b\\a link\u001b]8;;\u001b\\.)"), "a link.");
  EXPECT_EQ(text_of_error(R"(\u001b]0;title\u0007text)"), "text");
  EXPECT_EQ(text_of_error(R"(\u001b]8;;x)"), "");
  EXPECT_EQ(text_of_error(R"(\u001b]8;\u001b[1mred)"), "red") << "one ends where another begins";
  EXPECT_EQ(text_of_error(R"(\u001b(Ba\u001bcb\u001b7c\u001b)"), "abc");
  EXPECT_EQ(text_of_error(R"(\u001b\nline)"), "\nline");
  EXPECT_EQ(text_of_error(R"(\u001b[)"), "");
}

TEST(ValueChannel, TakesAValueAtTheCapAndRefusesOneByteMore) {
  const auto quoted = [](std::size_t size) {
    return R"({"value":")" + std::string(size - 2, 'x') + "\"}";
  };
  EXPECT_EQ(message_of(quoted(kCap)).value->size(), kCap);
  const ValueMessage message = message_of(quoted(kCap + 1));
  EXPECT_EQ(message.error->type, ErrorType::SerializationError);
  EXPECT_EQ(message.error->message, "the value is larger than 1000 bytes");
}

TEST(ValueChannel, SaysTooLargeWhenTheChannelItselfOverflows) {
  ValueChannel channel(kCap);
  const std::string chunk(1 << 20, ' ');
  for (int index = 0; index < 64; ++index) channel.take(bytes_of(chunk));
  EXPECT_EQ(channel.message().error->message, "the value is larger than 1000 bytes");
}

TEST(ValueChannel, TakesAChannelThatIsExactlyFull) {
  const std::uint64_t room = kCap + (512UL << 10);
  const std::string text = R"({"value":1})";
  EXPECT_EQ(message_of(text + std::string(room - text.size(), ' ')).value, "1");
  EXPECT_TRUE(message_of(text + std::string(room - text.size() + 1, ' ')).error.has_value());
}

TEST(ValueChannel, TakesAValueAtTheBoundOnDepthAndRefusesOneDeeper) {
  EXPECT_TRUE(message_of(nested(127)).value.has_value());
  EXPECT_TRUE(message_of(nested(128)).value.has_value());
  expect_refused(nested(129));
}

// The time limit ends the program, not what we do with its value: hours, if each key were compared
// with all before it.
TEST(ValueChannel, IsReadAtOnceWhateverIsInIt) {
  std::string keys;
  for (int key = 0; key < 250'000; ++key) keys += ",\"" + std::to_string(key) + "\":0";
  const std::string object = R"({"a":0)" + keys + "}";
  EXPECT_EQ(message_of(R"({"value":)" + object + "}", object.size()).value, object);
  EXPECT_EQ(message_of(R"({"value":1)" + keys + "}", object.size()).value, "1");
  EXPECT_EQ(
      message_of(R"({"error":{"type":"RuntimeError")" + keys + "}}", object.size()).error->type,
      ErrorType::RuntimeError);
}

TEST(ValueChannel, IsNotEndedByNestingWithoutEnd) {
  ValueChannel channel(1 << 20);
  channel.take(bytes_of(R"({"value":)" + std::string(1'000'000, '[')));
  EXPECT_EQ(channel.message().error->type, ErrorType::SerializationError);
  ValueChannel closed(1 << 20);
  closed.take(bytes_of(nested(400'000)));
  EXPECT_EQ(closed.message().error->type, ErrorType::SerializationError);
}

}  // namespace
}  // namespace lazaret::core
