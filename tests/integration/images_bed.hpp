#pragma once

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/client.hpp"
#include "engine/endpoint.hpp"
#include "engine/image_make.hpp"
#include "integration/support.hpp"

namespace lazaret::test {

inline Call within_minutes(int minutes) { return Call{}.within(std::chrono::minutes(minutes)); }

/// Tests of images on "docker" or "podman", the parameter.
class ImagesBed : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string engine = GetParam();
    const char* const name = engine == "docker" ? "LAZARET_TEST_DOCKER" : "LAZARET_TEST_PODMAN";
    endpoint_ = variable(name);
    if (endpoint_.empty()) LAZARET_SKIP_OR_FAIL(engine, std::string(name) + " is not set");
    const auto parsed = engine::parse_endpoint(endpoint_);
    ASSERT_TRUE(parsed.ok()) << parsed.error().message();
    auto client =
        engine::EngineClient::negotiate(engine::dialer_for(*parsed), {}, within_minutes(1));
    ASSERT_TRUE(client.ok()) << client.error().message();
    client_.emplace(std::move(client).value());
  }

  [[nodiscard]] const engine::EngineClient& client() const { return *client_; }
  [[nodiscard]] nlohmann::json inspected(const std::string& image) const {
    auto found = engine::image::inspect(client(), image, within_minutes(1));
    if (found.ok()) return std::move(found).value();
    ADD_FAILURE() << found.error().message();
    return nlohmann::json::object();
  }
  [[nodiscard]] bool exists(const std::string& image) const {
    return engine::image::inspect(client(), image, within_minutes(1)).ok();
  }

  static void need_mmdebstrap() {
    if (::geteuid() != 0) GTEST_SKIP() << "mmdebstrap makes the files as root";
    if (std::filesystem::exists("/usr/bin/mmdebstrap")) return;
    LAZARET_SKIP_OR_FAIL("docker", "mmdebstrap is not installed");
  }

  void need_registry() {
    const std::string address = variable("LAZARET_TEST_REGISTRY");
    if (address.empty()) LAZARET_SKIP_OR_FAIL("registry", "LAZARET_TEST_REGISTRY is not set");
    repository_ = address + "/lazaret-test/" + std::string(GetParam());
  }
  /// An image in the registry, which this engine may not have.
  [[nodiscard]] std::string by_tag() const { return repository_ + ":latest"; }
  /// Puts an image there that the engine no longer has then. Its name by digest, or what went
  /// wrong.
  [[nodiscard]] std::string published(const http::BodySource& tar) {
    const auto made = engine::image::import_tar(
        client(), {.repository = repository_, .tag = "latest"}, tar, within_minutes(2));
    if (!made.ok()) return made.error().message();
    if (const Ended pushed = push(); pushed.status != 0) return pushed.err;
    EXPECT_TRUE(remove(by_tag()).ok());
    const Status pulled = engine::image::pull(client(), {.reference = by_tag()}, within_minutes(1));
    if (!pulled.ok()) return pulled.error().message();
    const nlohmann::json digests = inspected(by_tag())["RepoDigests"];
    EXPECT_TRUE(remove(by_tag()).ok());
    return digests.is_array() && !digests.empty() ? digests.front().get<std::string>()
                                                  : "no digest";
  }
  [[nodiscard]] Status remove(const std::string& image) const {
    return engine::image::remove(client(), image, within_minutes(1));
  }

 private:
  // By the engines' own programs: we never push.
  [[nodiscard]] Ended push() const {
    if (GetParam() == std::string("docker"))
      return run_program({.argv = {"docker", "-H", endpoint_, "push", "-q", by_tag()}});
    return run_program(
        {.argv = {"podman", "--url", endpoint_, "push", "-q", "--tls-verify=false", by_tag()}});
  }

  std::string endpoint_, repository_;
  std::optional<engine::EngineClient> client_;
};

}  // namespace lazaret::test
