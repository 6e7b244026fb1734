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
  for (const auto& [name, header] : response["headers"].items()) {
    if (reply.head.header(name).empty()) return "a " + status + " without " + name;
  }
  if (!response.contains("content")) return reply.body;
  const std::string type(reply.head.header("Content-Type"));
  if (!response["content"].contains(type)) return "a " + status + " of type " + type;
  if (!type.ends_with("json")) return "";
  return Schema::fault(reply.json(), response["content"][type]["schema"]);
}

// What tools that read such documents rely on (OpenAPI 3.1, RFC 6901).
void expect_references(const Json& part) {
  if (part.is_object() && part.contains("$ref")) {
    const auto reference = part["$ref"].get<std::string>();
    ASSERT_TRUE(reference.starts_with("#/")) << reference;
    EXPECT_TRUE(document().contains(Json::json_pointer(reference.substr(1)))) << reference;
  }
  if (!part.is_structured()) return;
  for (const Json& inner : part) expect_references(inner);
}

std::set<std::string> parameters_in(const std::string& path) {
  std::set<std::string> names;
  for (std::size_t at = 0; (at = path.find('{', at)) != path.npos; ++at)
    names.insert(path.substr(at + 1, path.find('}', at) - at - 1));
  return names;
}

TEST(ServeOpenApi, IsADocumentThatToolsCanRead) {
  EXPECT_TRUE(document()["openapi"].get<std::string>().starts_with("3.1."));
  EXPECT_EQ(document()["info"]["version"], LAZARET_VERSION);
  expect_references(document());
  std::set<std::string> ids;
  for (const auto& [path, operations] : document()["paths"].items()) {
    for (const auto& [method, operation] : operations.items()) {
      EXPECT_TRUE(ids.insert(operation["operationId"]).second) << operation["operationId"];
      std::set<std::string> named;
      for (const Json& parameter : operation.value("parameters", Json::array())) {
        if (parameter["in"] != "path") continue;
        named.insert(parameter["name"]);
        EXPECT_EQ(parameter["required"], true) << path;
      }
      EXPECT_EQ(named, parameters_in(path)) << method;
    }
  }
}

TEST(ServeOpenApi, SaysWhoIsLetIn) {
  const Json& scheme = document()["components"]["securitySchemes"]["bearer"];
  EXPECT_EQ(scheme["scheme"], "bearer");
  EXPECT_EQ(document()["security"], Json::parse(R"([{}, {"bearer": []}])"));
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
                                 "/v1/metrics", "/v1/openapi.json", "/v1/stream"}) {
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
  EXPECT_EQ(fault_of(daemon.ask("DELETE", place), "delete", "/v1/runs/{id}"), "");
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

TEST(ServeOpenApi, DescribesACancelledRun) {
  const Daemon daemon;
  const Json body = {{"command", {"sleep", "600"}}, {"detach", true}};
  const Reply started = daemon.ask("POST", "/v1/runs", body.dump());
  EXPECT_EQ(fault_of(started, "post", "/v1/runs"), "");
  const Reply reply = daemon.ask("DELETE", std::string(started.head.header("Location")));
  EXPECT_EQ(reply.status, 202);
  EXPECT_EQ(fault_of(reply, "delete", "/v1/runs/{id}"), "");
}

TEST(ServeOpenApi, DescribesEventsByTheirType) {
  const Daemon daemon;
  const Reply reply = daemon.ask("POST", "/v1/runs", bash_body("echo out"),
                                 {{"Accept", "text/event-stream"}});
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(fault_of(reply, "post", "/v1/runs"), "");
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
  for (const char* const query : {"?path=file", "?path=file&content=1", "?path=file&stat=1",
                                  "?path=.&format=tar", "?path=none"})
    EXPECT_EQ(fault_of(daemon.ask("GET", place + "/files" + query), "get", files), "") << query;
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
  const std::string contexts = std::string(made.head.header("Location")) + "/contexts";
  const Reply listed = daemon.ask("GET", contexts);
  EXPECT_EQ(fault_of(listed, "get", "/v1/sessions/{id}/contexts"), "");
  EXPECT_NE(listed.body.find("main"), listed.body.npos) << listed.body;
  ASSERT_EQ(reply.json()["rich"].size(), 2U) << reply.body;
  EXPECT_EQ(reply.json()["rich"][0]["data"], every) << "no type is missing";
}

class ServeOpenApiOn : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(EachBackend, ServeOpenApiOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

// What a backend has a part in.
TEST_P(ServeOpenApiOn, DescribesWhatIsReallyAnswered) {
  const auto variables = variables_for(GetParam());
  if (!variables) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
  const Daemon daemon({}, *variables);
  EXPECT_EQ(fault_of(daemon.ask("POST", "/v1/runs", bash_body("exit 1")), "post", "/v1/runs"), "");
  for (const char* const path : {"/v1/ready", "/v1/doctor", "/v1/images", "/v1/pool"}) {
    const Reply reply = daemon.ask("GET", path);
    EXPECT_EQ(fault_of(reply, "get", path), "") << reply.body;
  }
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
