#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/daemon.hpp"

// `lazaret session`: several runs in one box, from a shell.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class CliSession : public testing::Test {
 protected:
  Ended ask(std::vector<std::string> arguments, std::string input = {}) const {
    arguments.insert(arguments.begin(), "session");
    return lazaret(std::move(arguments), {.argv = {},
                                          .input = std::move(input),
                                          .environment = {{"LAZARET_SOCKET", daemon_.socket()}}});
  }
  std::string open(std::vector<std::string> flags = {}) const {
    flags.insert(flags.begin(), "new");
    const Ended made = ask(std::move(flags));
    EXPECT_EQ(made.status, 0) << made.err;
    return made.out.substr(0, made.out.find('\n'));
  }

  const Daemon daemon_;
};

TEST_F(CliSession, KeepsFilesFromOneRunToTheNext) {
  const std::string id = open();
  EXPECT_EQ(id.size(), 32U);
  EXPECT_EQ(ask({"run", id, "-c", "open('kept', 'w').write('6 * 7')"}).status, 0);
  const Ended shown = ask({"exec", id, "--", "cat", "kept"});
  EXPECT_EQ(shown.out, "6 * 7");
  EXPECT_EQ(ask({"rm", id}).status, 0);
  EXPECT_EQ(ask({"exec", id, "true"}).status, 2);
}

TEST_F(CliSession, IsARunLikeAnyOther) {
  const std::string id = open({"--lang", "bash"});
  const Ended typed = ask({"run", id, "-c", "cat; echo aside >&2; exit 42"}, "in");
  EXPECT_EQ(typed.out, "in");
  EXPECT_THAT(typed.err, HasSubstr("aside"));
  EXPECT_EQ(typed.status, 42);
  EXPECT_EQ(ask({"run", "--timeout", "200ms", "-l", "bash", id, "-c", "sleep 60"}).status, 124);
  const Ended told = ask({"exec", "--json", id, "--", "echo", "x"});
  EXPECT_EQ(Json::parse(told.out)["stdout"], "x\n");
  EXPECT_THAT(ask({"exec", "--evidence", id, "true"}).err, HasSubstr("network"));
}

TEST_F(CliSession, KeepsWhatIsInAContext) {
  const std::string id = open();
  EXPECT_EQ(ask({"run", "--context", "main", id, "-c", "import math; x = 20"}).status, 0);
  const Ended told = ask({"run", "--context", "main", "--json", id, "-c", "x + math.floor(1.5)"});
  EXPECT_EQ(Json::parse(told.out)["value"], 21);
  EXPECT_EQ(Json::parse(told.out)["meta"]["context"]["cell"], 2);
  EXPECT_THAT(ask({"context", "ls", id}).out,
              HasSubstr("main                  python          2 "));
  EXPECT_EQ(Json::parse(ask({"context", "ls", "--json", id}).out)[0]["name"], "main");
  EXPECT_EQ(ask({"context", "rm", id, "main"}).status, 0);
  const Ended gone = ask({"context", "rm", id, "main"});
  EXPECT_NE(gone.status, 0);
  EXPECT_THAT(gone.err, HasSubstr("no context"));
  EXPECT_THAT(ask({"run", "--context", "main", id, "-c", "x"}).err, HasSubstr("NameError"));
  const Ended refused = ask({"run", "--context", "a/b", id, "-c", "x"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("no name of a context"));
}

TEST_F(CliSession, TakesWhatACellShows) {
  const std::string id = open();
  const Folder folder;
  const std::string directory = folder.path() + "/shown/here";
  const std::string picture = "display({'image/png': b'\\0PNG', 'x/y': 1}, raw=True)";
  const auto run = [&](const std::string& code) {
    return ask({"run", "--context", "main", "--rich", directory, id, "-c", code});
  };
  const Ended shown = run(picture + "; HTML('<b>')");
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.err, HasSubstr("shown: 1 image/png, 1 text/html, 1 text/plain\n"));
  EXPECT_EQ(file_text(directory + "/main-1-1.png"), std::string("\0PNG", 4));
  EXPECT_EQ(file_text(directory + "/main-1-2.html"), "<b>");
  EXPECT_EQ(file_text(directory + "/main-1-2.txt"), "<HTML>");
  EXPECT_EQ(run("1").status, 0);
  folder.write("shown/here/main-3-2.html", "the user's");
  EXPECT_EQ(run(picture + "; HTML('3')").status, 0);
  EXPECT_EQ(file_text(directory + "/main-3-2.html"), "the user's");
  EXPECT_EQ(file_text(directory + "/main-3.2-1.png"), std::string("\0PNG", 4));
  EXPECT_EQ(file_text(directory + "/main-3.2-2.html"), "3");
  EXPECT_FALSE(std::filesystem::exists(directory + "/main-3-1.png")) << "a cell's are together";
  const Ended refused =
      ask({"run", "--context", "main", "--rich", directory + "/main-3.2-1.png", id, "-c", picture});
  EXPECT_EQ(refused.status, 125);
  EXPECT_THAT(refused.err, HasSubstr("what was shown could not be written: "));
  std::string deep = directory;
  while (deep.size() < 4090)
    deep += "/" + std::string(std::min<std::size_t>(250, 4090 - deep.size()), 'd');
  const Ended unfit = ask({"run", "--context", "main", "--rich", deep, id, "-c", picture});
  EXPECT_EQ(unfit.status, 125) << "no file has so long a path";
  EXPECT_THAT(unfit.err, HasSubstr("what was shown could not be written: "));
  EXPECT_EQ(ask({"run", "--rich", directory, id, "-c", "1"}).status, 2) << "without a context";
  const Ended json = ask({"run", "--context", "main", "--json", id, "-c", picture});
  EXPECT_EQ(Json::parse(json.out)["rich"],
            Json::parse(R"([{"source":"display","data":{"image/png":"AFBORw=="}}])"));
}

