#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.hpp"
#include "integration/daemon.hpp"
#include "integration/index_server.hpp"
#include "integration/packages_bed.hpp"
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

class PackagesOfAnIndex : public PackagesBed {
 protected:
  [[nodiscard]] Json run(ExecutionRequest request, const IndexServer& index,
                         std::vector<std::string> packages, const std::string& hosts = "") const {
    request.packages = std::move(packages);
    return run_with(request, {{"PIP_INDEX_URL", index.address("/simple/")},
                              {"NPM_CONFIG_REGISTRY", index.address("/npm/")},
                              {"SSL_CERT_FILE", authorities_},
                              {"LAZARET_PACKAGES_HOSTS", hosts}});
  }

  std::string authorities_ = in_checkout("tests/integration/tls/certificate.pem");
};

INSTANTIATE_TEST_SUITE_P(AskedBy, PackagesOfAnIndex, testing::Values(Caller::root, Caller::user),
                         [](const auto& given) { return name_of(given.param); });

std::string message_of(Json result) {
  return result.contains("error") ? result["error"]["message"].get<std::string>() : result.dump();
}

TEST_P(PackagesOfAnIndex, AreFetchedWithAllThatTheyNeedAndNamedInTheResult) {
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
  const IndexServer index(files_);
  const std::string own = files_ + "/own";
  fs::create_directory(own);
  fs::rename(files_ + "/greet-1.0-py3-none-any.whl", own + "/greet-1.0-py3-none-any.whl");
  Json result = run(python("import greet\ngreet.hello"), index,
                    {own + "/greet-1.0-py3-none-any.whl", "tell>=2"});
  EXPECT_EQ(result["value"], "hello there") << result;
}

TEST_P(PackagesOfAnIndex, ThatItDoesNotHaveAreNamed) {
  const IndexServer index(files_);
  for (const char* const wanted : {"nobody", "tell==9.9", "elsewhere", "liar", "broken"}) {
    Json result = run(python("1"), index, {wanted});
    EXPECT_EQ(result["meta"]["cause"], "start_failed") << result;
    EXPECT_THAT(message_of(result), HasSubstr("cannot be fetched")) << wanted;
  }
  EXPECT_THAT(message_of(run(python("1"), index, {"nobody"})), HasSubstr("nobody"));
  EXPECT_THAT(kept(), IsEmpty());
}

// Where an index may lead is not the index's to say.
TEST_P(PackagesOfAnIndex, ComeFromHostsThatAreNamedOrPublic) {
  const IndexServer index(files_);
  const auto fetching = [&](const char* wanted, const std::string& hosts) {
    return message_of(run(python("1"), index, {wanted}, hosts));
  };
  for (const char* const hosts : {"", "public", "127.0.0.2:9", "127.0.0.3:8"})
    EXPECT_THAT(fetching("elsewhere", hosts), HasSubstr("127.0.0.2 port 8 is not for packages"));
  EXPECT_THAT(fetching("elsewhere", "127.0.0.2:8"), HasSubstr("refused"));
  EXPECT_THAT(fetching("secure", ""), HasSubstr("127.0.0.2 has no public address"));
  EXPECT_THAT(fetching("secure", "127.0.0.3"), HasSubstr("127.0.0.2 port 443 is not for packages"));
}

TEST_P(PackagesOfAnIndex, AreToldOfWhileTheyAreMade) {
  const IndexServer index(files_);
  const std::map<std::string, std::string> environment = {
      {"XDG_CACHE_HOME", cache_}, {"PIP_INDEX_URL", index.address("/simple/")}};
  const auto told = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"run", "--with", "tell", "-c", "1"};
    words.insert(words.begin() + 1, more.begin(), more.end());
    const std::string err = lazaret(words, {.argv = {}, .environment = environment}).err;
    return std::pair(err.find("fetching packages") != err.npos,
                     err.find("installing packages") != err.npos);
  };
  EXPECT_EQ(told({}), std::pair(true, true));
  EXPECT_EQ(told({}), std::pair(false, false));
  std::filesystem::remove_all(cache_ + "/lazaret");
  EXPECT_EQ(told({"-q"}), std::pair(false, false));
}

