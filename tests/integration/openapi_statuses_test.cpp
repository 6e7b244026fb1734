#include <map>
#include <set>

#include <gtest/gtest.h>

#include "integration/daemon.hpp"
#include "places.hpp"

// Each status that docs/openapi.json names is provoked, and none is provoked that it does not name.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;

using Statuses = std::map<std::string, std::set<int>>;  // by "METHOD /path"

constexpr const char* kSessions = "/v1/sessions";
// More than the mebibyte of them that is taken of a session.
constexpr const char* kManyNames =
    "for i in $(seq 5000); do printf -v name '%0250d' $i; : > $name; done";

Statuses named_statuses() {
  Statuses named;
  const Json json = Json::parse(file_text(in_checkout("docs/openapi.json")));
  for (const auto& [path, operations] : json["paths"].items()) {
    for (const auto& [method, operation] : operations.items()) {
      for (const auto& [status, response] : operation["responses"].items()) {
        if (status != "default") named[method + " " + path].insert(std::stoi(status));
      }
    }
  }
  // Told when 64 signals wait for one that cannot be sent; and by an engine, which other tests ask.
  named["post /v1/runs/{id}/signal"].erase(429);
  named.erase("get /v1/images");
  return named;
}

class ServeOpenApiStatuses : public testing::Test {
 protected:
  // One route with its id filled in.
  struct Place {
    std::string name;  ///< "METHOD /path", the method in small letters
    std::string id = {};
    std::string query = {};
  };
  Reply ask(const Daemon& daemon, const Place& place, const std::string& body = {},
            std::vector<http::Header> headers = {}) {
    const std::size_t space = place.name.find(' ');
    std::string method = place.name.substr(0, space), target = place.name.substr(space + 1);
    for (char& letter : method) letter = static_cast<char>(letter & ~0x20);
    if (const std::size_t at = target.find("{id}"); at != target.npos)
      target.replace(at, 4, place.id);
    Reply reply = daemon.ask(method, target + place.query, body, std::move(headers));
    seen_[place.name].insert(reply.status);
    return reply;
  }
  // What a length alone decides.
  void see_length_refused(const Daemon& daemon, const std::string& name, const std::string& id) {
    (void)ask(daemon, {name, id}, std::string((8U << 20) + 1, ' '));
  }
  // Of everything that was asked so far: what a query says must be known there.
  void see_query_refused() {
    for (const auto& [name, statuses] : Statuses(seen_)) {
      const Reply reply = ask(daemon_, {name, "0", "?unheard=1"});
      EXPECT_EQ(reply.status, 400) << name;
      EXPECT_EQ(reply.json().value("detail", ""), "no parameter here: unheard=1") << name;
    }
  }
  std::string id_of(const Reply& reply) {
    const std::string place(reply.head.header("Location"));
    return place.substr(place.rfind('/') + 1);
  }
  std::string new_run(const std::vector<std::string>& command) {
    const Json body = {{"command", command}, {"detach", true}};
    return id_of(ask(daemon_, {post_run_}, body.dump()));
  }
  std::string new_session(const Json& body = Json::object()) {
    return id_of(ask(daemon_, {post_session_}, body.dump()));
  }
  std::string expired_session() {
    const std::string id = new_session({{"lifetime_s", 1}});
    EXPECT_TRUE(becomes_true(30s, [&] {
      return daemon_.ask("GET", kSessions + ("/" + id)).json()["state"] == "expired";
    }));
    return id;
  }
  // Streamed runs are told to nobody but who has asked for them.
  std::unique_ptr<Wire> streamed_run(std::string& id) const {
    auto wire = daemon_.connect();
    const std::string body = bash_body("sleep 600");
    const std::string head = "POST /v1/runs HTTP/1.1\r\nAccept: text/event-stream\r\n";
    const std::string length = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
    EXPECT_TRUE(wire->write(bytes_of(head + length + body), Call{}.within(5s)).ok());
    const std::string told = text_until(*wire, "\"}");
    id = told.substr(told.find("run_id\":\"") + 9, 32);
    return wire;
  }

