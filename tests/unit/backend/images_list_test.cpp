#include "backend/images/list.hpp"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "unit/engine/fake_wire.hpp"

namespace lazaret::backend::images {
namespace {

using engine::test::client_of;
using engine::test::FakeEngine;
using engine::test::request_line;
using engine::test::says;
using engine::test::soon;

Definition python() { return definitions().front(); }

nlohmann::json inspected(const std::string& packages) {
  return {{"Id", "sha256:ab"},
          {"RepoDigests", {"docker.io/lazaret/python@sha256:cd"}},
          {"Size", 123456},
          {"Created", "2026-11-20T19:58:24.144605977Z"},
          {"Config",
           {{"Labels",
             {{"dev.lazaret.image", "python"},
              {"dev.lazaret.version", "0.0.9"},
              {"dev.lazaret.packages-sha256", packages}}}}}};
}

TEST(ImageList, ReadsWhatTheEngineSaysOfAnImage) {
  const Listed row = listed_from(python(), inspected(packages_sha256(python(), Contents::plain)));
  EXPECT_EQ(row.name, "python");
  EXPECT_EQ(row.reference, "lazaret/python:latest");
  EXPECT_EQ(row.id, "sha256:ab");
  EXPECT_EQ(row.digest, "docker.io/lazaret/python@sha256:cd");
  EXPECT_EQ(row.version, "0.0.9");
  EXPECT_EQ(row.size_bytes, 123456);
  ASSERT_TRUE(row.created);
  EXPECT_EQ(row.created->time_since_epoch().count(), 1795204704);
}

TEST(ImageList, CallsAnImageOfTheWantedPackagesCurrent) {
  const Listed row = listed_from(python(), inspected(packages_sha256(python(), Contents::plain)));
  EXPECT_EQ(row.state, State::current);
  EXPECT_EQ(row.contents, Contents::plain);
}

TEST(ImageList, KnowsAnImageThatCarriesTheTests) {
  const auto answer = inspected(packages_sha256(python(), Contents::with_tests));
  EXPECT_EQ(listed_from(python(), answer).state, State::current);
  EXPECT_EQ(listed_from(python(), answer).contents, Contents::with_tests);
}

TEST(ImageList, CallsAnImageOfOtherPackagesOutdated) {
  EXPECT_EQ(listed_from(python(), inspected("0123")).state, State::outdated);
}

TEST(ImageList, CallsAnImageThatIsNotOursOutdated) {
  auto answer = inspected(packages_sha256(python(), Contents::plain));
  answer["Config"]["Labels"]["dev.lazaret.image"] = "bash";
  EXPECT_EQ(listed_from(python(), answer).state, State::outdated);
}

TEST(ImageList, SurvivesAnAnswerOfAnotherShape) {
  const auto answer = nlohmann::json::parse(
      R"({"Id":7,"RepoDigests":"x","Size":"big","Created":"2026-99-01T00:00:00Z","Config":[]})");
  const Listed row = listed_from(python(), answer);
  EXPECT_EQ(row.state, State::outdated);
  EXPECT_EQ(row.id, "");
  EXPECT_FALSE(row.created);
}

TEST(ImageList, TakesNoTimeOfAnotherZoneForOurs) {
  auto answer = inspected("");
  answer["Created"] = "2026-11-20T19:58:24.144605977+02:00";
  EXPECT_FALSE(listed_from(python(), answer).created);
}

TEST(ImageList, HasARowForEachDefinitionAndSaysWhichAreMissing) {
  FakeEngine engine;
  const auto client = client_of(engine);
  engine.answers.push_back(says(200, inspected("").dump()));
  for (std::size_t missing = 1; missing < definitions().size(); ++missing)
    engine.answers.push_back(says(404, R"({"message":"no such image"})"));
  const auto rows = list(client, soon());
  ASSERT_TRUE(rows.ok());
  ASSERT_EQ(rows->size(), definitions().size());
  EXPECT_EQ(rows->at(0).state, State::outdated);
  EXPECT_EQ(rows->at(1).state, State::missing);
  EXPECT_EQ(rows->at(2).reference, "lazaret/node:latest");
  EXPECT_EQ(request_line(engine.request(0)),
            "GET /v1.41/images/docker.io/lazaret/python%3Alatest/json HTTP/1.1");
}

TEST(ImageList, DoesNotCallAnImageMissingWhenTheEngineIsInTrouble) {
  FakeEngine engine;
  const auto client = client_of(engine);
  engine.answers.push_back(says(500, R"({"message":"broken"})"));
  const auto rows = list(client, soon());
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code(), Errc::engine);
}

}  // namespace
}  // namespace lazaret::backend::images