// As npm itself would have it.
TEST_P(PackagesOfAnIndex, OfJavascriptForAnotherSystemAreLeftOut) {
  if (!installs("javascript")) LAZARET_SKIP_OR_FAIL("npm", "boxes have no npm");
  const IndexServer index(files_);
  Json result = run(code_request("javascript", R"js(
let missing = '';
try { require('there'); } catch (error) { missing = error.code; }
return [require('here'), missing];
)js"),
                    index, {"chooser"});
  EXPECT_EQ(result["value"], Json::parse(R"(["here","MODULE_NOT_FOUND"])")) << result;
  EXPECT_EQ(result["meta"]["packages"].size(), 2U) << result;
}

// What would have to be built is left alone, however the index names it: what builds it would run
// where an index can be asked.
TEST_P(PackagesOfAnIndex, AreNeverBuiltWhereItCanBeAsked) {
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
  const Json tell = {{"code", "1"}, {"packages", {"tell"}}};
  const std::string events =
      daemon.ask("POST", "/v1/runs", tell.dump(), {{"Accept", "text/event-stream"}}).body;
  EXPECT_THAT(events, HasSubstr("event: progress\ndata: \"fetching packages"));
  EXPECT_EQ(ask({files_ + "/greet-1.0-py3-none-any.whl"}).status, 400);
  EXPECT_EQ(ask({"-r x"}).status, 400);
  EXPECT_EQ(ask({"tell", "tell@1"}).status, 422);  // of another language
}

TEST_P(PackagesOfADaemon, AreACommandLinesToo) {
  const IndexServer index(files_);
  const std::map<std::string, std::string> environment = {
      {"PIP_INDEX_URL", index.address("/simple/")}, {"XDG_CACHE_HOME", cache_}};
  const Daemon daemon({}, environment);
  const auto run = [&](const std::map<std::string, std::string>& other, const std::string& what) {
    auto its = environment;
    its["LAZARET_SOCKET"] = daemon.socket();
    for (const auto& [name, value] : other) its[name] = value;
    return lazaret({"run", "--with", what, "-c", "import greet\ngreet.hello"},
                   {.argv = {}, .environment = its});
  };
  const auto was_asked = [&daemon] {
    const std::string metrics = daemon.ask("GET", "/v1/metrics").body;
    return metrics.find(R"(route="/v1/stream",status="101")") != std::string::npos;
  };
  EXPECT_EQ(run({{"PIP_INDEX_URL", index.address("/other/")}}, "nowhere").status, 126);
  EXPECT_EQ(run({}, files_ + "/greet-1.0-py3-none-any.whl").status, 126);  // alone
  EXPECT_FALSE(was_asked());
  const Ended there = run({}, "greet==1.0");
  EXPECT_TRUE(was_asked());
  std::filesystem::remove_all(cache_ + "/lazaret");
  const Ended here = run({{"LAZARET_SOCKET", ""}}, "greet==1.0");
  EXPECT_EQ(there.status, 0) << there.err;
  EXPECT_THAT(there.err, AllOf(HasSubstr("fetching packages"), HasSubstr("installing packages"),
                               HasSubstr("hello there")));
  EXPECT_EQ(there.err, here.err);
  EXPECT_EQ(there.out, here.out);
}

TEST_P(PackagesOfADaemon, AreASessions) {
  const IndexServer index(files_);
  const Daemon daemon({}, {{"PIP_INDEX_URL", index.address("/simple/")},
                           {"XDG_CACHE_HOME", cache_}});
  const auto command = [&daemon](std::vector<std::string> words) {
    words.insert(words.begin(), "session");
    return lazaret(words, {.argv = {}, .environment = {{"LAZARET_SOCKET", daemon.socket()}}});
  };
  const Ended made = command({"new", "--with", "greet==1.0"});
  ASSERT_EQ(made.status, 0) << made.err;
  const std::string id = made.out.substr(0, made.out.find('\n'));
  for (int time = 0; time < 2; ++time) {
    const Ended ran = command({"run", "--json", id, "-c", "import greet\ngreet.hello"});
    const Json result = Json::parse(ran.out, nullptr, false);
    ASSERT_TRUE(result.is_object()) << ran.out << ran.err;
    EXPECT_EQ(result["value"], "hello there") << result;
    EXPECT_EQ(result["meta"]["packages"].size(), 2U) << result;
  }
  const Ended refused = command({"new", "--with", files_ + "/greet-1.0-py3-none-any.whl"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("reads no files"));
  const Ended missing = command({"new", "--with", "nowhere==1.0"});
  EXPECT_EQ(missing.status, 125) << missing.err;
  EXPECT_THAT(missing.err, HasSubstr("nowhere"));
}

}  // namespace
}  // namespace lazaret::test
