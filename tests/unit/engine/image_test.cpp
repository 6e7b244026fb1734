#include "engine/image.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/image_make.hpp"
#include "unit/engine/fake_wire.hpp"

namespace lazaret::engine::image {
namespace {

using test::FakeEngine;
using test::request_line;
using test::says;
using test::soon;

const std::string kId = "sha256:" + std::string(64, 'a');

class EngineImage : public testing::Test {
 protected:
  [[nodiscard]] std::string last_line() const { return request_line(engine_.last_request()); }

  FakeEngine engine_;
  EngineClient client_ = test::client_of(engine_);
};

TEST_F(EngineImage, IsInspectedByReference) {
  engine_.answers.push_back(says(200, R"({"Id":"x"})"));
  EXPECT_TRUE(inspect(client_, "docker.io/library/bb@sha256:1", soon()).ok());
  EXPECT_EQ(last_line(), "GET /v1.41/images/docker.io/library/bb%40sha256%3A1/json HTTP/1.1");
}

TEST_F(EngineImage, ThatIsNotThereIsImageMissingP46) {
  engine_.answers.push_back(says(404, "{}"));
  EXPECT_EQ(inspect(client_, "bb", soon()).error().code(), Errc::image_missing);
}

TEST_F(EngineImage, IsListedByLabel) {
  engine_.answers.push_back(
      says(200, R"([{"Id":"x","RepoTags":["bb:1"],"RepoDigests":null,"Size":5}])"));
  const auto result = list(client_, {"a=b"}, soon());
  ASSERT_EQ(result->size(), 1U);
  EXPECT_EQ(result->at(0).tags, std::vector<std::string>{"bb:1"});
  EXPECT_EQ(last_line(),
            "GET /v1.41/images/json?filters=%7B%22label%22%3A%5B%22a%3Db%22%5D%7D HTTP/1.1");
}

TEST_F(EngineImage, RemovedAlreadyIsRemoved) {
  engine_.answers.push_back(says(404, "{}"));
  EXPECT_TRUE(remove(client_, "bb", soon()).ok());
  EXPECT_EQ(last_line(), "DELETE /v1.41/images/bb HTTP/1.1");
}

TEST_F(EngineImage, PullShowsItsProgress) {
  engine_.answers.push_back(says(200,
                                 "{\"status\":\"Downloading\",\"id\":\"l1\",\"progressDetail\":"
                                 "{\"current\":5,\"total\":9}}\r\n{\"status\":\"done\"}\r\n"));
  std::vector<Progress> seen;
  const Status status =
      pull(client_,
           {.reference = "bb:1",
            .platform = "linux/amd64",
            .progress = [&seen](const Progress& progress) { seen.push_back(progress); }},
           soon());
  ASSERT_TRUE(status.ok()) << status.error().message();
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].id, "l1");
  EXPECT_EQ(seen[0].current_bytes, 5);
  EXPECT_EQ(seen[0].total_bytes, 9);
  EXPECT_EQ(last_line(),
            "POST /v1.41/images/create?fromImage=bb%3A1&platform=linux%2Famd64 HTTP/1.1");
}

TEST_F(EngineImage, PullThatFailsInsideA200IsAnErrorP35) {
  engine_.answers.push_back(says(200,
                                 "{\"status\":\"Pulling\"}\n{\"errorDetail\":{\"message\":"
                                 "\"no\\u001broute\"},\"error\":\"no route\"}\n"));
  const Status status = pull(client_, {.reference = "bb"}, soon());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), Errc::engine);
  EXPECT_EQ(status.error().message(), "pulling the image: no route");
}

TEST_F(EngineImage, PullOfWhatTheRegistryDoesNotHaveIsImageMissingP35) {
  engine_.answers.push_back(says(200, R"({"errorDetail":{"code":404,"message":"unknown"}})"));
  EXPECT_EQ(pull(client_, {.reference = "bb"}, soon()).error().code(), Errc::image_missing);
}

TEST_F(EngineImage, PullWithTheOldErrorStringAloneFailsTooP35) {
  engine_.answers.push_back(says(200, R"({"error":"no route"})"));
  EXPECT_EQ(pull(client_, {.reference = "bb"}, soon()).error().code(), Errc::engine);
}

// As Podman 4.3 says it; words of somebody else in the middle of a text decide nothing.
TEST_F(EngineImage, PullOfWhatTheRegistryItselfDoesNotKnowIsImageMissingP35) {
  engine_.answers.push_back(
      says(200, R"({"error":"reading manifest 1 in r/bb: manifest unknown: manifest unknown"})"));
  EXPECT_EQ(pull(client_, {.reference = "bb"}, soon()).error().code(), Errc::image_missing);
  engine_.answers.push_back(
      says(200, R"({"error":"reading: name unknown: repository name not known to registry"})"));
  EXPECT_EQ(pull(client_, {.reference = "bb"}, soon()).error().code(), Errc::image_missing);
  engine_.answers.push_back(says(200, R"({"error":"manifest unknown-to-us: no route"})"));
  EXPECT_EQ(pull(client_, {.reference = "bb"}, soon()).error().code(), Errc::engine);
}

