#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.hpp"
#include "integration/daemon.hpp"
#include "integration/support.hpp"
#include "os/listen.hpp"
#include "os/pipe.hpp"
#include "places.hpp"

// Packages that an index gives: of a real one on the loopback, asked by the real pip and npm.
namespace lazaret::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class IndexServer {
 public:
  explicit IndexServer(const std::string& folder, bool secure = false) {
    auto ends = os::make_pipe();
    const std::string program = in_checkout("tests/integration/package_index.py");
    const std::string tls = in_checkout("tests/integration/tls/");
    std::vector<std::string> words = {"python3", program, folder};
    if (secure) words.insert(words.end(), {tls + "certificate.pem", tls + "key.pem"});
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(ends->second.get(), STDOUT_FILENO);
      ::execvp(argv[0], argv.data());
      ::_exit(127);
    }
    ends->second.reset();
    char digit = 0;
    while (::read(ends->first.get(), &digit, 1) == 1 && digit != '\n') port_ += digit;
    scheme_ = secure ? "https" : "http";
  }
  IndexServer(const IndexServer&) = delete;
  IndexServer& operator=(const IndexServer&) = delete;
  ~IndexServer() { end(); }
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  [[nodiscard]] const std::string& port() const { return port_; }
  [[nodiscard]] std::string address(const std::string& path) const {
    return scheme_ + "://" + host + ":" + port_ + path;
  }
  std::string host = "127.0.0.1";

 private:
  pid_t pid_ = -1;
  std::string port_, scheme_;
};

class PackagesOfAnIndex : public testing::TestWithParam<Caller> {
 protected:
  void SetUp() override {
    if (!can_be(GetParam())) LAZARET_SKIP_OR_FAIL("root", "this test is not run by root");
    ExecutionRequest make = python(guest("package_files.py"));
    make.output_directory = files_;
    ASSERT_EQ(run_on("native", make)["exit_code"], 0);
    fs::create_directory(cache_);
    ::chmod(cache_.c_str(), 0777);
  }
  [[nodiscard]] static bool installs(const std::string& language) {
    if (is_required(language == "python" ? "pip" : "npm")) return true;
    const Json doctor = Json::parse(lazaret({"doctor", "--json"}).out);
    const Json& rows = doctor["backends"][0]["packages"];
    return std::ranges::any_of(rows, [&language](const Json& row) {
      return row["language"] == language && row["present"] == true;
    });
  }
  [[nodiscard]] Json run(ExecutionRequest request, const IndexServer& index,
                         std::vector<std::string> packages) const {
    request.packages = std::move(packages);
    const auto text = in_child(GetParam(), [&] {
      ::setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
      ::setenv("PIP_INDEX_URL", index.address("/simple/").c_str(), 1);
      ::setenv("NPM_CONFIG_REGISTRY", index.address("/npm/").c_str(), 1);
      ::setenv("SSL_CERT_FILE", authorities_.c_str(), 1);
      return to_json(sandbox_on("native").execute(request));
    });
    return text ? Json::parse(*text) : Json::object();
  }
  [[nodiscard]] std::vector<std::string> kept() const {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(cache_ + "/lazaret/packages", ignored))
      names.push_back(entry.path().filename().string());
    return names;
  }

  const Folder folder_;
  const std::string files_ = folder_.path() + "/files", cache_ = folder_.path() + "/cache";
  std::string authorities_ = in_checkout("tests/integration/tls/certificate.pem");
};

INSTANTIATE_TEST_SUITE_P(AskedBy, PackagesOfAnIndex, testing::Values(Caller::root, Caller::user),
                         [](const auto& given) { return name_of(given.param); });

std::string message_of(Json result) {
  return result.contains("error") ? result["error"]["message"].get<std::string>() : result.dump();
}

