#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "integration/daemon.hpp"
#include "integration/docker_bed.hpp"
#include "os/listen.hpp"
#include "os/wire.hpp"

// Files that `lazaret run` hands over to a daemon, and takes from it.
namespace lazaret::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::SizeIs;

// Names, modes and contents of what lies below a directory.
std::vector<std::string> tree_of(const fs::path& directory) {
  std::vector<std::string> lines;
  for (const auto& each : fs::recursive_directory_iterator(directory)) {
    struct stat status = {};
    EXPECT_EQ(::lstat(each.path().c_str(), &status), 0);
    const bool is_file = S_ISREG(status.st_mode);
    lines.push_back(each.path().lexically_relative(directory).string() + " " +
                    std::to_string(status.st_mode) + " " +
                    (is_file ? text_of_file(each.path()) : ""));
  }
  std::ranges::sort(lines);
  return lines;
}

class CliDaemonFiles : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto variables = variables_for(GetParam());
    if (!variables) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    variables_ = *variables;
  }
  // Status and result, without what differs from run to run, of one that takes what is left.
  [[nodiscard]] Json take(const std::string& socket, const std::string& into,
                          const std::string& code) const {
    auto variables = variables_;
    variables["LAZARET_SOCKET"] = socket;
    const Ended ended = lazaret({"run", "--json", "-l", "bash", "--out", into, "-c", code},
                                {.argv = {}, .environment = variables});
    Json result = Json::parse(ended.out, nullptr, false);
    if (!result.is_object()) return ended.err;
    const bool was_the_daemons = result["meta"]["run_id"].get<std::string>().size() == 32;
    return {{"status", ended.status},
            {"artifacts", result["artifacts"]},
            {"warnings", result["meta"]["warnings"]},
            {"daemon", was_the_daemons}};
  }

  std::map<std::string, std::string> variables_;
  const Folder folder_;
};