// The fake ends the program when it is asked to wait for ever.
TEST_F(EngineImage, IsBroughtWithinABoundThoughTheCallSetsNone_P30) {
  const http::BodySource tar = http::source_of(bytes_of("tar"));
  const std::function<Errc()> kEach[] = {
      [&] { return pull(client_, {.reference = "bb"}, Call{}).error().code(); },
      [&] { return import_tar(client_, {}, tar, Call{}).error().code(); },
      [&] { return load(client_, tar, Call{}).error().code(); },
      [&] { return build(client_, {}, tar, Call{}).error().code(); }};
  for (const auto& bring : kEach) {
    engine_.answers.push_back({.bytes = "", .then = test::Then::silence});
    EXPECT_EQ(bring(), Errc::timed_out);
  }
}

TEST_F(EngineImage, MayBeTalkedOfIn64MiBAndNoMore) {
  constexpr std::size_t kMost = 64UL << 20;
  const auto said = [this](std::size_t bytes) {
    std::string text(bytes, ' ');
    for (std::size_t end = 0; end < bytes; end += 1UL << 19) text[end] = '\n';
    engine_.answers.push_back(says(200, text));
    return pull(client_, {.reference = "bb"}, soon());
  };
  EXPECT_TRUE(said(kMost).ok());
  EXPECT_EQ(said(kMost + 1).error().code(), Errc::too_large);
}

TEST_F(EngineImage, PullThatIsCutOffIsALostConnection) {
  engine_.answers.push_back({.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                      "10\r\n{\"status\":\"x\"}\n\n\r\n"});
  EXPECT_EQ(pull(client_, {.reference = "bb"}, soon()).error().code(), Errc::connection_lost);
}

TEST_F(EngineImage, IsImportedFromAStreamWithoutClosingTheConnection) {
  engine_.answers.push_back(says(200, "{\"status\":\"" + kId + "\"}\n"));
  const auto result =
      import_tar(client_, {.repository = "bb", .tag = "1", .changes = {"CMD [\"sh\"]", "USER 1"}},
                 http::source_of(bytes_of("tar")), soon());
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(result->id, kId);
  EXPECT_EQ(last_line(),
            "POST /v1.41/images/create?fromSrc=-&repo=bb%3A1&"
            "changes=CMD%20%5B%22sh%22%5D&changes=USER%201 HTTP/1.1");
  EXPECT_TRUE(test::has_header(engine_.last_request(), "Content-Type: application/x-tar"));
  EXPECT_FALSE(test::has_header(engine_.last_request(), "Connection: close"));
  EXPECT_EQ(test::request_body(engine_.last_request()), "3\r\ntar\r\n0\r\n\r\n");
}

TEST_F(EngineImage, ImportWithoutAnIdIsAProtocolError) {
  engine_.answers.push_back(says(200, R"({"status":"sha256:short"})"));
  EXPECT_EQ(import_tar(client_, {}, http::source_of(bytes_of("t")), soon()).error().code(),
            Errc::protocol);
}

TEST_F(EngineImage, ImportEndsWithTheErrorOfItsSource) {
  engine_.answers.push_back(says(200, "{}"));
  const http::BodySource broken = [](std::span<std::byte>) -> Result<std::size_t> {
    return Error(Errc::system, "disk");
  };
  EXPECT_EQ(import_tar(client_, {}, broken, soon()).error().code(), Errc::system);
}

TEST_F(EngineImage, LoadReturnsTheNamesTheEngineGave) {
  engine_.answers.push_back(says(200,
                                 "{\"stream\":\"Loaded image: localhost/bb:latest\\n\"}\n"
                                 "{\"stream\":\"Loaded image ID: sha256:ab\\n\"}\n"));
  const auto result = load(client_, http::source_of(bytes_of("t")), soon());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->images, (std::vector<std::string>{"localhost/bb:latest", "sha256:ab"}));
  EXPECT_EQ(last_line(), "POST /v1.41/images/load?quiet=1 HTTP/1.1");
}

TEST_F(EngineImage, LoadTakesAThousandNamesAndNoMore) {
  for (const int names : {1000, 1001}) {
    std::string lines;
    for (int name = 0; name < names; ++name) lines += "{\"stream\":\"Loaded image: a\\n\"}\n";
    engine_.answers.push_back(says(200, lines));
    const auto result = load(client_, http::source_of(bytes_of("t")), soon());
    EXPECT_EQ(result.ok(), names == 1000);
    if (!result.ok()) {
      EXPECT_EQ(result.error().code(), Errc::protocol);
    }
  }
}

TEST_F(EngineImage, IsBuilt) {
  engine_.answers.push_back(says(
      200, "{\"stream\":\"Step 1\\n\"}\n{\"aux\":{\"ID\":\"" + kId + "\"}}\n{\"stream\":\"x\"}\n"));
  const auto result =
      build(client_, {.tags = {"a:1", "b:1"}}, http::source_of(bytes_of("t")), soon());
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(result->id, kId);
  EXPECT_EQ(last_line(),
            "POST /v1.41/build?dockerfile=Dockerfile&labels=%7B%7D&buildargs=%7B%7D&rm=1&"
            "forcerm=1&t=a%3A1&t=b%3A1 HTTP/1.1");
}

TEST_F(EngineImage, BuildThatFailsInsideA200IsAnErrorP35) {
  engine_.answers.push_back(says(200, R"({"errorDetail":{"code":1,"message":"exit 1"}})"));
  EXPECT_EQ(build(client_, {}, http::source_of(bytes_of("t")), soon()).error().code(),
            Errc::engine);
}

}  // namespace
}  // namespace lazaret::engine::image