TEST_P(PackagesOfAnIndex, AreFetchedWithAllThatTheyNeedAndNamedInTheResult) {
  if (!installs("python")) LAZARET_SKIP_OR_FAIL("pip", "boxes have no pip");
  IndexServer index(files_);
  const std::string tell = "tell-2.1-py3-none-any.whl";
  const auto run_it = [&] {
    return run(python("import greet\ngreet.hello"), index, {"greet==1.0"});
  };
  Json result = run_it();
  EXPECT_EQ(result["value"], "hello there") << result;
  ASSERT_EQ(result["meta"]["packages"].size(), 2U) << result;
  EXPECT_EQ(result["meta"]["packages"][1],
            (Json{{"file", tell},
                  {"name", "tell"},
                  {"version", "2.1"},
                  {"sha256", to_hex(sha256(bytes_of(file_text(files_ + "/" + tell))))}}));
  EXPECT_EQ(kept().size(), 2U);
  index.end();  // what is known is not asked for again
  EXPECT_EQ(run_it()["meta"]["packages"], result["meta"]["packages"]);
  EXPECT_EQ(run_it()["value"], "hello there");
}

// The certificate is looked at in the box, which is told whom to believe.
TEST_P(PackagesOfAnIndex, AreFetchedOverTlsFromWhoIsBelieved) {
  if (!installs("python")) LAZARET_SKIP_OR_FAIL("pip", "boxes have no pip");
  const IndexServer index(files_, true);
  EXPECT_EQ(run(python("import tell\ntell.word"), index, {"tell"})["value"], "hello");
  authorities_ = folder_.write("none.pem", file_text("/etc/ssl/certs/ca-certificates.crt"));
  EXPECT_THAT(message_of(run(python("1"), index, {"greet"})), HasSubstr("cannot be fetched"));
  if (!installs("javascript")) LAZARET_SKIP_OR_FAIL("npm", "boxes have no npm");
  EXPECT_THAT(message_of(run(code_request("javascript", "return 1"), index, {"word"})),
              HasSubstr("cannot be fetched"));
  authorities_ = in_checkout("tests/integration/tls/certificate.pem");
  Json word = run(code_request("javascript", "return require('word')"), index, {"word@2.1.0"});
  EXPECT_EQ(word["value"], "hello") << word;
}

TEST_P(PackagesOfAnIndex, GoWithFilesOfTheCallersOwn) {
  if (!installs("python")) LAZARET_SKIP_OR_FAIL("pip", "boxes have no pip");
  const IndexServer index(files_);
  const std::string own = files_ + "/own";
  fs::create_directory(own);
  fs::rename(files_ + "/greet-1.0-py3-none-any.whl", own + "/greet-1.0-py3-none-any.whl");
  Json result = run(python("import greet\ngreet.hello"), index,
                    {own + "/greet-1.0-py3-none-any.whl", "tell>=2"});
  EXPECT_EQ(result["value"], "hello there") << result;
}

TEST_P(PackagesOfAnIndex, ThatItDoesNotHaveAreNamed) {
  if (!installs("python")) LAZARET_SKIP_OR_FAIL("pip", "boxes have no pip");
  const IndexServer index(files_);
  for (const char* const wanted : {"nobody", "tell==9.9", "elsewhere", "liar", "broken"}) {
    Json result = run(python("1"), index, {wanted});
    EXPECT_EQ(result["meta"]["cause"], "start_failed") << result;
    EXPECT_THAT(message_of(result), HasSubstr("cannot be fetched")) << wanted;
  }
  EXPECT_THAT(message_of(run(python("1"), index, {"elsewhere"})),
              HasSubstr("127.0.0.2 port 8 is not for packages"));
  EXPECT_THAT(message_of(run(python("1"), index, {"nobody"})), HasSubstr("nobody"));
  EXPECT_THAT(kept(), IsEmpty());
}

