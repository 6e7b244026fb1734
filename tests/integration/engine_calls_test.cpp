#include <sys/utsname.h>

#include <array>
#include <filesystem>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.hpp"
#include "base/try.hpp"
#include "base/undo.hpp"
#include "engine/archive.hpp"
#include "engine/exec.hpp"
#include "engine/image_make.hpp"
#include "engine/json.hpp"
#include "engine/system.hpp"
#include "engine/tar.hpp"
#include "integration/docker_bed.hpp"
#include "runner/image.hpp"
#include "integration/support.hpp"
#include "soon.hpp"

// Calls of the Engine API that a run needs little or not at all, on real engines.
namespace lazaret::engine {
namespace {

using test::becomes_true;
using test::Json;
using test::soon;
using testing::AnyOf;
using testing::ElementsAre;
using testing::Pair;

constexpr const char* kImageMark = "dev.lazaret.test";

/// What a further program in a container wrote, and how it ended.
struct ExecTale {
  std::string out, err;
  exec::Inspection end;
};

template <typename T>
std::string failure_code(const Result<T>& answer) {
  return answer.ok() ? "none" : std::string(name_of(answer.error().code()));
}

http::BodySink appending_to(std::string& text) {
  return [&text](Bytes piece) -> Status {
    text += text_of(piece);
    return {};
  };
}

// Podman has words of its own, in some versions for its Docker-like API as well.
std::string step_of(const Json& event) {
  const std::string action = text_at(event, "Action");
  if (action != "die" && action != "died") return action == "remove" ? "destroy" : action;
  const Json& attributes = member(member(event, "Actor"), "Attributes");
  const std::string code = text_at(attributes, "containerExitCode");
  return "die " + (code.empty() ? text_at(attributes, "exitCode") : code);
}

/// An archive in the layout of `docker save`: one image with one layer with one file.
Result<std::string> saved_image(const std::string& name, const std::string& mark,
                                const std::string& architecture) {
  LAZARET_TRY(const std::string layer, write_tar({{.path = "note", .content = mark}}));
  const std::string digest = "sha256:" + to_hex(sha256(bytes_of(layer)));
  const Json once = {{"created", "1970-01-01T00:00:00Z"}, {"created_by", "a test"}};
  const Json config = {
      {"architecture", architecture},
      {"os", "linux"},
      {"created", once["created"]},
      {"config", {{"Cmd", Json::array({"/note"})}, {"Labels", {{kImageMark, mark}}}}},
      {"rootfs", {{"type", "layers"}, {"diff_ids", Json::array({digest})}}},
      {"history", Json::array({once})}};
  const Json manifest = Json::array({{{"Config", "config.json"},
                                      {"RepoTags", Json::array({name})},
                                      {"Layers", Json::array({"layer.tar"})}}});
  return write_tar({{.path = "layer.tar", .content = layer},
                    {.path = "config.json", .content = config.dump()},
                    {.path = "manifest.json", .content = manifest.dump()}});
}

class EngineCalls : public test::DockerBed {
 protected:
  void SetUp() override {
    DockerBed::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) client_.emplace(plain_client());
  }
  // What the test has made goes before the bed looks for what is left.
  void TearDown() override {
    undo_.reset();
    DockerBed::TearDown();
  }

  [[nodiscard]] const EngineClient& client() const { return *client_; }
  /// A label that the containers of this test have, and no others.
  [[nodiscard]] std::string label() const { return "dev.lazaret.run=" + marker_; }

  /// A container that has not been started; empty when it could not be made.
  [[nodiscard]] std::string created(const std::vector<std::string>& words) {
    const auto made = container::create(client(), "", body_of(words), soon());
    EXPECT_TRUE(made.ok()) << made.error().message();
    if (!made.ok()) return {};
    undo_->add([this, id = made->id] { EXPECT_EQ(failure_code(removed(id)), "none") << id; });
    return made->id;
  }
  [[nodiscard]] std::string started(const std::vector<std::string>& words) {
    const std::string id = created(words);
    const Status status = container::start(client(), id, soon());
    EXPECT_TRUE(status.ok()) << status.error().message();
    return status.ok() ? id : std::string();
  }
  [[nodiscard]] Status removed(const std::string& id) const {
    return container::remove(client(), id, container::Volumes::remove, soon());
  }
  /// Ids and states.
  [[nodiscard]] std::map<std::string, std::string> listed(
      const container::ListOptions& options) const {
    const auto found = container::list(client(), options, soon());
    if (!found.ok()) return {{"error", found.error().message()}};
    std::map<std::string, std::string> states;
    for (const container::Summary& one : *found) states[one.id] = one.state;
    return states;
  }

