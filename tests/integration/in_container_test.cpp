#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/archive.hpp"
#include "engine/attach.hpp"
#include "engine/container.hpp"
#include "engine/tar.hpp"
#include "engine/wait.hpp"
#include "integration/docker_bed.hpp"
#include "integration/support.hpp"
#include "places.hpp"

// The program of this build inside a container of a real engine, as its own backend there.
namespace lazaret::test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
namespace container = engine::container;

// What the engine's defaults forbid, and the person who starts the container may open.
enum class Opened { nothing, seccomp, seccomp_and_proc };

struct Spoken {
  std::int64_t code = -1;
  std::string out;
};

class InContainer : public DockerBed {
 protected:
  void SetUp() override {
#ifdef LAZARET_SANITIZED
    GTEST_SKIP() << "the sanitizers' libraries are not in the container";
#else
    DockerBed::SetUp();
#endif
  }
  /// `lazaret …` in a container, as a user of its.
  [[nodiscard]] Spoken lazaret_in(Opened opened, const std::string& user,
                                  std::vector<std::string> words) const {
    words.insert(words.begin(), "/lazaret");
    const engine::EngineClient client = plain_client();
    const auto made = container::create(client, "", body(opened, user, words), within_seconds(30));
    if (!made.ok()) return failed(made.error());
    const Spoken spoken = run_made(client, made->id);
    EXPECT_TRUE(
        container::remove(client, made->id, container::Volumes::remove, within_seconds(30)).ok());
    return spoken;
  }

 private:
  [[nodiscard]] Json body(Opened opened, const std::string& user,
                          const std::vector<std::string>& words) const {
    Json options = Json::array();
    if (opened != Opened::nothing) options.push_back("seccomp=unconfined");
    // Podman has an option of its own for what Docker's client turns into empty lists.
    if (opened == Opened::seccomp_and_proc && !is_docker()) options.push_back("unmask=ALL");
    Json host = {{"NetworkMode", "none"}, {"SecurityOpt", options}};
    if (opened == Opened::seccomp_and_proc && is_docker()) {
      host["MaskedPaths"] = Json::array();
      host["ReadonlyPaths"] = Json::array();
    }
    for (const auto& [name, most] : {std::pair{"nofile", 1024}, std::pair{"nproc", 1024}})
      host["Ulimits"].push_back({{"Name", name}, {"Soft", most}, {"Hard", most}});
    return {{"Image", kImage},      {"User", user},         {"Cmd", words},
            {"Entrypoint", Json()}, {"WorkingDir", "/tmp"}, {"AttachStdout", true},
            {"HostConfig", host}};
  }
  [[nodiscard]] static Spoken run_made(const engine::EngineClient& client, const std::string& id) {
    const auto tar = engine::write_tar(
        {{.path = "lazaret", .mode = 0755, .content = file_text(kLazaretPath)}});
    if (!tar.ok()) return failed(tar.error());
    const Call call = within_seconds(60);
    const Status put = engine::archive::put(client, id, "/", http::source_of(bytes_of(*tar)), call);
    if (!put.ok()) return failed(put.error());
    const auto wire = engine::attach(client, id, {.standard_input = false}, call);
    if (!wire.ok()) return failed(wire.error());
    auto ending = container::Wait::open(client, id, container::Until::next_exit, call);
    if (!ending.ok()) return failed(ending.error());
    const Status started = container::start(client, id, call);
    if (!started.ok()) return failed(started.error());
    Spoken spoken;
    std::array<std::byte, 4096> piece;
    for (auto count = (*wire)->read(piece, call); count.ok() && *count > 0;
         count = (*wire)->read(piece, call)) {
      spoken.out += text_of(Bytes(piece).first(*count));
    }
    const auto ended = ending->finish(call);
    if (!ended.ok()) return failed(ended.error());
    spoken.code = ended->code;
    return spoken;
  }
  [[nodiscard]] static Spoken failed(const Error& error) {
    ADD_FAILURE() << error.message();
    return {};
  }
};

