#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "backend/docker/connect.hpp"
#include "engine/client.hpp"
#include "engine/container.hpp"
#include "engine/endpoint.hpp"
#include "engine/volume.hpp"
#include "policy/spec.hpp"
#include "runner/client.hpp"

/// A real engine for the tests of the container backend, and what a caller of a box does.
namespace lazaret::test {

inline constexpr const char* kImage = "lazaret/python:latest";

[[nodiscard]] inline Call within_seconds(int seconds) {
  return Call{}.within(std::chrono::seconds(seconds));
}

/// Changes the body of a create request on its way to the engine.
using Strip = std::function<void(nlohmann::json& body)>;

/// Passes everything on but create requests, which it holds until they are whole and rewrites.
class StrippingWire final : public Wire {
 public:
  StrippingWire(std::unique_ptr<Wire> wire, const Strip& strip)
      : wire_(std::move(wire)), strip_(strip) {}

  Result<std::size_t> read(std::span<std::byte> into, const Call& call) override {
    return wire_->read(into, call);
  }
  Status write(Bytes bytes, const Call& call) override {
    if (passed_) return wire_->write(bytes, call);
    held_ += text_of(bytes);
    const std::size_t head = held_.find("\r\n\r\n");
    if (head == held_.npos) return {};
    const std::string line = held_.substr(0, held_.find("\r\n"));
    const bool helper = line.find("name=lazaret-fill") != line.npos;
    const bool create = line.find("/containers/create") != line.npos && !helper;
    if (create && !rewritten(head)) return {};
    passed_ = true;
    return wire_->write(bytes_of(held_), call);
  }
  Status close_write() override { return wire_->close_write(); }

 private:
  bool rewritten(std::size_t head) {
    const std::string field = "Content-Length: ";
    const std::size_t at = held_.find(field) + field.size();
    const std::size_t end = held_.find("\r\n", at);
    if (held_.size() < head + 4 + std::stoul(held_.substr(at, end - at))) return false;
    nlohmann::json body = nlohmann::json::parse(held_.substr(head + 4));
    strip_(body);
    const std::string text = body.dump();
    held_ = held_.substr(0, at) + std::to_string(text.size()) + held_.substr(end, head + 4 - end) +
            text;
    return true;
  }

  std::unique_ptr<Wire> wire_;
  const Strip& strip_;
  std::string held_;
  bool passed_ = false;
};

class StrippingDialer final : public engine::Dialer {
 public:
  StrippingDialer(std::unique_ptr<Dialer> dialer, Strip strip)
      : dialer_(std::move(dialer)), strip_(std::move(strip)) {}
  Result<std::unique_ptr<Wire>> dial(const Call& call) override {
    auto wire = dialer_->dial(call);
    if (!wire.ok()) return wire;
    return std::unique_ptr<Wire>(std::make_unique<StrippingWire>(std::move(wire).value(), strip_));
  }
  std::string endpoint() const override { return dialer_->endpoint(); }

 private:
  std::unique_ptr<Dialer> dialer_;
  Strip strip_;
};

/// What a program wrote.
class Collected final : public runner::Sink {
 public:
  Status output(Stream stream, Bytes bytes) override {
    (stream == Stream::standard_output ? out : err) += text_of(bytes).substr(0, 1UL << 16);
    return {};
  }
  void value(Bytes) override {}
  void credit(std::uint32_t) override {}

