#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/daemon.hpp"

// `lazaret files`: what lies in a session, from a shell.
namespace lazaret::test {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class CliSessionFiles : public testing::Test {
 protected:
  Ended ask(std::vector<std::string> arguments) const {
    return lazaret(std::move(arguments),
                   {.argv = {}, .environment = {{"LAZARET_SOCKET", daemon_.socket()}}});
  }
  Ended files(const std::string& verb, std::vector<std::string> words) const {
    words.insert(words.begin(), {"files", verb, id_});
    return ask(std::move(words));
  }
  std::string run(const std::string& code) const {
    return ask({"session", "run", "-l", "bash", id_, "-c", code}).out;
  }
  [[nodiscard]] std::string at(const std::string& name) const {
    return folder_.path() + "/" + name;
  }

  const Daemon daemon_;
  Folder folder_;
  std::string id_ = ask({"session", "new"}).out.substr(0, 32);
};

TEST_F(CliSessionFiles, AreTakenEvenWhereTheyAreTooManyToBeListed) {
  id_ = ask({"session", "new", "--disk-files", "20000"}).out.substr(0, 32);
  run("mkdir many && cd many && for ((each = 0; each < 12000; ++each)); do : > $each; done");
  const Ended got = files("get", {"many", at("taken")});
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_THAT(got.err, HasSubstr("12000 files, 0 bytes taken"));
  EXPECT_THAT(got.err, Not(HasSubstr("left out")));
  EXPECT_EQ(std::distance(fs::directory_iterator(at("taken")), {}), 12'000);
}

TEST_F(CliSessionFiles, GoThereAndBack) {
  fs::create_directories(at("model/empty"));
  folder_.write("model/weights", std::string("\0\xff", 2));
  const std::string file = folder_.write("data.csv", "1,2\n");
  const Ended put = files("put", {file, at("model") + "/"});
  EXPECT_EQ(put.status, 0) << put.err;
  EXPECT_THAT(put.err, HasSubstr("2 files, 6 bytes put"));
  EXPECT_EQ(files("put", {"--to", "in/deep", file}).status, 0);
  const Json told = Json::parse(files("put", {"--json", file}).out);
  EXPECT_EQ(told, Json({{"files", 1}, {"bytes", 4}, {"warnings", Json::array()}}));
  EXPECT_EQ(run("cat in/deep/data.csv; ls -F . model; touch x; chmod 755 x; rm x"),
            "1,2\n.:\ndata.csv\nin/\nmain.sh\nmodel/\n\nmodel:\nempty/\nweights\n");
  const Ended got = files("get", {"model", at("taken")});
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_THAT(got.err, HasSubstr("1 file, 2 bytes taken"));
  EXPECT_EQ(file_text(at("taken/weights")), std::string("\0\xff", 2));
  run("chmod +x in/deep/data.csv");
  EXPECT_TRUE(fs::is_directory(at("taken/empty")));
  EXPECT_EQ(files("get", {"in/deep/data.csv", folder_.path() + "/one"}).status, 0);
  EXPECT_EQ(file_text(at("one/data.csv")), "1,2\n");
  EXPECT_NE(fs::status(at("one/data.csv")).permissions() & fs::perms::owner_exec, fs::perms::none);
}

// One that lies in a directory of its own name is not the directory.
TEST_F(CliSessionFiles, AreToldFromDirectoriesOfTheirName) {
  run("mkdir a; echo x > a/a; echo y > b");
  EXPECT_EQ(files("get", {"a", at("first")}).status, 0);
  EXPECT_EQ(file_text(at("first/a")), "x\n");
  EXPECT_EQ(files("get", {"a/a", at("second")}).status, 0);
  EXPECT_EQ(file_text(at("second/a")), "x\n");
  EXPECT_EQ(files("get", {"b", at("third")}).status, 0);
  EXPECT_EQ(file_text(at("third/b")), "y\n");
}

TEST_F(CliSessionFiles, MayHaveNamesOfAnyBytes) {
  fs::create_directory(at("in"));
  const std::vector<std::string> names = {"f\xe9", "\xff", "\xc3\xa9", "new\nline", "-x"};
  for (const std::string& name : names) (void)folder_.write("in/" + name, name);
  EXPECT_EQ(files("put", {at("in")}).status, 0);
  EXPECT_EQ(run("cat in/$'f\\xe9' in/$'\\xff' | od -An -tx1"), " 66 e9 ff\n");
  const Ended got = files("get", {"in", at("out")});
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_THAT(got.err, testing::Not(HasSubstr("warning")));
  for (const std::string& name : names) EXPECT_EQ(file_text(at("out/" + name)), name);
}

TEST_F(CliSessionFiles, LeaveOutWhatCannotBeTaken) {
  run("mkdir more; touch more/a more/b more/z; chmod 0 more/b; mkdir -p more/c");
  const Ended more = files("get", {"more", at("more")});
  EXPECT_EQ(more.status, 0) << more.err;
  EXPECT_THAT(more.err, HasSubstr("2 files, 0 bytes taken"));
  EXPECT_THAT(more.err, HasSubstr("not taken: /work/more/b cannot be read"));
  EXPECT_TRUE(fs::exists(at("more/a")) && fs::exists(at("more/z")));
  EXPECT_FALSE(fs::exists(at("more/b")));
}

TEST_F(CliSessionFiles, LeaveOutWhatIsInADirectoryThatCannotBeRead) {
  run("mkdir -p d/x; touch d/a d/x/b; chmod 0 d/x");
  const Ended got = files("get", {"d", at("taken")});
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_THAT(got.err, HasSubstr("warning: 1 "));
  EXPECT_TRUE(fs::exists(at("taken/a")));
  run("mkdir n; cd n; touch $'\\xfe' $'\\xff'; chmod 0 $'\\xff'");
  const Ended odd = files("get", {"n", at("odd")});
  EXPECT_EQ(odd.status, 0) << odd.err;
  EXPECT_THAT(odd.err, HasSubstr("1 file, 0 bytes taken\nlazaret: warning: not taken"));
}

// What could not be taken is looked at one by one, which the user need not wait for.
TEST_F(CliSessionFiles, EndAtAnInterruptWhileTheReasonsAreLookedFor) {
  id_ = ask({"session", "new", "--disk-files", "20000"}).out.substr(0, 32);
  run("mkdir d; cd d; touch a $(seq 5000); chmod 0 [0-9]*");
  Invocation interrupted{.argv = {}, .environment = {{"LAZARET_SOCKET", daemon_.socket()}}};
  interrupted.once_started = [this](pid_t pid) {
    EXPECT_TRUE(becomes_true(std::chrono::seconds(20), [&] { return fs::exists(at("taken/a")); }));
    ::kill(pid, SIGINT);
  };
  EXPECT_EQ(lazaret({"files", "get", id_, "d", at("taken")}, interrupted).status, 130);
}

TEST_F(CliSessionFiles, ThatAreNotWhatTheySayAreNotPut) {
  const Ended put = files("put", {"/proc/cpuinfo"});
  EXPECT_EQ(put.status, 2);
  EXPECT_THAT(put.err, HasSubstr("is a file of /proc"));
  EXPECT_EQ(files("put", {"/"}).status, 2);
}

// This one says that it has 4096 bytes.
TEST_F(CliSessionFiles, ThatBecomeShorterOnTheirWayAreNotPut) {
  const Ended put = files("put", {"/sys/devices/system/cpu/online"});
  EXPECT_EQ(put.status, 2);
  EXPECT_THAT(put.err, HasSubstr("\"online\" has become shorter meanwhile"));
  EXPECT_EQ(run("ls"), "main.sh\n");
}

// A program can show more than its box can hold.
TEST_F(CliSessionFiles, AreNoMoreThanTheBoxCanHold) {
  id_ = ask({"session", "new", "--disk", "1MiB"}).out.substr(0, 32);
  run("mkdir d; truncate -s 256K d/0; for n in 1 2 3; do ln d/0 d/$n; done");
  const Ended all = files("get", {"d", at("all")});
  EXPECT_EQ(all.status, 0) << all.err;
  run("truncate -s 1 d/more");
  const Ended more = files("get", {"d", at("more")});
  EXPECT_EQ(more.status, 2);
  EXPECT_THAT(more.err, HasSubstr("sparse or linked"));
  EXPECT_FALSE(fs::exists(at("more")));
}

TEST_F(CliSessionFiles, AreOfAnyLength) {
  for (const std::size_t size : {(4UL << 20) - 1, 4UL << 20, (4UL << 20) + 1, 11UL << 20}) {
    std::string content;
    while (content.size() < size) content += std::to_string(content.size()) + "\n";
    content.resize(size);
    const std::string name = "large" + std::to_string(size);
    const std::string file = folder_.write(name, content);
    ASSERT_EQ(files("put", {file}).status, 0) << size;
    ASSERT_EQ(files("put", {file}).status, 0) << size;  // it gives way, and does not grow
    EXPECT_EQ(run("wc -c < " + name), std::to_string(size) + "\n");
    ASSERT_EQ(files("get", {name, at("taken")}).status, 0) << size;
    EXPECT_TRUE(file_text(at("taken/" + name)) == content) << size;
  }
}

TEST_F(CliSessionFiles, AreListedMovedAndRemoved) {
  EXPECT_EQ(files("mkdir", {"a/b", "c"}).status, 0);
  run("echo 12345 > a/b/f; ln -s / link; touch $'bad\\e[31m'");
  const Ended list = files("ls", {});
  EXPECT_THAT(list.out, HasSubstr("file                  6  a/b/f\n"));
  EXPECT_THAT(list.out, HasSubstr("bad?[31m"));
  EXPECT_EQ(list.out.find('\33'), std::string::npos);
  EXPECT_EQ(Json::parse(files("ls", {"--json", "a/b"}).out)["files"][0]["path"], "f");
  EXPECT_EQ(files("mv", {"a/b/f", "d/g"}).status, 0);
  EXPECT_EQ(files("rm", {"a", "c", "link"}).status, 0);
  EXPECT_EQ(run("cat d/g; ls"), "12345\nbad\33[31m\nd\nmain.sh\n");
}

TEST_F(CliSessionFiles, AreToldOfOneByOne) {
  run("mkdir d; echo abc > d/f; ln -s d l");
  EXPECT_THAT(files("stat", {"d"}).out, ContainsRegex("directory +0  d\n"));
  EXPECT_THAT(files("stat", {"l"}).out, ContainsRegex("link +0  l\n"));
  const Json told = Json::parse(files("stat", {"--json", "d/f"}).out);
  EXPECT_EQ(told["files"][0]["size"], 4) << told;
  const Ended none = files("stat", {"none"});
  EXPECT_EQ(none.status, 2) << none.err;
}

// What a program has named is shown without what a terminal would obey.
TEST_F(CliSessionFiles, AreToldOfInPlainLetters) {
  run("mkdir d; touch $'d/a\\e[31mb' d/c; chmod 0 d/*");
  const Ended got = files("get", {"d", at("taken")});
  EXPECT_THAT(got.err, HasSubstr("d/a?[31mb cannot be read: Permission denied (errno 13)"));
  EXPECT_EQ(got.err.find('\33'), std::string::npos);
  const Ended named = files("mkdir", {"../a\33[31m"});
  EXPECT_THAT(named.err, HasSubstr("[31m"));
  EXPECT_EQ(named.err.find('\33'), std::string::npos);
  const Ended noted = files("put", {"absent\33[31m"});
  EXPECT_THAT(noted.err, HasSubstr("absent?[31m is not there"));
}

TEST_F(CliSessionFiles, SayWhatIsWrong) {
  const auto refused = [](const Ended& ended, const char* why) {
    EXPECT_EQ(ended.status, 2) << why << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(why));
  };
  refused(files("get", {"absent", at("x")}), "is not there");
  refused(files("put", {at("absent")}), "is not there");
  refused(files("put", {"--to", "../etc", folder_.write("f", "")}), "no path below /work");
  refused(files("rm", {"."}), "no path below /work");
  refused(ask({"files", "ls", "0"}), "no id of a session");
  refused(ask({"files", "ls", std::string(32, '0')}), "no session has this id");
  fs::create_symlink("/etc/passwd", at("link"));
  fs::create_directory(at("dir"));
  fs::create_symlink("/etc/passwd", at("dir/link"));
  refused(files("put", {at("dir")}), "link");
  EXPECT_EQ(files("put", {at("link")}).status, 0);  // the user's own word
  refused(files("put", {""}), "is not there");
  run("touch locked; chmod 0 locked");
  const Ended locked = files("get", {"locked", at("x")});
  EXPECT_EQ(locked.status, 125);
  EXPECT_THAT(locked.err, HasSubstr("/work/locked cannot be read"));
  run("echo x > f");
  fs::create_directory(at("there"));
  folder_.write("there/f", "mine");
  EXPECT_EQ(files("get", {"f", at("there")}).status, 125);
  EXPECT_EQ(file_text(at("there/f")), "mine");
}

TEST_F(CliSessionFiles, WriteNothingThroughWhatAProgramHasNamed) {
  run("mkdir d; ln -s /etc d/out; ln -s ../.. d/up; mkfifo d/fifo; echo x > d/f");
  const Ended got = files("get", {"d", at("taken")});
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_THAT(got.err, HasSubstr("neither a file nor a directory"));
  EXPECT_EQ(std::distance(fs::directory_iterator(at("taken")), {}), 1);
}

}  // namespace
}  // namespace lazaret::test
