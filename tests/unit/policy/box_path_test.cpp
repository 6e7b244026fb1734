#include "policy/box_path.hpp"

#include <gtest/gtest.h>

#include <string>

namespace lazaret::policy {
namespace {

Input text(std::string path, std::string content = "x") {
  return {std::move(path), std::move(content), {}, false};
}

Input from(std::string source, std::string path) {
  return {std::move(path), "", std::move(source), false};
}

Errc refusal(const Input& input, std::string_view code = "main.py") {
  const Status checked = check_inputs({input}, code);
  return checked.ok() ? Errc{} : checked.error().code();
}

bool is_fine(const Input& input, std::string_view code = "main.py") {
  return check_inputs({input}, code).ok();
}

// As many names of one letter as a path of this length has.
std::string long_path(std::size_t size) {
  std::string path;
  while (path.size() + 2 <= size) path += "a/";
  path.resize(size, 'a');
  if (path.back() == '/') path.back() = 'a';
  return path;
}

TEST(BoxPath, IsNamesWithSlashesBetweenThem) {
  for (const char* const path : {"a", "a/b", "a/b/c.txt", ".hidden", "..a", "-", "a b", "\xC3\xA4",
                                 "\xFF", "line\nbreak", "a/.b/..c"})
    EXPECT_TRUE(is_below(path)) << path;
}

TEST(BoxPath, LeadsNowhereElse) {
  for (const char* const path :
       {"", ".", "..", "/", "//", "/a", "a/", "a//b", "//a", "a/.", "./a", "a/./b", "a/..", "../a",
        "a/../b", "a/b/..", "../../etc/passwd", "/etc/passwd"})
    EXPECT_FALSE(is_below(path)) << path;
}

TEST(BoxPath, HoldsNoNul) {
  for (const std::string& path : {std::string("\0", 1), std::string("a\0", 2),
                                  std::string("a\0b", 3), std::string("a/\0/b", 5)})
    EXPECT_FALSE(is_below(path)) << path.size();
}

TEST(BoxPath, HasNamesOf255BytesAndNone256) {
  const std::string longest(255, 'n');
  EXPECT_TRUE(is_below(longest));
  EXPECT_TRUE(is_below("a/" + longest + "/b"));
  EXPECT_FALSE(is_below(longest + "n"));
  EXPECT_FALSE(is_below("a/" + longest + "n/b"));
}

TEST(BoxPath, Has4095BytesAndNot4096) {
  ASSERT_EQ(long_path(4095).size(), 4095U);
  EXPECT_TRUE(is_below(long_path(4095)));
  ASSERT_EQ(long_path(4096).size(), 4096U);
  EXPECT_FALSE(is_below(long_path(4096)));
}

TEST(Inputs, AreTextsAndSources) {
  EXPECT_TRUE(check_inputs({}, "").ok());
  EXPECT_TRUE(is_fine(text("data/input.csv")));
  EXPECT_TRUE(is_fine(text("empty", "")));
  EXPECT_TRUE(is_fine(from("/srv/data", "data")));
}

TEST(Inputs, AreTheWholeOfWorkFromASourceOnly) {
  EXPECT_TRUE(is_fine(from("/srv/data", ".")));
  EXPECT_EQ(refusal(text(".")), Errc::invalid_argument);
  EXPECT_EQ(refusal(text(".", "")), Errc::invalid_argument);
}

TEST(Inputs, LieBelowWork) {
  for (const char* const path : {"", "..", "/etc/passwd", "../a", "a/../../b", "a/", "./a"}) {
    EXPECT_EQ(refusal(text(path)), Errc::invalid_argument) << path;
    EXPECT_EQ(refusal(from("/srv/data", path)), Errc::invalid_argument) << path;
  }
}

TEST(Inputs, HaveAContentOrASource) {
  Input both = text("a");
  both.source = "/srv/a";
  EXPECT_EQ(refusal(both), Errc::invalid_argument);
  EXPECT_EQ(refusal(from("", "a")), Errc::invalid_argument);
  EXPECT_EQ(refusal(from("", ".")), Errc::invalid_argument);
}

TEST(Inputs, DoNotLieWhereTheCodeDoes) {
  EXPECT_EQ(refusal(text("main.py"), "main.py"), Errc::invalid_argument);
  EXPECT_EQ(refusal(from("/srv/a", "main.py"), "main.py"), Errc::invalid_argument);
  EXPECT_TRUE(is_fine(text("other.py"), "main.py"));
  EXPECT_TRUE(is_fine(text("a/main.py"), "main.py"));
  EXPECT_TRUE(is_fine(text("main.py"), ""));
}

TEST(Inputs, AreRefusedWithTheOneThatIsWrongNamed) {
  const Status checked = check_inputs({text("fine"), text("../worse")}, "");
  ASSERT_FALSE(checked.ok());
  EXPECT_NE(checked.error().message().find("../worse"), std::string::npos);
  EXPECT_FALSE(checked.error().hint().empty());
}

TEST(Inputs, AreTenThousandAtMost) {
  std::vector<Input> inputs(10'000, text("a"));
  EXPECT_TRUE(check_inputs(inputs, "").ok());
  inputs.push_back(text("a"));
  EXPECT_EQ(check_inputs(inputs, "").error().code(), Errc::too_large);
}

}  // namespace
}  // namespace lazaret::policy