  const std::string post_run_ = "post /v1/runs", post_session_ = "post /v1/sessions";
  const std::string run_ = " /v1/runs/{id}", session_ = " /v1/sessions/{id}";
  const Daemon daemon_;
  Statuses seen_;
};

TEST_F(ServeOpenApiStatuses, OfRunsAreThoseThatAreNamed) {
  const Daemon full({"--runs", "1", "--queue", "0"});
  const Daemon narrow({}, {{"LAZARET_TOKEN", "0123456789abcdef"}});
  const Json mounts = {{{"source", "/usr"}, {"target", "/mnt/a"}}};
  for (const Json& body : std::vector<Json>{{{"command", {"true"}}},
                                            1,
                                            {{"language", "cobol"}, {"code", "1"}},
                                            {{"code", "1"}, {"session", "0"}},
                                            {{"code", "1"}, {"session", expired_session()}}})
    (void)ask(daemon_, {post_run_}, body.dump());
  (void)ask(narrow, {post_run_}, Json{{"code", "1"}, {"mounts", mounts}}.dump());
  see_length_refused(daemon_, post_run_, "");
  for (int time = 0; time < 2; ++time)
    (void)ask(full, {post_run_}, bash_body("sleep 600", {{"detach", true}}));
  (void)ask(daemon_, {"get /v1/runs"});
  see_query_refused();
  const auto named = named_statuses();
  for (const std::string& name : {post_run_, std::string("get /v1/runs")})
    EXPECT_EQ(seen_[name], named.at(name)) << name;
}

TEST_F(ServeOpenApiStatuses, OfOneRunAreThoseThatAreNamed) {
  const std::string going = new_run({"sleep", "600"}), done = new_run({"true"});
  std::string streamed;
  const auto reader = streamed_run(streamed);
  (void)ask(daemon_, {"get" + run_, done, "?wait=30"});
  const std::string kill = R"({"signal": "USR2"})";
  EXPECT_TRUE(becomes_true(30s, [&] {  // its program may not have begun
    return ask(daemon_, {"post" + run_ + "/signal", going}, kill).status == 202;
  }));
  (void)ask(daemon_, {"post" + run_ + "/signal", done}, kill);
  (void)ask(daemon_, {"post" + run_ + "/signal", done}, "{}");
  (void)ask(daemon_, {"post" + run_ + "/signal", "0"}, kill);
  for (const std::string& id : {done, streamed, std::string("0")})
    (void)ask(daemon_, {"get" + run_ + "/output", id});
  (void)ask(daemon_, {"get" + run_ + "/output", done, "?stream=both"});
  (void)ask(daemon_, {"get" + run_, "0"});
  (void)ask(daemon_, {"get" + run_, done, "?wait=x"});
  for (const std::string& id : {streamed, done, std::string("0")})
    (void)ask(daemon_, {"delete" + run_, id});
  see_query_refused();
  const auto named = named_statuses();
  for (const std::string& name :
       {"get" + run_, "delete" + run_, "get" + run_ + "/output", "post" + run_ + "/signal"})
    EXPECT_EQ(seen_[name], named.at(name)) << name;
}

TEST_F(ServeOpenApiStatuses, OfSessionsAreThoseThatAreNamed) {
  const Daemon full({"--sessions", "0"});
  const Daemon narrow({}, {{"LAZARET_TOKEN", "0123456789abcdef"}});
  const std::string id = new_session();
  for (const char* const body : {"1", R"({"language": "cobol"})"})
    (void)ask(daemon_, {post_session_}, body);
  (void)ask(full, {post_session_}, "{}");
  const Json mounts = {{{"source", "/usr"}, {"target", "/mnt/a"}}};
  (void)ask(narrow, {post_session_}, Json{{"mounts", mounts}}.dump());
  (void)ask(daemon_, {"get /v1/sessions"});
  for (const std::string& each : {id, std::string("0")}) {
    (void)ask(daemon_, {"get" + session_, each});
    (void)ask(daemon_, {"delete" + session_, each});
  }
  see_query_refused();
  const auto named = named_statuses();
  for (const std::string& name :
       {post_session_, std::string("get /v1/sessions"), "get" + session_, "delete" + session_})
    EXPECT_EQ(seen_[name], named.at(name)) << name;
}