INSTANTIATE_TEST_SUITE_P(On, CliDaemonFiles, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(CliDaemonFiles, AreTakenAsWithoutADaemon) {
  const Daemon daemon({}, variables_);
  const std::string code =
      "cd out; mkdir -p d/e; echo a > d/a.txt; : > empty; seq 400000 > long; ln -s long link; "
      "mkfifo fifo; printf x > $'\\xff\\n'; echo run > run; chmod 755 run";
  Json there = take(daemon.socket(), folder_.path() + "/there/new", code);
  Json here = take("", folder_.path() + "/here/new", code);
  EXPECT_EQ(there["daemon"], true) << there;
  EXPECT_EQ(here["daemon"], false) << here;
  here["daemon"] = true;
  EXPECT_EQ(there, here);
  EXPECT_THAT(there["artifacts"], SizeIs(9)) << there;
  EXPECT_THAT(there["warnings"].dump(), HasSubstr("link"));
  const auto tree = tree_of(folder_.path() + "/there/new");
  EXPECT_EQ(tree, tree_of(folder_.path() + "/here/new"));
  EXPECT_THAT(tree, SizeIs(7));
}

TEST_P(CliDaemonFiles, AreGivenAsWithoutADaemon) {
  fs::create_directories(folder_.path() + "/in/none/at/all");
  fs::create_directory(folder_.path() + "/in/d");
  (void)folder_.write("in/main.sh", "echo other");  // where the code itself lies
  (void)folder_.write("in/d/data", std::string(100'000, 'x'));
  (void)folder_.write("in/run", "#!/bin/sh\necho ran", 0755);
  (void)folder_.write("in/\xff", "odd");
  fs::create_symlink("d/data", folder_.path() + "/in/link");
  const Daemon daemon({}, variables_);
  const auto run = [&](const std::string& socket) {
    auto variables = variables_;
    variables["LAZARET_SOCKET"] = socket;
    return lazaret({"run", "--dir", folder_.path() + "/in", "--dir", folder_.path() + "/in:e", "-l",
                    "bash", "-c",
                    "find . | sort | while read -r it; do stat -c '%A %n %N' \"$it\"; done; ./run; "
                    "sha256sum d/data e/link; cat e/main*"},
                   {.argv = {}, .environment = variables});
  };
  const Ended there = run(daemon.socket());
  const Ended here = run("");
  EXPECT_EQ(there.status, 0) << there.err;
  EXPECT_EQ(there.out, here.out);
  EXPECT_EQ(there.err, here.err);
  EXPECT_THAT(there.out, HasSubstr("ran\n"));
  EXPECT_THAT(daemon.ask("GET", "/v1/metrics").body,
              HasSubstr(R"(route="/v1/stream",status="101"} 1)"));
}

TEST_P(CliDaemonFiles, MayBeNone) {
  const Daemon daemon({}, variables_);
  const std::string there = folder_.path() + "/there";
  EXPECT_EQ(take(daemon.socket(), there, "exit 3"), take("", folder_.path() + "/here", "exit 3")
                                                        .patch(Json::parse(
                                                            R"([{"op":"replace","path":"/daemon",
                                                                 "value":true}])")));
  EXPECT_TRUE(fs::is_empty(there));
}

// The daemon goes on, whatever its client cannot write.
TEST(CliDaemonOut, SaysWhatCouldNotBeWritten) {
  const Daemon daemon;
  const Folder folder;
  const std::string into = folder.path() + "/in/here";
  Invocation invocation{.argv = {}, .environment = {{"LAZARET_SOCKET", daemon.socket()}}};
  invocation.once_started = [&](pid_t) {
    EXPECT_TRUE(becomes_true(std::chrono::seconds(10), [&] {
      return daemon.ask("GET", "/v1/metrics").body.find("lazaret_runs{state=\"running\"} 1") !=
             std::string::npos;
    }));
    (void)folder.write("in", "a file");
  };
  const Ended ended = lazaret({"run", "--json", "-l", "bash", "--out", into, "-c",
                               "sleep 1; seq 400000 > out/long; echo x > out/x"},
                              invocation);
  const Json result = Json::parse(ended.out, nullptr, false);
  ASSERT_TRUE(result.is_object()) << ended.err;
  EXPECT_EQ(result["meta"]["run_id"].get<std::string>().size(), 32U);
  EXPECT_EQ(result["exit_code"], 0);
  EXPECT_THAT(result["meta"]["warnings"].dump(), HasSubstr("not all was taken from /work/out"));
  EXPECT_EQ(daemon.ask("POST", "/v1/runs", bash_body("echo out")).json()["stdout"], "out\n");
}

// Nothing is asked of a daemon that could not be done here.
TEST(CliDaemonOut, RunsNothingWhereItMayNotBeWritten) {
  const Daemon daemon;
  const Folder folder;
  (void)folder.write("there", "already");
  for (const bool json : {false, true}) {
    std::vector<std::string> words = {"run", "--out", folder.path(), "-l",
                                      "bash", "-c",   "echo ran"};
    if (json) words.insert(words.begin() + 1, "--json");
    const Ended ended =
        lazaret(words, {.argv = {}, .environment = {{"LAZARET_SOCKET", daemon.socket()}}});
    EXPECT_EQ(ended.status, 2) << ended.err;
    EXPECT_EQ(ended.out.find("ran"), std::string::npos) << ended.out;
    EXPECT_THAT(ended.out + ended.err, HasSubstr("is not empty"));
  }
  EXPECT_EQ(daemon.ask("GET", "/v1/metrics").body.find("/v1/stream"), std::string::npos);
}

// RFC 6455, 5.2: an unmasked frame of less than 126 bytes.
std::string frame(char first, const std::string& payload) {
  return std::string{first, static_cast<char>(payload.size())} + payload;
}

// A daemon that is gone once it has sent a whole artifact and the half of another one.
void send_half_and_leave(os::RawHandle listener) {
  std::unique_ptr<Wire> wire;
  EXPECT_TRUE(becomes_true(std::chrono::seconds(10), [&] {
    auto taken = os::accept_now(listener);
    if (taken.ok() && *taken) wire = os::wire_over(std::move(**taken));
    return wire != nullptr;
  }));
  if (!wire) return;
  (void)text_until(*wire, "\r\n\r\n");
  const auto artifact = [](const std::string& head) {
    return frame('\x81', R"({"event":"artifact","artifact":{)" + head + "}}");
  };
  const std::string says =
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n" +
      frame('\x81', R"({"event":"run","run_id":"x"})") +
      artifact(R"("type":"directory","path":".")") + artifact(R"("type":"file","path":"whole")") +
      frame('\x82', "\3text") + frame('\x82', "\3") + artifact(R"("type":"file","path":"half")") +
      frame('\x82', "\3te");
  EXPECT_TRUE(wire->write(bytes_of(says), Call{}.within(std::chrono::seconds(5))).ok());
  (void)text_until(*wire, "\x81");
}

TEST(CliDaemonOut, SaysWhatHadComeWhenTheDaemonIsLost) {
  const Folder folder;
  const std::string path = folder.path() + "/lazaret.sock", into = folder.path() + "/into";
  const auto listener = os::UnixListener::open(path);
  ASSERT_TRUE(listener.ok());
  std::jthread daemon([&] { send_half_and_leave(listener->handle()); });
  const Ended ended = lazaret({"run", "--json", "--out", into, "-c", "1"},
                              {.argv = {}, .environment = {{"LAZARET_SOCKET", path}}});
  EXPECT_EQ(ended.status, 125) << ended.err;
  const Json result = Json::parse(ended.out, nullptr, false);
  ASSERT_TRUE(result.is_object()) << ended.out;
  ASSERT_EQ(result["artifacts"].size(), 1U) << result;
  EXPECT_EQ(result["artifacts"][0]["path"], "whole");
  EXPECT_THAT(result["meta"]["warnings"].dump(), HasSubstr("not all was taken from /work/out"));
  EXPECT_THAT(tree_of(into), SizeIs(1));
}

// What cannot be put is refused by the command line, in the same words as ever.
TEST(CliDaemonOrder, LeavesWhatCannotBePutToTheCommandLine) {
  const Daemon daemon;
  const Folder folder;
  fs::create_directory(folder.path() + "/in");
  const auto run = [&](const std::string& socket) {
    return lazaret({"run", "--dir", folder.path() + "/in", "-c", "1"},
                   {.argv = {}, .environment = {{"LAZARET_SOCKET", socket}}});
  };
  fs::create_symlink("/etc/passwd", folder.path() + "/in/link");
  const Ended out = run(daemon.socket());
  EXPECT_EQ(out.status, run("").status);
  EXPECT_THAT(out.err, HasSubstr("leads out of its directory"));
  fs::remove(folder.path() + "/in/link");
  ASSERT_EQ(::mkfifo((folder.path() + "/in/fifo").c_str(), 0600), 0);
  EXPECT_THAT(run(daemon.socket()).err, HasSubstr("neither a file nor a directory"));
  EXPECT_EQ(daemon.ask("GET", "/v1/metrics").body.find("/v1/stream"), std::string::npos);
}

// All of an order has eight mebibytes, with JSON's own letters.
TEST(CliDaemonOrder, CarriesFilesUpToItsBound) {
  const Daemon daemon;
  const Folder folder;
  const auto run = [&](std::size_t bytes) {
    const std::string file = folder.write("long", std::string(bytes, 'x'));
    const Ended ended = lazaret({"run", "--json", "--file", file, "-l", "bash", "-c",
                                 "wc -c < long"},
                                {.argv = {}, .environment = {{"LAZARET_SOCKET", daemon.socket()}}});
    const Json result = Json::parse(ended.out, nullptr, false);
    if (!result.is_object()) return std::pair(false, ended.err);
    EXPECT_EQ(result["stdout"], std::to_string(bytes) + "\n") << result;
    return std::pair(result["meta"]["run_id"].get<std::string>().size() == 32, std::string());
  };
  constexpr std::size_t kAll = 8UL << 20;
  EXPECT_EQ(run(kAll - 200), std::pair(true, std::string()));
  EXPECT_EQ(run(kAll), std::pair(false, std::string()));
}

}  // namespace
}  // namespace lazaret::test