  [[nodiscard]] static Json exec_body(const std::vector<std::string>& words) {
    return {{"Cmd", words}, {"AttachStdout", true}, {"AttachStderr", true}, {"Tty", false}};
  }
  /// The first look at an exec that shows this state, and its process while it runs.
  [[nodiscard]] exec::Inspection shown(const std::string& id, exec::State state) const {
    exec::Inspection seen;
    // Its stream may end before the engine has noted that the program has.
    EXPECT_TRUE(becomes_true(std::chrono::seconds(10), [this, &id, state, &seen] {
      const auto found = exec::inspect(client(), id, soon());
      if (!found.ok()) return false;
      seen = *found;
      return seen.state == state && (seen.pid > 0 || state != exec::State::running);
    })) << static_cast<int>(seen.state);
    return seen;
  }
  /// Standard output to its end, or as many bytes of it.
  [[nodiscard]] static std::string read_from(AttachStream& stream, std::size_t most = 4096) {
    const Call call = soon();
    std::string text;
    std::array<std::byte, 4096> room{};
    while (text.size() < most) {
      const auto count = stream.read(std::span(room).first(most - text.size()), call);
      EXPECT_TRUE(count.ok()) << count.error().message();
      if (!count.ok() || *count == 0) break;
      text += text_of(Bytes(room).first(*count));
    }
    return text;
  }
  /// The whole story of a further program without input.
  [[nodiscard]] Result<ExecTale> told_by(const std::string& box,
                                         const std::vector<std::string>& words) const {
    LAZARET_TRY(const std::string id, exec::create(client(), box, exec_body(words), soon()));
    LAZARET_TRY(const auto stream, exec::start(client(), id, Framing::multiplexed, soon()));
    return ExecTale{read_from(*stream), stream->standard_error().text,
                    shown(id, exec::State::exited)};
  }

  /// Leads `exit 7` on, once its last step was told of; `cancelled` when it is gone.
  [[nodiscard]] Status lead(const std::string& id, const Json& event,
                            std::vector<std::string>& told) const {
    EXPECT_EQ(text_at(member(event, "Actor"), "ID"), id);
    const std::string step = step_of(event);
    const bool ended = step.starts_with("die ");
    if (step == "create" || step == "start" || ended || step == "destroy") told.push_back(step);
    if (step == "create") return container::start(client(), id, soon());
    if (step == "destroy") return Error(Errc::cancelled, "it has been seen to its end");
    return ended ? removed(id) : Status();
  }

  const std::string marker_ = test::unique_marker();
  std::optional<Undo> undo_{std::in_place};

 private:
  // Podman's own limits are more than root may have everywhere.
  [[nodiscard]] Json body_of(const std::vector<std::string>& words) const {
    Json host = {{"NetworkMode", "none"}};
    for (const char* const name : {"nofile", "nproc"})
      host["Ulimits"].push_back({{"Name", name}, {"Soft", 1024}, {"Hard", 1024}});
    return {{"Image", test::kImage},   {"Cmd", words},
            {"Entrypoint", Json()},    {"WorkingDir", "/tmp"},
            {"StopSignal", "SIGKILL"}, {"Labels", backend::docker::labels_of(instance_, marker_)},
            {"HostConfig", host}};
  }