TEST_F(ServeOpenApiStatuses, OfFilesAreThoseThatAreNamed) {
  const std::string files = session_ + "/files", id = new_session(), over = expired_session();
  const auto put = [](const std::string& path) {
    return Json{{"files", {{{"path", path}, {"content", "x"}}}}}.dump();
  };
  const auto make = [](const std::string& path) {
    return Json{{"operation", "make_directory"}, {"path", path}}.dump();
  };
  for (const std::string& each : {id, over, std::string("0")}) {
    (void)ask(daemon_, {"put" + files, each}, put("a"));
    (void)ask(daemon_, {"post" + files, each}, make("b"));
    (void)ask(daemon_, {"get" + files, each});
    (void)ask(daemon_, {"delete" + files, each, "?path=a"});
  }
  (void)ask(daemon_, {"put" + files, id}, put(".."));
  (void)ask(daemon_, {"post" + files, id}, make(".."));
  for (const char* const method : {"put", "post"}) {
    (void)ask(daemon_, {method + files, id}, "1");
    see_length_refused(daemon_, method + files, id);
  }
  for (const char* const method : {"get", "delete"}) {
    for (const char* const query : {"?path=..", "?path=none"})
      (void)ask(daemon_, {method + files, id, query});
  }
  const std::string place = std::string(kSessions) + "/" + id + "/files";
  const std::string old = daemon_.say("GET " + place + "?format=tar HTTP/1.0\r\n\r\n");
  seen_["get" + files].insert(std::stoi(old.substr(old.find(' '))));
  (void)ask(daemon_, {post_run_}, bash_body(kManyNames, {{"session", id}}));
  (void)ask(daemon_, {"get" + files, id});
  see_query_refused();
  const auto named = named_statuses();
  for (const char* const method : {"put", "get", "post", "delete"})
    EXPECT_EQ(seen_[method + files], named.at(method + files)) << method;
}

TEST_F(ServeOpenApiStatuses, OfContextsAreThoseThatAreNamed) {
  const std::string list = "get" + session_ + "/contexts",
                    end = "delete" + session_ + "/contexts/a";
  const std::string id = new_session();
  (void)ask(daemon_, {post_run_}, Json{{"code", "1"}, {"context", "a"}, {"session", id}}.dump());
  for (const std::string& each : {id, expired_session(), std::string("0")}) {
    (void)ask(daemon_, {list, each});
    for (int time = 0; time < 2; ++time) (void)ask(daemon_, {end, each});
  }
  see_query_refused();
  const auto named = named_statuses();
  EXPECT_EQ(seen_[list], named.at(list));
  EXPECT_EQ(seen_[end], named.at("delete" + session_ + "/contexts/{name}"));
}

TEST_F(ServeOpenApiStatuses, OfTheRestAreThoseThatAreNamed) {
  const Daemon without({"--type", "docker", "--host", "unix:///nonexistent"},
                       {{"SANDBOX_FALLBACK", "never"}});
  const std::vector<http::Header> upgrade = {{"Connection", "Upgrade"},
                                             {"Upgrade", "websocket"},
                                             {"Sec-WebSocket-Version", "13"},
                                             {"Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="}};
  (void)ask(daemon_, {"get /v1/stream"}, "", upgrade);
  (void)ask(daemon_, {"get /v1/stream"});
  (void)ask(daemon_, {"get /v1/stream"}, "", {{"Lazaret-Version", "another"}});
  (void)ask(without, {"get /v1/ready"});
  Statuses named = named_statuses();
  for (const char* const name : {"health", "ready", "doctor", "pool", "metrics", "openapi.json"})
    (void)ask(daemon_, {std::string("get /v1/") + name});
  see_query_refused();
  for (const auto& [name, statuses] : seen_) EXPECT_EQ(statuses, named[name]) << name;
  EXPECT_EQ(seen_.size(), 7U);
}

}  // namespace
}  // namespace lazaret::test
