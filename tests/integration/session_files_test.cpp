#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "integration/support.hpp"

// What a session says of the files in its box.
namespace lazaret::test {
namespace {

class SessionFilesOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    sandbox_.emplace(sandbox_on(GetParam()));
    auto session = sandbox_->open_session({});
    ASSERT_TRUE(session.ok()) << session.error().message();
    session_.emplace(std::move(session).value());
  }

  std::optional<CodeSandbox> sandbox_;
  std::optional<Session> session_;
};
INSTANTIATE_TEST_SUITE_P(EachBackend, SessionFilesOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(SessionFilesOn, TellsWhatHasAName) {
  const char* const code = "mkdir d; echo abc > d/f; chmod 755 d/f; ln -s d l";
  ASSERT_TRUE(session_->execute(bash(code)).success());
  const auto file = session_->stat("d/f");
  ASSERT_TRUE(file.ok()) << file.error().message();
  EXPECT_EQ(file->path, "d/f");
  EXPECT_EQ(file->kind, Artifact::Kind::file);
  EXPECT_EQ(file->size, 4U);
  EXPECT_TRUE(file->executable);
  EXPECT_FALSE(file->content);
  for (const auto& [path, kind] : {std::pair{"d", Artifact::Kind::directory},
                                   {".", Artifact::Kind::directory},
                                   {"l", Artifact::Kind::link}}) {
    const auto seen = session_->stat(path);
    ASSERT_TRUE(seen.ok()) << seen.error().message();
    EXPECT_EQ(seen->kind, kind) << path;
  }
}

TEST_P(SessionFilesOn, TellsOfNothingThatIsNotBelowWork) {
  const char* const code = "echo abc > f; ln -s /etc e; ln -s /etc/passwd p";
  ASSERT_TRUE(session_->execute(bash(code)).success());
  for (const char* const path : {"none", "f/x", "e/passwd", ".."})
    EXPECT_FALSE(session_->stat(path).ok()) << path;
  const auto link = session_->stat("p");
  ASSERT_TRUE(link.ok()) << link.error().message();
  EXPECT_EQ(link->kind, Artifact::Kind::link);
}

}  // namespace
}  // namespace lazaret::test