// Options behind the command's name are its own.
TEST_F(CliSession, GivesTheCommandItsWords) {
  const std::string id = open();
  EXPECT_EQ(ask({"exec", id, "echo", "-n", "--json", id}).out, "--json " + id);
  EXPECT_EQ(ask({"exec", "-q", id, "--", "echo", "-n", "a"}).out, "a");
  const Folder folder;
  const std::string file = folder.write("args.py", "import sys; print(sys.argv[1:])");
  EXPECT_EQ(ask({"run", id, file, "-c", "--x"}).out, "['-c', '--x']\n");
}

TEST_F(CliSession, ListsThemForPeopleAndForPrograms) {
  const std::string first = open({"--idle", "50"}), second = open({"--lang", "bash"});
  const Ended list = ask({"ls"});
  EXPECT_THAT(list.out, HasSubstr(first));
  EXPECT_THAT(list.out, HasSubstr(second));
  const Json json = Json::parse(ask({"ls", "--json"}).out);
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0]["session_id"], first);
  EXPECT_LE(json[0]["expires_in_s"], 50);
  EXPECT_EQ(json[1]["language"], "bash");
}

TEST_F(CliSession, SaysWhatIsWrongAndWhatToDo) {
  const std::string nobody(32, '0');
  const Ended unknown = ask({"run", nobody, "-c", "1"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("no session has this id"));
  EXPECT_EQ(ask({"rm", nobody}).status, 2);
  EXPECT_THAT(ask({"rm", ""}).err, HasSubstr("no id of a session"));
  const Ended bytes = ask({"exec", open(), "echo", "\xff"});
  EXPECT_EQ(bytes.status, 2);
  EXPECT_THAT(bytes.err, HasSubstr("UTF-8"));
  EXPECT_EQ(ask({"new", "--memory", "1"}).status, 2);
  EXPECT_EQ(ask({"new", "--lifetime", "0"}).status, 2);
  EXPECT_EQ(ask({"run", open(), "--memory", "1GiB", "-c", "1"}).status, 2);
  const Ended alone =
      lazaret({"session", "ls"}, {.argv = {}, .environment = {{"LAZARET_SOCKET", "/nonexistent"}}});
  EXPECT_EQ(alone.status, 125);
  EXPECT_THAT(alone.err, HasSubstr("lazaret serve"));
}

TEST_F(CliSession, EndsItsRunAtAnInterruptAndNotItself) {
  const std::string id = open();
  const std::string marker = unique_marker();
  Invocation invocation{.argv = {}, .environment = {{"LAZARET_SOCKET", daemon_.socket()}}};
  invocation.once_started = [&marker](pid_t child) {
    // The command line of ours has the marker as well.
    EXPECT_TRUE(becomes_true(30s, [&] { return processes_marked(marker).size() > 1; }));
    ::kill(child, SIGINT);
  };
  EXPECT_EQ(
      lazaret({"session", "exec", id, "bash", "-c", "sleep 600; :", marker}, invocation).status,
      130);
  EXPECT_TRUE(becomes_true(30s, [&] { return processes_marked(marker).empty(); }));
  EXPECT_EQ(ask({"exec", id, "echo", "still"}).out, "still\n");
}

TEST_F(CliSession, GivesUpAtAnInterruptWhileItWaits) {
  const std::string id = open();
  const std::string marker = unique_marker();
  const Reply slow = daemon_.ask(
      "POST", "/v1/runs",
      bash_body("bash -c 'sleep 600; :' " + marker, {{"session", id}, {"detach", true}}));
  ASSERT_EQ(slow.status, 202);
  ASSERT_TRUE(becomes_true(30s, [&marker] { return !processes_marked(marker).empty(); }));
  Invocation invocation{.argv = {}, .environment = {{"LAZARET_SOCKET", daemon_.socket()}}};
  invocation.once_started = [this](pid_t child) {
    EXPECT_TRUE(becomes_true(30s, [this] {
      const std::string text = daemon_.ask("GET", "/v1/metrics").body;
      return text.find("lazaret_runs{state=\"queued\"} 1\n") != std::string::npos;
    }));
    ::kill(child, SIGINT);
  };
  EXPECT_EQ(lazaret({"session", "exec", id, "true"}, invocation).status, 130);
  EXPECT_FALSE(processes_marked(marker).empty()) << "it waited for its turn";
}

}  // namespace
}  // namespace lazaret::test