INSTANTIATE_TEST_SUITE_P(Of, InContainer, testing::Values("docker", "podman"),
                         [](const auto& given) { return given.param; });

const std::vector<std::string> kRun = {"exec", "--json",  "--type", "local",
                                       "--",   "python3", "-c",     "print('has run')"};

void expect_refused(const Spoken& spoken) {
  EXPECT_EQ(spoken.code, 125) << spoken.out;
  const Json result = Json::parse(spoken.out, nullptr, false);
  ASSERT_TRUE(result.contains("error")) << spoken.out;
  EXPECT_EQ(result["meta"]["cause"], "backend_unavailable");
  EXPECT_EQ(result["stdout"], "");
  for (const char* const fix : {"seccomp=unconfined", "systempaths=unconfined", "unmask=ALL"})
    EXPECT_THAT(result["error"].value("hint", ""), HasSubstr(fix));
}

TEST_P(InContainer, RunsNothingByDefaultAndNamesTheOptions) {
  for (const char* const user : {"0", "1000"}) {
    SCOPED_TRACE(user);
    expect_refused(lazaret_in(Opened::nothing, user, kRun));
  }
}

// The kernel refuses a new /proc where a part of the old one is covered.
TEST_P(InContainer, RunsNothingWhereProcIsCovered) {
  for (const char* const user : {"0", "1000"}) {
    SCOPED_TRACE(user);
    expect_refused(lazaret_in(Opened::seccomp, user, kRun));
  }
}

// What needs a cgroup that is handed out, or a kernel that has it; and groups are the engine's.
bool may_lack(const std::string& control) {
  static const std::set<std::string> all = {"memory", "swap", "cpu", "disk", "landlock", "groups"};
  return all.contains(control);
}

TEST_P(InContainer, HoldsWhatIsRequiredOnceBothAreOpened) {
  for (const char* const user : {"0", "1000"}) {
    SCOPED_TRACE(user);
    const Spoken spoken = lazaret_in(Opened::seccomp_and_proc, user, kRun);
    ASSERT_EQ(spoken.code, 0) << spoken.out;
    const Json result = Json::parse(spoken.out, nullptr, false);
    EXPECT_EQ(result["stdout"], "has run\n");
    for (const Json& piece : result["meta"]["evidence"]) {
      EXPECT_TRUE(piece["status"] == "enforced" || may_lack(piece["control"])) << piece;
    }
  }
}

TEST_P(InContainer, FindsNoWayOutOnceBothAreOpened) {
  for (const char* const user : {"0", "1000"}) {
    SCOPED_TRACE(user);
    const Spoken spoken = lazaret_in(
        Opened::seccomp_and_proc, user,
        {"selftest", "--json", "--type", "local", "--no-control", "--only", "A-01-shadow",
         "A-21-kallsyms", "B-33-init-environ", "C-38-bnd", "C-39-seccomp", "D-42-unshare-user",
         "D-45-mount", "E-47-traceme", "F-65-interfaces", "G-71-bpf", "H-78-work", "W-csv"});
    EXPECT_EQ(spoken.code, 0) << spoken.out;
    const Json report = Json::parse(spoken.out, nullptr, false);
    ASSERT_TRUE(report.contains("probes")) << spoken.out;
    EXPECT_GE(report["probes"].size(), 12U);
    for (const Json& probe : report["probes"])
      EXPECT_TRUE(probe["verdict"] == "blocked" || probe["verdict"] == "works") << probe;
  }
}

TEST_P(InContainer, LetsDoctorNameTheOptions) {
  const Spoken spoken = lazaret_in(Opened::nothing, "1000", {"doctor", "--type", "local"});
  EXPECT_EQ(spoken.code, 1);
  EXPECT_THAT(spoken.out, HasSubstr("[✗] native"));
  EXPECT_THAT(spoken.out, HasSubstr("systempaths=unconfined"));
  EXPECT_THAT(spoken.out, AnyOf(HasSubstr("make namespaces"), HasSubstr("name host")));
}

}  // namespace
}  // namespace lazaret::test