// What would have to be built is left alone, however the index names it: what builds it would run
// where an index can be asked.
TEST_P(PackagesOfAnIndex, AreNeverBuiltWhereItCanBeAsked) {
  if (!installs("python")) LAZARET_SKIP_OR_FAIL("pip", "boxes have no pip");
  const IndexServer index(files_);
  Json listed = run(python("import made"), index, {"made"});
  EXPECT_THAT(message_of(listed), HasSubstr("cannot be fetched: No matching distribution"));
  Json by_address = run(python("import puller"), index, {"puller"});
  EXPECT_EQ(by_address["meta"]["cause"], "start_failed") << by_address;
  EXPECT_THAT(message_of(by_address), AllOf(HasSubstr("Operation not permitted"),
                                            Not(HasSubstr("it was run"))));
  EXPECT_THAT(kept(), IsEmpty());
}

TEST_P(PackagesOfAnIndex, OfJavascriptAreNeverPreparedWhereItCanBeAsked) {
  if (!installs("javascript")) LAZARET_SKIP_OR_FAIL("npm", "boxes have no npm");
  const IndexServer index(files_);
  Json result = run(code_request("javascript", "return 1"), index, {"repository"});
  EXPECT_EQ(result["meta"]["cause"], "start_failed") << result;
  // As newer ones of npm put it, or what the kernel says to older ones.
  EXPECT_THAT(message_of(result), AnyOf(HasSubstr("\"git\" have been"), HasSubstr("EPERM")));
  EXPECT_THAT(kept(), IsEmpty());
}

// pip asks nobody by plain HTTP whom it has not been told to trust.
TEST_P(PackagesOfAnIndex, MayBePlainWhereverItIs) {
  if (!installs("python")) LAZARET_SKIP_OR_FAIL("pip", "boxes have no pip");
  IndexServer index(files_);
  index.host = "me:secret@0.0.0.0";
  EXPECT_EQ(run(python("import tell\ntell.word"), index, {"tell"})["value"], "hello");
}

TEST_P(PackagesOfAnIndex, OfJavascriptAreToldApartByTheirScopes) {
  if (!installs("javascript")) LAZARET_SKIP_OR_FAIL("npm", "boxes have no npm");
  const IndexServer index(files_);
  Json result = run(code_request("javascript", "return [require('@scope/word'), "
                                               "require('scope-word')]"),
                    index, {"@scope/word", "scope-word@1.0.0"});
  EXPECT_EQ(result["value"], Json::parse(R"(["scoped","dashed"])")) << result;
}

TEST_P(PackagesOfAnIndex, ThatDoesNotAnswerSaySo) {
  if (!installs("python")) LAZARET_SKIP_OR_FAIL("pip", "boxes have no pip");
  IndexServer index(files_);
  index.end();
  std::vector<ExecutionRequest> requests = {python("1")};
  if (installs("javascript")) requests.push_back(code_request("javascript", "return 1"));
  for (const ExecutionRequest& request : requests) {
    Json result = run(request, index, {"tell"});
    EXPECT_THAT(message_of(result), AllOf(HasSubstr("cannot be fetched: "),
                                          HasSubstr("(127.0.0.1 port "), HasSubstr("refused")));
    EXPECT_THAT(result["error"]["hint"].get<std::string>(),
                HasSubstr(request.language == "python" ? "PIP_INDEX_URL" : "NPM_CONFIG_REGISTRY"));
  }
  EXPECT_THAT(kept(), IsEmpty());
}