  std::string out;
  std::string err;
};

[[nodiscard]] inline engine::EngineClient client_on(const std::string& endpoint) {
  auto client = engine::EngineClient::negotiate(engine::default_dialer(endpoint).value(), {},
                                                within_seconds(20));
  return std::move(client).value();
}

[[nodiscard]] inline std::vector<std::string> own_labels() {
  const backend::docker::Instance instance = backend::docker::this_process();
  return {"dev.lazaret.pid=" + std::to_string(instance.pid),
          "dev.lazaret.started=" + instance.started};
}

/// Whether all of these ("NAME=value") are among them.
[[nodiscard]] inline bool has_all(const std::map<std::string, std::string>& labels,
                                  const std::vector<std::string>& wanted) {
  return std::ranges::all_of(wanted, [&labels](const std::string& word) {
    const std::size_t equals = word.find('=');
    const auto found = labels.find(word.substr(0, equals));
    return found != labels.end() && found->second == word.substr(equals + 1);
  });
}

/// Containers and volumes with these labels that the engine has. Podman gives volumes with any of
/// them, and two processes may have started in one tick.
[[nodiscard]] inline std::vector<std::string> left_behind(
    const std::string& endpoint, const std::vector<std::string>& labels = own_labels()) {
  const engine::EngineClient client = client_on(endpoint);
  std::vector<std::string> names;
  const auto containers = engine::container::list(client, {labels, false}, within_seconds(10));
  if (!containers.ok()) return {containers.error().message()};
  for (const auto& container : *containers) names.push_back(container.names.front());
  const auto volumes = engine::volume::list(client, labels, within_seconds(10));
  if (!volumes.ok()) return {volumes.error().message()};
  for (const auto& volume : *volumes) {
    if (has_all(volume.labels, labels)) names.push_back(volume.name);
  }
  return names;
}

[[nodiscard]] inline policy::Spec spec_of(std::vector<std::string> argv) {
  policy::Spec spec;
  spec.language = "exec";
  spec.image = kImage;
  spec.program.argv = std::move(argv);
  spec.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
  spec.required = default_required_controls();
  return spec;
}

/// The engine under test: "docker" or "podman", at LAZARET_TEST_DOCKER or LAZARET_TEST_PODMAN.
class DockerBed : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const bool docker = is_docker();
    const char* const variable = docker ? "LAZARET_TEST_DOCKER" : "LAZARET_TEST_PODMAN";
    const char* const endpoint = std::getenv(variable);
    if (endpoint == nullptr) return refuse_or_skip(std::string(variable) + " is not set");
    endpoint_ = endpoint;
    backend_ = connected(engine::default_dialer);
    ASSERT_NE(backend_, nullptr);
  }

  void TearDown() override {
    if (!backend_) return;
    backend_.reset();
    EXPECT_EQ(left_behind(endpoint_), std::vector<std::string>());
  }

  [[nodiscard]] std::unique_ptr<backend::Backend> connected(engine::DialerFactory dialer) const {
    backend::docker::DockerBackendOptions options;
    options.host = endpoint_;
    options.search.dialer = std::move(dialer);
    auto made = backend::docker::connect(std::move(options), within_seconds(20));
    if (made.backend.ok()) return std::move(made.backend).value();
    ADD_FAILURE() << made.backend.error().message();
    return nullptr;
  }
  /// A backend whose create requests are changed on their way to the real engine.
  [[nodiscard]] std::unique_ptr<backend::Backend> stripped(const Strip& strip) const {
    return connected([strip](const std::string& text) -> Result<std::unique_ptr<engine::Dialer>> {
      auto dialer = engine::default_dialer(text);
      if (!dialer.ok()) return dialer;
      return std::unique_ptr<engine::Dialer>(
          std::make_unique<StrippingDialer>(std::move(dialer).value(), strip));
    });
  }
  [[nodiscard]] engine::EngineClient plain_client() const { return client_on(endpoint_); }

  [[nodiscard]] bool is_docker() const { return engine() == "docker"; }
  /// Which of them, where the parameter says more.
  [[nodiscard]] virtual std::string engine() const { return GetParam(); }

  [[nodiscard]] std::unique_ptr<backend::Box> open(const policy::Spec& spec) const {
    auto box = backend_->open(spec, within_seconds(60));
    if (box.ok()) return std::move(box).value();
    ADD_FAILURE() << box.error().message() << "; " << box.error().hint();
    return nullptr;
  }
  [[nodiscard]] static Result<runner::Ending> run(backend::Box& box, const policy::Spec& spec,
                                                  Collected& collected,
                                                  std::chrono::milliseconds most) {
    runner::Client client(box.wire());
    runner::Job job;
    job.argv = spec.program.argv;
    for (const auto& [name, value] : spec.environment) {
      job.environment.push_back(name + "=" + value);
    }
    job.working_directory = spec.program.working_directory;
    if (const Status started = client.start(job, within_seconds(10)); !started.ok()) {
      return started.error();
    }
    return client.await(collected, Call{}.within(most));
  }

  std::string endpoint_;
  backend::docker::Instance instance_ = backend::docker::this_process();
  std::unique_ptr<backend::Backend> backend_;

 private:
  void refuse_or_skip(const std::string& why) {
    const char* const required = std::getenv("LAZARET_REQUIRE");
    const std::string list = "," + std::string(required == nullptr ? "" : required) + ",";
    if (list.find("," + engine() + ",") != list.npos) FAIL() << why;
    GTEST_SKIP() << why;
  }
};

[[nodiscard]] inline std::string engine_name(const testing::TestParamInfo<std::string>& info) {
  return info.param == "docker" ? "Docker" : "Podman";
}

}  // namespace lazaret::test
