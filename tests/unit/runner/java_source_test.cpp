#include "runner/java_source.hpp"

#include <gtest/gtest.h>

namespace lazaret::runner {
namespace {

void expect_names(std::string_view code, std::string_view file, std::string_view main_class) {
  const JavaSource source = java_source_of(code);
  EXPECT_EQ(source.file, file) << code;
  EXPECT_EQ(source.main_class, main_class) << code;
}

TEST(JavaSource, TakesTheFilesNameFromThePublicClass) {
  expect_names("class A {} public final class B { public static void main(String[] a) {} }",
               "B.java", "B");
  expect_names("public record Point(int x) {}", "Point.java", "Point");
  expect_names("public enum E { A }", "E.java", "E");
}

TEST(JavaSource, TakesTheClassThatHasAMainMethod) {
  expect_names("class A { void f() {} }\nclass B { static void main(String[] a) {} }", "Main.java",
               "B");
  expect_names("public class A {} class B { public static void main(String... a) {} }", "A.java",
               "B");
}

TEST(JavaSource, KnowsThePackage) {
  expect_names("package org.example.app;\nimport java.util.*;\npublic class A {}", "A.java",
               "org.example.app.A");
}

TEST(JavaSource, PassesOverCommentsTextsAndInnerClasses) {
  expect_names(
      "// public class X {}\n/* public class Y {} */\n"
      "public class A { String s = \"public class Z { \\\" \"; char c = '\"';\n"
      "String t = \"\"\"\n } public class W { \"\"\";\n"
      "public static class In { static void main(String[] a) {} } }",
      "A.java", "A");
}

TEST(JavaSource, HasANameForWhatIsNoJava) {
  for (const auto* code : {"", "{", "}", "public class", "class {", "\"", "/*", "package", "'\\"})
    EXPECT_FALSE(java_source_of(code).file.empty());
  expect_names("void main() {}", "Main.java", "Main");
  EXPECT_EQ(java_source_of("public class " + std::string(5000, 'x')).file.size(), 205U);
}

TEST(JavaSource, TakesNoNameOfAClassForADeclaration) {
  EXPECT_EQ(java_source_of("@Foo(Bar.class) public class App { }").file, "App.java");
}

TEST(JavaSource, PassesOverEscapedQuotesInATextBlock) {
  constexpr std::string_view kCode =
      "class A { String s = \"\"\"\n \\\"\"\"hi { there\"\"\";\n"
      "public static void main(String[] a) {} }";
  EXPECT_EQ(java_source_of(kCode).main_class, "A");
}

}  // namespace
}  // namespace lazaret::runner