  std::optional<EngineClient> client_;
};

INSTANTIATE_TEST_SUITE_P(Engines, EngineCalls, testing::Values("docker", "podman"),
                         test::engine_name);

TEST_P(EngineCalls, TellWhichEngineAnswers) {
  EXPECT_EQ(failure_code(system::ping(client(), soon())), "none");
  const Identity& identity = client().identity();
  EXPECT_EQ(name_of(identity.kind), GetParam());
  EXPECT_EQ(identity.os, "linux");
  EXPECT_GE(identity.api, std::max(kOldestApi, identity.oldest_api));
  EXPECT_LE(identity.api, std::min(kNewestApi, identity.newest_api));
}

TEST_P(EngineCalls, TellWhatTheirMachineCanDo) {
  const auto info = system::info(client(), soon());
  ASSERT_TRUE(info.ok()) << info.error().message();
  EXPECT_EQ(info->server_version, client().identity().version);
  EXPECT_EQ(info->os_type, "linux");
  utsname here{};
  ASSERT_EQ(::uname(&here), 0);
  const std::string release = here.release;
  const std::size_t numbers = release.find_first_not_of("0123456789.");
  EXPECT_THAT(info->kernel_version, testing::StartsWith(release.substr(0, numbers)));
  const bool unified = std::filesystem::exists("/sys/fs/cgroup/cgroup.controllers");
  EXPECT_EQ(info->cgroup_version, unified ? "2" : "1");
  EXPECT_FALSE(info->name.empty() || info->operating_system.empty());
  EXPECT_FALSE(info->storage_driver.empty() || info->cgroup_driver.empty());
  EXPECT_THAT(info->runtimes, testing::Contains(info->default_runtime));
  EXPECT_TRUE(info->memory_limit && info->pids_limit && info->seccomp);
}

TEST_P(EngineCalls, SayWhatIsNotThere) {
  const std::string nobody = "lazaret-nosuch-" + marker_;
  const auto begun = exec::start(client(), nobody, Framing::multiplexed, soon());
  EXPECT_EQ(failure_code(container::inspect(client(), nobody, soon())), "not_found");
  EXPECT_EQ(failure_code(container::start(client(), nobody, soon())), "not_found");
  EXPECT_EQ(failure_code(container::stats(client(), nobody, soon())), "not_found");
  EXPECT_EQ(failure_code(exec::create(client(), nobody, exec_body({"x"}), soon())), "not_found");
  EXPECT_EQ(failure_code(begun), "not_found");
  EXPECT_EQ(failure_code(exec::inspect(client(), nobody, soon())), "not_found");
  EXPECT_EQ(failure_code(archive::stat(client(), nobody, "/", soon())), "not_found");
  EXPECT_EQ(failure_code(removed(nobody)), "none") << "what is not there is removed";
}

TEST_P(EngineCalls, ListContainersThatHaveAllLabels) {
  const std::string made = created({"true"});
  const std::string busy = started({"sleep", "60"});
  const std::map<std::string, std::string> both = {{made, "created"}, {busy, "running"}};
  EXPECT_EQ(listed({.labels = {label()}}), both);
  EXPECT_EQ(listed({.labels = {label(), "dev.lazaret.owner"}}), both);
  EXPECT_TRUE(listed({.labels = {label(), "dev.lazaret.owner=nobody"}}).empty());
  EXPECT_THAT(listed({.labels = {label()}, .running_only = true}),
              ElementsAre(Pair(busy, "running")));
}

TEST_P(EngineCalls, TellTheLifeOfAContainerAsItGoesOn) {
  const std::string id = created({"sh", "-c", "exit 7"});
  const auto found = container::list(client(), {.labels = {label()}}, soon());
  ASSERT_TRUE(found.ok()) << found.error().message();
  ASSERT_EQ(found->size(), 1U);
  const std::string since = std::to_string(found->front().created);
  (void)started({"true"});
  std::vector<std::string> told;
  const Status ended = system::events(
      client(), {.filters = {{"container", {id}}}, .since = since},
      [this, &id, &told](const Json& event) { return lead(id, event, told); }, soon());
  ASSERT_FALSE(ended.ok()) << "the stream has ended by itself";
  EXPECT_EQ(ended.error().code(), Errc::cancelled) << ended.error().message();
  EXPECT_THAT(told, ElementsAre("create", "start", "die 7", "destroy"));
  EXPECT_EQ(failure_code(container::inspect(client(), id, soon())), "not_found");
}

TEST_P(EngineCalls, AreListenedToNoLongerThanTheCallAllows) {
  const Status ended = system::events(
      client(), {.filters = {{"container", {"lazaret-nosuch-" + marker_}}}},
      [](const Json& event) -> Status { return Error(Errc::protocol, event.dump()); },
      Call{}.within(std::chrono::milliseconds(500)));
  EXPECT_EQ(failure_code(ended), "timed_out");
}

TEST_P(EngineCalls, RunAFurtherProgramAndKeepItsOutputsApart) {
  const auto tale =
      told_by(started({"sleep", "60"}), {"sh", "-c", "echo out; echo err >&2; echo more; exit 7"});
  ASSERT_TRUE(tale.ok()) << tale.error().message();
  EXPECT_EQ(tale->out, "out\nmore\n");
  EXPECT_EQ(tale->err, "err\n");
  EXPECT_EQ(tale->end.exit_code, 7);
}

TEST_P(EngineCalls, GiveAFurtherProgramItsInputToTheEnd) {
  const std::string box = started({"sleep", "60"});
  Json body = exec_body({"sh", "-c", "cat; echo ended >&2"});
  body["AttachStdin"] = true;
  const auto id = exec::create(client(), box, body, soon());
  ASSERT_TRUE(id.ok()) << id.error().message();
  EXPECT_EQ(shown(*id, exec::State::created).pid, 0);
  const auto stream = exec::start(client(), *id, Framing::multiplexed, soon());
  ASSERT_TRUE(stream.ok()) << stream.error().message();
  ASSERT_EQ(failure_code((*stream)->write(bytes_of("one\n"), soon())), "none");
  EXPECT_EQ(read_from(**stream, 4), "one\n");
  EXPECT_FALSE(shown(*id, exec::State::running).exit_code) << "it waits for more";
  ASSERT_EQ(failure_code((*stream)->write(bytes_of("two\n"), soon())), "none");
  ASSERT_EQ(failure_code((*stream)->close_write()), "none");
  EXPECT_EQ(read_from(**stream), "two\n");
  EXPECT_EQ((*stream)->standard_error().text, "ended\n");
  EXPECT_EQ(shown(*id, exec::State::exited).exit_code, 0);
}

TEST_P(EngineCalls, SayWhyAFurtherProgramCannotBegin) {
  const auto tale = told_by(started({"sleep", "60"}), {"lazaret-nosuch"});
  ASSERT_TRUE(tale.ok()) << tale.error().message();
  EXPECT_THAT(tale->end.exit_code.value_or(-1), AnyOf(126, 127));
  // Docker says it on standard output, Podman on standard error.
  EXPECT_THAT(tale->out + tale->err, testing::HasSubstr("lazaret-nosuch"));
}

TEST_P(EngineCalls, RefuseAFurtherProgramWhereNoneRuns) {
  const auto refusal = exec::create(client(), created({"true"}), exec_body({"true"}), soon());
  // Podman 4.3 answers with status 500.
  EXPECT_THAT(failure_code(refusal), AnyOf("conflict", is_docker() ? "conflict" : "engine"));
}

TEST_P(EngineCalls, GiveBackAFileByteByByte) {
  const std::string box = created({"true"});
  std::string content;
  for (int number = 0; number < 70'001; ++number) content += static_cast<char>(number * 31 % 256);
  const auto tar = write_tar({{.path = "folder", .mode = 0750, .kind = TarKind::directory},
                              {.path = "folder/data.bin", .mode = 0640, .content = content}});
  ASSERT_TRUE(tar.ok()) << tar.error().message();
  ASSERT_EQ(failure_code(
                archive::put(client(), box, "/", http::source_of(bytes_of(*tar)), soon())),
            "none");
  std::string got;
  const auto file = archive::get(client(), box, {"/folder/data.bin"}, appending_to(got), soon());
  ASSERT_TRUE(file.ok()) << file.error().message();
  EXPECT_EQ(file->name, "data.bin");
  EXPECT_EQ(file->size_bytes, 70'001);
  EXPECT_EQ(file->mode, 0640U);
  // As tar(5) has it: in blocks of 512 bytes, the last of them filled with zeroes.
  EXPECT_EQ(got.find(content + std::string(512 - content.size() % 512, '\0')) % 512, 0U);
  const auto folder = archive::stat(client(), box, "/folder", soon());
  ASSERT_TRUE(folder.ok()) << folder.error().message();
  EXPECT_EQ(folder->mode, 0x80000000U | 0750U) << "Go's ModeDir";
}

TEST_P(EngineCalls, GiveBackNoFileThatIsNotThereOrTooLarge) {
  const std::string box = created({"true"});
  std::string got;
  const http::BodySink sink = appending_to(got);
  EXPECT_EQ(failure_code(archive::stat(client(), box, "/nosuch", soon())), "not_found");
  EXPECT_EQ(failure_code(archive::get(client(), box, {"/nosuch"}, sink, soon())), "not_found");
  EXPECT_EQ(got, "");
  EXPECT_EQ(failure_code(archive::get(client(), box, {"/etc", 8192}, sink, soon())), "too_large");
  EXPECT_LE(got.size(), 8192U);
}

TEST_P(EngineCalls, LoadAnImageAndFindItByItsLabel) {
  const std::string name = "localhost/lazaret-test/" + marker_ + ":latest";
  const std::vector<std::string> labels = {std::string(kImageMark) + "=" + marker_};
  const auto tar = saved_image(name, marker_, std::string(runner::kArchitecture));
  ASSERT_TRUE(tar.ok()) << tar.error().message();
  const auto discard = [this, name] { return failure_code(image::remove(client(), name, soon())); };
  undo_->add([discard] { EXPECT_EQ(discard(), "none"); });
  const auto loaded = image::load(client(), http::source_of(bytes_of(*tar)), soon());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_THAT(loaded->images, ElementsAre(name));
  const auto images = image::list(client(), labels, soon());
  ASSERT_TRUE(images.ok() && images->size() == 1U);
  EXPECT_THAT(images->front().tags, ElementsAre(name));
  EXPECT_THAT(images->front().labels, testing::Contains(Pair(kImageMark, marker_)));
  EXPECT_GT(images->front().size_bytes, 0);
  const auto shape = image::inspect(client(), name, soon());
  ASSERT_TRUE(shape.ok()) << shape.error().message();
  EXPECT_THAT(texts_at(member(*shape, "Config"), "Cmd"), ElementsAre("/note"));
  EXPECT_EQ(text_at(*shape, "Id"), images->front().id);

  ASSERT_EQ(discard(), "none");
  EXPECT_EQ(failure_code(image::inspect(client(), name, soon())), "image_missing");
  const auto after = image::list(client(), labels, soon());
  EXPECT_TRUE(after.ok() && after->empty());
}

// Docker answers with status 200, and tells of the failure behind it.
TEST_P(EngineCalls, LoadNothingFromWhatIsNoImage) {
  const std::string noise(4096, 'x');
  const auto loaded = image::load(client(), http::source_of(bytes_of(noise)), soon());
  EXPECT_EQ(failure_code(loaded), "engine");
}

TEST_P(EngineCalls, CountWhatAContainerUses) {
  const std::string python = R"(import time; big = b"x" * (32 << 20); time.sleep(60))";
  const std::string box =
      started({"sh", "-c", "sleep 60 & sleep 60 & exec python3 -c '" + python + "'"});
  Json seen;
  EXPECT_TRUE(becomes_true(std::chrono::seconds(20), [this, &box, &seen] {
    auto sample = container::stats(client(), box, soon());
    if (!sample.ok()) return false;
    seen = std::move(sample).value();
    return number_at(member(seen, "memory_stats"), "usage") >= (32 << 20) &&
           number_at(member(seen, "pids_stats"), "current") == 3;
  })) << seen.dump(2);
  const Json& cpu = member(member(seen, "cpu_stats"), "cpu_usage");
  EXPECT_GT(number_at(cpu, "total_usage").value_or(0), 0);
}

}  // namespace
}  // namespace lazaret::engine
