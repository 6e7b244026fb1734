#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/rest/order.hpp"
#include "api/rest/routes.hpp"
#include "base/base64.hpp"
#include "core/request_json.hpp"
#include "core/session_json.hpp"
#include "integration/daemon.hpp"
#include "places.hpp"
#include "policy/limit_table.hpp"

// What docs/openapi.json says of requests, held against what the daemon takes: nothing that it
// takes is missing there, and nothing is there that it does not take.
namespace lazaret::test {
namespace {

using Names = std::set<std::string>;

const Json& written() {
  static const Json json = Json::parse(file_text(in_checkout("docs/openapi.json")));
  return json;
}

const Json& schema_of(const char* name) { return written()["components"]["schemas"][name]; }

Names names_in(const Json& object) {
  Names names;
  for (const auto& [name, value] : object.items()) names.insert(name);
  return names;
}

template <typename Range>
Names names_of(const Range& range) {
  return {range.begin(), range.end()};
}

TEST(ServeOpenApiRequests, HaveTheMembersThatADaemonTakes) {
  EXPECT_EQ(names_in(schema_of("RunRequest")["properties"]), names_of(rest::order_members()));
  EXPECT_EQ(names_in(schema_of("SessionRequest")["properties"]), names_of(core::session_members()));
  Names limits;
  for (const policy::LimitRow& row : policy::limit_rows()) limits.emplace(row.member);
  EXPECT_EQ(names_in(schema_of("RunRequest")["properties"]["limits"]["properties"]), limits);
  for (const char* const name : {"limits", "mounts"}) {  // the same for both
    const Json& member = schema_of("SessionRequest")["properties"][name];
    EXPECT_EQ(member,
              Json({{"$ref", "#/components/schemas/RunRequest/properties/" + std::string(name)}}));
  }
}

TEST(ServeOpenApiRequests, HaveTheParametersThatARouteKnows) {
  for (const rest::Route& route : rest::routes()) {
    std::string method(route.method);
    std::ranges::transform(method, method.begin(),
                           [](char letter) { return static_cast<char>(letter | 0x20); });
    const std::string path(route.path);
    const Json operation = written()["paths"][path][method];
    Names query, placed;
    for (const Json& parameter : operation.value("parameters", Json::array()))
      (parameter["in"] == "query" ? query : placed).insert(parameter["name"].get<std::string>());
    EXPECT_EQ(query, names_of(route.query)) << method << " " << path;
    EXPECT_EQ(placed.contains("id"), path.find("{id}") != path.npos) << method << " " << path;
  }
}

/// A body that is taken, and the place to send it to.
struct Accepted {
  const char* schema;
  const char* method;
  std::string place;
  Json body;
};

class ServeOpenApiBodies : public testing::Test {
 protected:
  [[nodiscard]] int status_of(const Accepted& request, const Json& body) const {
    return daemon_.ask(request.method, request.place, body.dump()).status;
  }
  [[nodiscard]] std::string new_session() const {
    return std::string(daemon_.ask("POST", "/v1/sessions", "{}").head.header("Location"));
  }
  [[nodiscard]] std::string new_run() const {
    const Json body = {{"command", {"sleep", "600"}}, {"detach", true}};
    const Reply reply = daemon_.ask("POST", "/v1/runs", body.dump());
    return std::string(reply.head.header("Location"));
  }
  // With another member, and with each of the required ones missing.
  void expect_closed(const Accepted& request) const {
    const Json& schema = schema_of(request.schema);
    EXPECT_EQ(schema.value("additionalProperties", Json()), Json(false)) << request.schema;
    Json more = request.body;
    more["bogus"] = 1;
    EXPECT_EQ(status_of(request, more), 400) << more;
    for (const Json& name : schema.value("required", Json::array())) {
      Json less = request.body;
      less.erase(name.get<std::string>());
      EXPECT_THAT(status_of(request, less), testing::AnyOf(400, 422)) << less;
    }
  }
  const Daemon daemon_;
};

TEST_F(ServeOpenApiBodies, AreTakenAsTheyAreWrittenAndWithNothingElse) {
  const std::string session = new_session(), files = session + "/files", run = new_run();
  const Json file = {{"path", "a"}, {"content", "b"}, {"executable", true}};
  const std::vector<Accepted> all = {
      {"RunRequest", "POST", "/v1/runs", {{"command", {"true"}}}},
      {"SessionRequest", "POST", "/v1/sessions", {{"language", "bash"}}},
      {"FilesRequest", "PUT", files, {{"files", {file}}}},
      {"FilesChange", "POST", files, {{"operation", "make_directory"}, {"path", "b"}}},
      {"FilesChange", "POST", files, {{"operation", "move"}, {"path", "b"}, {"target", "c"}}},
      {"Signal", "POST", run + "/signal", {{"signal", "USR1"}}}};
  for (const Accepted& request : all) {
    EXPECT_TRUE(becomes_true(std::chrono::seconds(10), [&] {
      const int status = status_of(request, request.body);
      return status >= 200 && status < 300;  // a signal may find no program yet
    })) << request.body;
    expect_closed(request);
  }
}

// Each member of an object in a list: taken where it is written, and no other.
TEST_F(ServeOpenApiBodies, HaveFilesAndMountsOfTheMembersThatAreWritten) {
  const Json& run = schema_of("RunRequest")["properties"];
  EXPECT_EQ(names_in(run["files"]["items"]["properties"]),
            (Names{"path", "content", "base64", "archive", "executable"}));
  EXPECT_EQ(names_in(run["mounts"]["items"]["properties"]), (Names{"source", "target", "access"}));
  const Accepted request{"RunRequest", "POST", "/v1/runs", {}};
  const auto asked = [&](const char* list, const Json& object) {
    return status_of(request, {{"command", {"true"}}, {list, {object}}});
  };
  const Json file = {{"path", "a"}, {"base64", "Yg=="}, {"executable", false}};
  EXPECT_EQ(asked("files", file), 200);
  const std::string no_entry(1024, '\0');
  EXPECT_EQ(asked("files", {{"path", "."}, {"archive", to_base64(no_entry)}}), 200);
  const Folder folder;
  const Json mount = {{"source", folder.path()}, {"target", "/mnt/a"}, {"access", "ro"}};
  EXPECT_EQ(asked("mounts", mount), 200);
  for (const auto& [list, object] : {std::pair{"files", file}, std::pair{"mounts", mount}}) {
    Json more = object;
    more["bogus"] = true;
    EXPECT_EQ(asked(list, more), 400) << list;
  }
}

}  // namespace
}  // namespace lazaret::test
