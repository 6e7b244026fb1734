#include "core/json_members.hpp"

#include <gtest/gtest.h>

namespace lazaret::core {
namespace {

std::string member(const std::string& document, std::string_view name) {
  const auto members = members_of(document, {name});
  if (!members) return "no object";
  const auto found = members->find(name);
  return found == members->end() ? "no member" : found->second;
}

std::string nested(std::size_t depth) {
  return R"({"a":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
}

TEST(JsonMembers, AreTextsWithoutWhiteSpace) {
  const std::string document =
      R"( { "x" : 1 , "a" : { "z" : [ 1 , -2 , 2.5 , 18446744073709551615 ] ,)"
      R"( "b" : { } , "" : [ ] , "c" : [ null , true , false , "\"\u00e4\n" , [ [ ] ] ] } } )";
  EXPECT_EQ(member(document, "x"), "1");
  EXPECT_EQ(member(document, "a"), R"({"z":[1,-2,2.5,18446744073709551615],"b":{},"":[],)"
                                   "\"c\":[null,true,false,\"\\\"\xC3\xA4\\n\",[[]]]}");
}

TEST(JsonMembers, KeepIntegersOfAnyLength) {
  const std::string edges =
      "[-9223372036854775808,18446744073709551615,-9223372036854775809,18446744073709551616,"
      "265252859812191058636308480000000]";
  EXPECT_EQ(member("{\"a\":" + edges + "}", "a"), edges);
  EXPECT_EQ(member(R"({"a":[1e2,1.50,-0.0,18446744073709551616.0]})", "a"),
            "[100.0,1.5,-0.0,1.8446744073709552e+19]");
}

TEST(JsonMembers, AreThoseThatWereAskedFor) {
  const auto members = members_of(R"({"a":1,"b":[2],"c":{"a":3}})", {"a", "c", "d"});
  ASSERT_TRUE(members);
  EXPECT_EQ(*members, (JsonMembers{{"a", "1"}, {"c", R"({"a":3})"}}));
  EXPECT_EQ(members_of("{}", {"a"}), JsonMembers{});
}

TEST(JsonMembers, AreTheLastOfTheirName) {
  EXPECT_EQ(member(R"({"a":[1],"b":2,"a":{"c":3}})", "a"), R"({"c":3})");
}

TEST(JsonMembers, KeepTheirKeysAsTheyCame) {
  EXPECT_EQ(member(R"({"a":{"z":1,"b":2,"z":3}})", "a"), R"({"z":1,"b":2,"z":3})");
}

TEST(JsonMembers, AreNestedUpToTheBoundAndNoDeeper) {
  EXPECT_EQ(member(nested(128), "a").size(), 256U);
  EXPECT_EQ(member(nested(129), "a"), "no object");
  EXPECT_EQ(member(nested(129), "b"), "no object") << "whether or not it is asked for";
  EXPECT_EQ(member(nested(1'000'000), "a"), "no object");
  EXPECT_TRUE(members_of(nested(129), {"a"}, kMostDepth + 1));
  EXPECT_FALSE(members_of(nested(130), {"a"}, kMostDepth + 1));
}

TEST(JsonMembers, BelongToAnObject) {
  for (const char* const document :
       {"", " ", "1", "null", "[]", R"("a")", R"([{"a":1}])", R"({"a":1)", R"({"a":1}{"a":2})",
        R"({"a":1}])", R"({"a":})", R"({"a":1,})", R"({a:1})", R"({"a":NaN})", R"({"a":1e999})"})
    EXPECT_EQ(member(document, "a"), "no object") << document;
}

// An object that compares each key with all before it needs hours for these.
TEST(JsonMembers, TakeNoLongerWithManyKeys) {
  std::string object = "{";
  for (int key = 0; key < 400'000; ++key)
    object += (key == 0 ? "\"" : ",\"") + std::to_string(key) + "\":0";
  object += "}";
  EXPECT_EQ(member(R"({"a":)" + object + "}", "a"), object);
  EXPECT_EQ(member(object, "399999"), "0");
}

TEST(JsonElements, AreTextsInTheirOrder) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(elements_of(R"( [ 1 , "a" , { "b" : [ 2 , { } ] , "c" : 3 } , [ ] , [ [ 4 ] , 5 ] ] )"),
            (Texts{"1", "\"a\"", R"({"b":[2,{}],"c":3})", "[]", "[[4],5]"}));
  EXPECT_EQ(elements_of("[]"), Texts{});
}

TEST(JsonElements, AreOfAnArrayAlone) {
  for (const char* const document : {"{}", R"({"a":[1]})", "1", "", "[1", "[1]2", "[NaN]"})
    EXPECT_EQ(elements_of(document), std::nullopt) << document;
  EXPECT_EQ(members_of("[[1]]", {"a"}), std::nullopt);
}

TEST(JsonElements, AreNestedAsDeepAsTheyMayBe) {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']');
  };
  EXPECT_TRUE(elements_of(nested(kMostDepth + 1)));
  EXPECT_FALSE(elements_of(nested(kMostDepth + 2)));
}

}  // namespace
}  // namespace lazaret::core