// The index is for the box that asks it, and for no other.
TEST_P(PackagesOfAnIndex, GiveTheProgramNoNetwork) {
  if (!installs("python")) LAZARET_SKIP_OR_FAIL("pip", "boxes have no pip");
  const IndexServer index(files_);
  Json result = run(python(R"py(
import socket, sys, tell
def error_of(action):
    try:
        action()
    except OSError as error:
        return error.errno
interfaces = [line.split(":")[0].strip() for line in list(open("/proc/net/dev"))[2:]]
[interfaces, error_of(lambda: socket.create_connection(("127.0.0.1", )py" + index.port() +
                                    R"py())) is not None, sys.stdin.read()]
)py"),
                    index, {"tell"});
  EXPECT_EQ(result["value"], Json::parse(R"([["lo"],true,""])")) << result;
  EXPECT_EQ(result["meta"]["evidence"][0]["status"], "enforced") << result;
}

// As npm would lay them out: each has the one that it asks for.
TEST_P(PackagesOfAnIndex, OfJavascriptMayBeThereInTwoVersions) {
  if (!installs("javascript")) LAZARET_SKIP_OR_FAIL("npm", "boxes have no npm");
  IndexServer index(files_);
  const auto run_it = [&] {
    return run(code_request("javascript", R"js(
const fs = require('fs');
return [require('greeting'), require('word'), fs.existsSync('/mnt/packages/node_modules/word/ran'),
        fs.readdirSync('/mnt/packages')];
)js"),
               index, {"greeting@1.0.0", "word@3.0.0"});
  };
  Json result = run_it();
  EXPECT_EQ(result["value"], Json::parse(R"(["hello there","bye",false,["node_modules"]])"))
      << result;
  ASSERT_EQ(result["meta"]["packages"].size(), 3U) << result;
  EXPECT_EQ(result["meta"]["packages"][1]["file"], "word-2.1.0.tgz");
  index.end();
  EXPECT_EQ(run_it()["value"], result["value"]);
}

// Whom an index keeps waiting may leave.
TEST_P(PackagesOfAnIndex, LeaveNothingHalfMadeOfWhoIsCancelled) {
  if (!installs("python")) LAZARET_SKIP_OR_FAIL("pip", "boxes have no pip");
  const auto silent = os::listen_tcp("127.0.0.1", 0);
  ASSERT_TRUE(silent.ok());
  const std::string url =
      "http://127.0.0.1:" + std::to_string(os::port_of(silent->get())) + "/simple/";
  const auto text = in_child(GetParam(), [&] {
    ::setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
    ::setenv("PIP_INDEX_URL", url.c_str(), 1);
    ExecutionRequest request = python("1");
    request.packages = {"tell"};
    std::stop_source stop;
    request.stop = stop.get_token();
    const std::jthread impatient([&] {
      pollfd entry{silent->get(), POLLIN, 0};
      (void)::poll(&entry, 1, 20'000);  // somebody asks
      stop.request_stop();
    });
    return to_json(sandbox_on("native").execute(request));
  });
  ASSERT_TRUE(text);
  EXPECT_EQ(Json::parse(*text)["meta"]["cause"], "cancelled") << *text;
  EXPECT_THAT(kept(), IsEmpty());
}

// It runs as this process's user, whoever that is.
class PackagesOfADaemon : public PackagesOfAnIndex {};

INSTANTIATE_TEST_SUITE_P(Own, PackagesOfADaemon, testing::Values(Caller::user),
                         [](const auto& given) { return name_of(given.param); });

TEST_P(PackagesOfADaemon, AreFetchedOfItsIndex) {
  if (!installs("python")) LAZARET_SKIP_OR_FAIL("pip", "boxes have no pip");
  const IndexServer index(files_);
  const Daemon daemon({}, {{"PIP_INDEX_URL", index.address("/simple/")},
                           {"XDG_CACHE_HOME", cache_}});
  const auto ask = [&daemon](const Json& packages) {
    const Json order = {{"code", "import greet\ngreet.hello"}, {"packages", packages}};
    return daemon.ask("POST", "/v1/runs", order.dump());
  };
  Json result = ask({"greet==1.0"}).json();
  EXPECT_EQ(result["value"], "hello there") << result;
  EXPECT_EQ(result["meta"]["packages"].size(), 2U);
  EXPECT_EQ(ask({files_ + "/greet-1.0-py3-none-any.whl"}).status, 400);
  EXPECT_EQ(ask({"-r x"}).status, 400);
  EXPECT_EQ(ask({"tell", "tell@1"}).status, 422);  // of another language
}

}  // namespace
}  // namespace lazaret::test
