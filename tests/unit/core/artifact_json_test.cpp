#include "core/artifact_json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lazaret::core {
namespace {

using Kind = Artifact::Kind;

TEST(ArtifactHead, ComesBackAsItWas) {
  for (const Kind kind : {Kind::file, Kind::directory, Kind::link, Kind::other}) {
    for (const char* const path : {".", "d/\xc3\xa9 \"x\"", "\xff\xfe/\n"}) {
      const Artifact artifact{path, kind, 7, "text/plain", "content", kind == Kind::file};
      const auto again = head_of(head_json(artifact).dump());
      ASSERT_TRUE(again.ok()) << path;
      EXPECT_EQ(again->path, artifact.path);
      EXPECT_EQ(again->kind, artifact.kind);
      EXPECT_EQ(again->executable, artifact.executable);
      EXPECT_EQ(again->size, 0U);
      EXPECT_EQ(again->content, std::nullopt);
    }
  }
}

TEST(ArtifactHead, SaysPathsAsTextsWhereTheyAreAny) {
  EXPECT_EQ(head_json({"a", Kind::file, 0, {}, {}, true}).dump(),
            R"({"type":"file","path":"a","executable":true})");
  EXPECT_EQ(head_json({"\xff", Kind::link, 0, {}, {}, false}).dump(),
            R"({"type":"link","path_base64":"/w=="})");
}

TEST(ArtifactHead, IsNothingElse) {
  for (const char* const document :
       {"", "[]", "1", "{}", R"({"type":"file"})", R"({"path":"a"})", R"({"type":"x","path":"a"})",
        R"({"type":"file","path":1})", R"({"type":"file","path_base64":"?"})"})
    EXPECT_EQ(head_of(document).error().code(), Errc::protocol) << document;
}

}  // namespace
}  // namespace lazaret::core
