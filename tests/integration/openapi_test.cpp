#include <cctype>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/rest/routes.hpp"
#include "integration/daemon.hpp"
#include "places.hpp"

// docs/openapi.json is held against the daemon's own table of routes and against real answers.
namespace lazaret::test {
namespace {

const Json& document() {
  static const Json json = Json::parse(file_text(in_checkout("docs/openapi.json")));
  return json;
}

// As much of JSON Schema as the document uses.
class Schema {
 public:
  /// Where and why the value is not as the schema says; empty when it is.
  static std::string fault(const Json& value, const Json& schema, const std::string& at = "$") {
    if (schema.contains("$ref")) {
      const auto pointer = Json::json_pointer(schema["$ref"].get<std::string>().substr(1));
      return fault(value, document().at(pointer), at);
    }
    if (schema.contains("type") && !has_type(value, schema["type"].get<std::string>()))
      return at + " is no " + schema["type"].get<std::string>();
    if (schema.contains("enum") && std::ranges::count(schema["enum"], value) == 0)
      return at + " is none of the names: " + value.dump();
    if (value.is_array() && schema.contains("items")) return of_items(value, schema["items"], at);
    return value.is_object() ? of_members(value, schema, at) : "";
  }

 private:
  static bool has_type(const Json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    return type == "integer" ? value.is_number_integer() : value.is_number();
  }
  static std::string of_items(const Json& value, const Json& schema, const std::string& at) {
    for (std::size_t index = 0; index < value.size(); ++index) {
      const auto found = fault(value[index], schema, at + "[" + std::to_string(index) + "]");
      if (!found.empty()) return found;
    }
    return "";
  }
  static std::string of_members(const Json& value, const Json& schema, const std::string& at) {
    for (const Json& name : schema.value("required", Json::array())) {
      if (!value.contains(name.get<std::string>())) return at + " lacks " + name.dump();
    }
    const Json known = schema.value("properties", Json::object());
    for (const auto& [name, member] : value.items()) {
      const bool open = schema.value("additionalProperties", Json(true)) != false;
      if (!known.contains(name) && !open) return at + " has an unknown " + name;
      const auto found = known.contains(name) ? fault(member, known[name], at + "." + name) : "";
      if (!found.empty()) return found;
    }
    return "";
  }
};

std::string lower(std::string_view word) {
  std::string text(word);
  for (char& letter : text) letter = static_cast<char>(std::tolower(letter));
  return text;
}

constexpr const char* kOutput = "/v1/runs/{id}/output";
constexpr const char* kSignal = "/v1/runs/{id}/signal";

TEST(ServeOpenApi, DescribesEveryRouteAndNoOther) {
  std::set<std::string> served;
  for (const rest::Route& route : rest::routes())
    served.insert(lower(route.method) + " " + std::string(route.path));
  std::set<std::string> described;
  for (const auto& [path, operations] : document()["paths"].items()) {
    for (const auto& [method, operation] : operations.items())
      described.insert(method + " " + path);
  }
  EXPECT_EQ(described, served);
}

// The schema of an answer, by its status or as `default`.
std::string fault_of(const Reply& reply, const std::string& method, const std::string& path) {
  const Json& responses = document()["paths"][path][method]["responses"];
  const std::string status = std::to_string(reply.status);
  const Json& response = responses.contains(status) ? responses[status] : responses["default"];
  if (!response.contains("content")) return reply.body;
  const std::string type(reply.head.header("Content-Type"));
  if (!response["content"].contains(type)) return "a " + status + " of type " + type;
  return Schema::fault(reply.json(), response["content"][type]["schema"]);
}

TEST(ServeOpenApi, DescribesWhatIsReallyAnswered) {
  const Daemon daemon;
  const auto post = [&daemon](const Json& body) {
    EXPECT_EQ(Schema::fault(body, document()["components"]["schemas"]["RunRequest"]), "");
    return daemon.ask("POST", "/v1/runs", body.dump());
  };
  for (const Json& body : std::vector<Json>{
           {{"code", "[1]"}, {"limits", {{"cpu_time_s", 5}}}},
           {{"code", "raise ValueError(1)"}},
           {{"language", "bash"}, {"code", "kill -USR1 $$"}},
           {{"command", {"no-such-program"}}},
           {{"language", "bash"}, {"code", "sleep 60"}, {"limits", {{"timeout_ms", 200}}}},
           {{"code", "1"}, {"required_controls", {"network"}}, {"detach", true}},
           {{"language", "cobol"}, {"code", "1"}}}) {
    EXPECT_EQ(fault_of(post(body), "post", "/v1/runs"), "") << body;
  }
  for (const char* const path : {"/v1/health", "/v1/ready", "/v1/doctor", "/v1/images", "/v1/pool",
                                 "/v1/openapi.json", "/v1/stream"}) {
    EXPECT_EQ(fault_of(daemon.ask("GET", path), "get", path), "") << path;
  }
  const Reply detached = post({{"command", {"true"}}, {"detach", true}});
  const std::string place(detached.head.header("Location"));
  Reply run;
  EXPECT_TRUE(becomes_true(std::chrono::seconds(10), [&] {
    run = daemon.ask("GET", place);
    return run.json()["state"] == "done";
  }));
  EXPECT_EQ(fault_of(run, "get", "/v1/runs/{id}"), "");
  EXPECT_EQ(fault_of(daemon.ask("GET", "/v1/runs/0"), "get", "/v1/runs/{id}"), "");
  EXPECT_EQ(fault_of(daemon.ask("GET", "/v1/runs"), "get", "/v1/runs"), "");
  for (const char* const query : {"", "?stream=stderr&offset=1", "?stream=both"})
    EXPECT_EQ(fault_of(daemon.ask("GET", place + "/output" + query), "get", kOutput), "") << query;
}

TEST(ServeOpenApi, DescribesSignalsAsTheyAre) {
  const Daemon daemon;
  const Json body = {{"command", {"sleep", "600"}}, {"detach", true}};
  const Reply started = daemon.ask("POST", "/v1/runs", body.dump());
  const std::string place(started.head.header("Location"));
  const Json wish = {{"signal", "KILL"}};
  EXPECT_EQ(Schema::fault(wish, document()["components"]["schemas"]["Signal"]), "");
  EXPECT_TRUE(becomes_true(std::chrono::seconds(10), [&] {
    const Reply sent = daemon.ask("POST", place + "/signal", wish.dump());
    EXPECT_EQ(fault_of(sent, "post", kSignal), "");
    return sent.status == 202;
  }));
  EXPECT_EQ(daemon.ask("GET", place + "?wait=30").json()["result"]["meta"]["cause"], "signalled");
}

TEST(ServeOpenApi, DescribesSessionsAsTheyAre) {
  const Daemon daemon;
  const Json wish = {{"language", "bash"}, {"lifetime_s", 60}, {"limits", {{"pids", 50}}}};
  EXPECT_EQ(Schema::fault(wish, document()["components"]["schemas"]["SessionRequest"]), "");
  const Reply made = daemon.ask("POST", "/v1/sessions", wish.dump());
  EXPECT_EQ(fault_of(made, "post", "/v1/sessions"), "");
  EXPECT_EQ(fault_of(daemon.ask("POST", "/v1/sessions", "1"), "post", "/v1/sessions"), "");
  EXPECT_EQ(fault_of(daemon.ask("GET", "/v1/sessions"), "get", "/v1/sessions"), "");
  const std::string place(made.head.header("Location"));
  EXPECT_EQ(fault_of(daemon.ask("GET", place), "get", "/v1/sessions/{id}"), "");
  EXPECT_EQ(fault_of(daemon.ask("GET", "/v1/sessions/0"), "get", "/v1/sessions/{id}"), "");
  const Json run = {{"command", {"sh", "-c", "echo a > file"}},
                    {"session", made.json()["session_id"]}};
  EXPECT_EQ(Schema::fault(run, document()["components"]["schemas"]["RunRequest"]), "");
  EXPECT_EQ(fault_of(daemon.ask("POST", "/v1/runs", run.dump()), "post", "/v1/runs"), "");
  const std::string files = "/v1/sessions/{id}/files";
  EXPECT_EQ(fault_of(daemon.ask("GET", place + "/files"), "get", files), "");
  EXPECT_EQ(fault_of(daemon.ask("PUT", place + "/files", "{}"), "put", files), "");
  const Json move = {{"operation", "move"}, {"path", "file"}, {"target", "other"}};
  EXPECT_EQ(Schema::fault(move, document()["components"]["schemas"]["FilesChange"]), "");
  for (int time = 0; time < 2; ++time)  // there, and not there any more
    EXPECT_EQ(fault_of(daemon.ask("POST", place + "/files", move.dump()), "post", files), "");
  EXPECT_EQ(fault_of(daemon.ask("POST", place + "/files", "{}"), "post", files), "");
  for (const char* const query : {"?path=other", "?path=other", "?path=..", "?x"})
    EXPECT_EQ(fault_of(daemon.ask("DELETE", place + "/files" + query), "delete", files), "");
}

TEST(ServeOpenApi, DescribesWhatCellsShowAsItIs) {
  const Daemon daemon;
  const Reply made = daemon.ask("POST", "/v1/sessions", "{}");
  const auto& schemas = document()["components"]["schemas"];
  Json every = Json::object();
  for (const auto& [type, schema] :
       schemas["RichResult"]["properties"]["data"]["properties"].items())
    every[type] = "AAAA";
  const Json run = {{"code", "display(" + every.dump() + ", raw=True); HTML('<b>')"},
                    {"context", "main"},
                    {"session", made.json()["session_id"]}};
  EXPECT_EQ(Schema::fault(run, schemas["RunRequest"]), "");
  const Reply reply = daemon.ask("POST", "/v1/runs", run.dump());
  EXPECT_EQ(fault_of(reply, "post", "/v1/runs"), "");
  ASSERT_EQ(reply.json()["rich"].size(), 2U) << reply.body;
  EXPECT_EQ(reply.json()["rich"][0]["data"], every) << "no type is missing";
}

TEST(ServeOpenApi, IsServedAsItIsWritten) {
  const Daemon daemon;
  EXPECT_EQ(daemon.ask("GET", "/v1/openapi.json").json(), document());
}

TEST(ServeOpenApi, IsHeldBySchemasThatFindFaults) {
  const Json& schemas = document()["components"]["schemas"];
  EXPECT_EQ(Schema::fault({{"status", "ok"}, {"version", "1"}}, schemas["Health"]), "");
  for (const Json& bad : std::vector<Json>{Json::array(),
                                           {{"status", "ok"}},
                                           {{"status", "ill"}, {"version", "1"}},
                                           {{"status", "ok"}, {"version", 1}},
                                           {{"status", "ok"}, {"version", "1"}, {"more", 1}}})
    EXPECT_NE(Schema::fault(bad, schemas["Health"]), "") << bad;
}

}  // namespace
}  // namespace lazaret::test
