#include "core/request_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/base64.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"
#include "core/terminal_json.hpp"
#include "policy/limit_table.hpp"
#include "policy/packages.hpp"

namespace lazaret::core {
namespace {

using nlohmann::json;

// Beyond it a double, which carries numbers of JSON, has no whole numbers any more.
constexpr double kMostAmount = 9007199254740992.0;

Error wrong(std::string_view member, std::string_view wanted) {
  return Error(Errc::invalid_argument, std::string(member) + " must be " + std::string(wanted));
}

Status put_text(std::string& target, const char* member, const json& value) {
  if (!value.is_string()) return wrong(member, "a string");
  target = value.get<std::string>();
  return {};
}

Status put_words(std::vector<std::string>& target, const char* member, const json& value) {
  if (!value.is_array() || !std::ranges::all_of(value, &json::is_string))
    return wrong(member, "a list of strings");
  target = value.get<std::vector<std::string>>();
  return {};
}

Status put_environment(ExecutionRequest& request, const json& value) {
  if (!value.is_object() || !std::ranges::all_of(value, &json::is_string))
    return wrong("environment", "an object of strings");
  request.environment = value.get<std::map<std::string, std::string>>();
  return {};
}

Status put_controls(ExecutionRequest& request, const json& value) {
  std::vector<std::string> names;
  LAZARET_CHECK(put_words(names, "required_controls", value));
  request.required_controls.emplace();
  for (const std::string& name : names) {
    const auto control = control_named(name);
    if (!control) return wrong("required_controls", "names of controls; `lazaret doctor` has them");
    request.required_controls->insert(*control);
  }
  return {};
}

// A word of a small set, by the function that knows it.
template <typename T>
Status put_word(std::optional<T>& target, const char* member, const json& value,
                std::optional<T> (*named)(std::string_view) noexcept) {
  if (value.is_string()) target = named(value.get<std::string>());
  return target ? Status() : wrong(member, "one of its words; see the OpenAPI document");
}

Status put_mount(std::vector<Mount>& mounts, const json& value) {
  Mount mount;
  if (!value.is_object()) return wrong("mounts", "a list of objects");
  for (const auto& [name, text] : value.items()) {
    if (name == "source") {
      LAZARET_CHECK(put_text(mount.source, "mounts.source", text));
    } else if (name == "target") {
      LAZARET_CHECK(put_text(mount.target, "mounts.target", text));
    } else if (name == "access" && (text == "ro" || text == "rw")) {
      mount.access = text == "rw" ? MountAccess::read_write : MountAccess::read_only;
    } else {
      return wrong("mounts", "objects with source, target and access, which is ro or rw");
    }
  }
  mounts.push_back(std::move(mount));
  return {};
}

Status put_mounts(ExecutionRequest& request, const json& value) {
  if (!value.is_array()) return wrong("mounts", "a list of objects");
  for (const json& mount : value) LAZARET_CHECK(put_mount(request.mounts, mount));
  return {};
}

// Whoever asks is not where this process looks for files.
Status put_packages(ExecutionRequest& request, const json& value) {
  LAZARET_CHECK(put_words(request.packages, "packages", value));
  if (std::ranges::all_of(request.packages, policy::is_package_wish)) return {};
  return wrong("packages", "what an index is asked for, NAME==VERSION or NAME@VERSION");
}

// Bytes that are no text come in base64.
Status put_content(Input& input, const std::string& name, const json& value) {
  const std::string member = "files." + name;
  LAZARET_CHECK(put_text(input.content, member.c_str(), value));
  if (name == "content") return {};
  auto bytes = from_base64(input.content);
  if (!bytes) return wrong(member, "base64 (RFC 4648)");
  input.content = std::move(*bytes);
  input.is_archive = name == "archive";
  return {};
}

bool is_content(std::string_view name) {
  return name == "content" || name == "base64" || name == "archive";
}

Status put_file(std::vector<Input>& inputs, const json& value) {
  Input input;
  if (!value.is_object()) return wrong("files", "a list of objects");
  const auto contents = value.contains("content") + value.contains("base64") +
                        value.contains("archive");
  if (contents != 1) return wrong("files", "objects with a path, and content, base64 or archive");
  for (const auto& [name, member] : value.items()) {
    if (name == "path") {
      LAZARET_CHECK(put_text(input.path, "files.path", member));
    } else if (is_content(name)) {
      LAZARET_CHECK(put_content(input, name, member));
    } else if (name == "executable" && member.is_boolean()) {
      input.executable = member.get<bool>();
    } else {
      return wrong("files", "objects with path, executable, and content, base64 or archive");
    }
  }
  if (input.is_archive && value.contains("executable"))
    return wrong("files", "archives, which say themselves what is executable, or files");
  inputs.push_back(std::move(input));
  return {};
}

Status put_files(ExecutionRequest& request, const json& value) {
  if (!value.is_array()) return wrong("files", "a list of objects");
  for (const json& file : value) LAZARET_CHECK(put_file(request.inputs, file));
  return {};
}

Status put_flag(bool& flag, const char* name, const json& value) {
  if (!value.is_boolean()) return wrong(name, "true or false");
  flag = value.get<bool>();
  return {};
}

Status put_limit(LimitOverrides& limits, const std::string& name, const json& value) {
  const auto row = std::ranges::find(policy::limit_rows(), name, &policy::LimitRow::member);
  if (row == policy::limit_rows().end())
    return Error(Errc::invalid_argument, "limits: unknown member " + name);
  const bool whole = row->unit != policy::Unit::processors;
  const double amount = value.is_number() ? value.get<double>() : -1;
  if (!(amount >= 0 && amount <= kMostAmount) || (whole && amount != std::floor(amount)))
    return wrong("limits." + name, whole ? "a whole number from 0 on" : "a number from 0 on");
  row->ask(limits, amount);
  return {};
}

Status put_limits(ExecutionRequest& request, const json& value) {
  if (!value.is_object()) return wrong("limits", "an object");
  for (const auto& [name, amount] : value.items())
    LAZARET_CHECK(put_limit(request.limits, name, amount));
  return {};
}

Status put_terminal(ExecutionRequest& request, const json& value) {
  LAZARET_TRY(request.terminal, terminal_of(value));
  return {};
}

struct Member {
  const char* name;
  Status (*put)(ExecutionRequest& request, const json& value);
};

constexpr std::array kMembers = {
    Member{"language", [](ExecutionRequest& to,
                          const json& v) { return put_text(to.language, "language", v); }},
    Member{"code",
           [](ExecutionRequest& to, const json& v) { return put_text(to.code, "code", v); }},
    Member{"command",
           [](ExecutionRequest& to, const json& v) { return put_words(to.command, "command", v); }},
    Member{"context",
           [](ExecutionRequest& to, const json& v) { return put_text(to.context, "context", v); }},
    Member{"arguments", [](ExecutionRequest& to,
                           const json& v) { return put_words(to.arguments, "arguments", v); }},
    Member{"stdin",
           [](ExecutionRequest& to, const json& v) { return put_text(to.stdin_data, "stdin", v); }},
    Member{"environment", put_environment},
    Member{"working_directory",
           [](ExecutionRequest& to, const json& v) {
             return put_text(to.working_directory, "working_directory", v);
           }},
    Member{"files", put_files},
    Member{"packages", put_packages},
    Member{"return_artifacts",
           [](ExecutionRequest& to, const json& v) {
             return put_flag(to.return_artifacts, "return_artifacts", v);
           }},
    Member{"deterministic",
           [](ExecutionRequest& to, const json& v) {
             return put_flag(to.deterministic, "deterministic", v);
           }},
    Member{"limits", put_limits},
    Member{"image", [](ExecutionRequest& to,
                       const json& v) { return put_text(to.image.emplace(), "image", v); }},
    Member{"required_controls", put_controls},
    Member{"subprocess",
           [](ExecutionRequest& to, const json& v) {
             return put_word(to.subprocess, "subprocess", v, subprocess_named);
           }},
    Member{"profile",
           [](ExecutionRequest& to, const json& v) {
             return put_word(to.profile, "profile", v, profile_named);
           }},
    Member{"loopback",
           [](ExecutionRequest& to, const json& v) {
             return put_word(to.loopback, "loopback", v, loopback_named);
           }},
    Member{"hosts",
           [](ExecutionRequest& to, const json& v) { return put_words(to.hosts, "hosts", v); }},
    Member{"mounts", put_mounts},
    Member{"terminal", put_terminal},
};

json file_json(const Input& input) {
  json object = {{"path", input.path}};
  if (input.is_archive)
    object["archive"] = to_base64(input.content);
  else if (is_utf8(input.content))
    object["content"] = input.content;
  else
    object["base64"] = to_base64(input.content);
  if (input.executable) object["executable"] = true;
  return object;
}

json limits_json(const LimitOverrides& limits) {
  json object = json::object();
  for (const policy::LimitRow& row : policy::limit_rows()) {
    if (const auto amount = row.asked(limits)) object[row.member] = *amount;
  }
  return object;
}

}  // namespace

std::vector<std::string_view> request_members() {
  std::vector<std::string_view> names;
  for (const Member& member : kMembers) names.emplace_back(member.name);
  return names;
}

Result<ExecutionRequest> request_of(const json& object) {
  if (!object.is_object()) return Error(Errc::invalid_argument, "a request is a JSON object");
  ExecutionRequest request;
  for (const auto& [name, value] : object.items()) {
    const auto* const row = std::ranges::find_if(
        kMembers, [&name = name](const Member& each) { return name == each.name; });
    if (row == kMembers.end()) return Error(Errc::invalid_argument, "unknown member " + name);
    LAZARET_CHECK(row->put(request, value));
  }
  return request;
}

json json_of(const ExecutionRequest& request) {
  json object = json::object();
  if (!request.language.empty()) object["language"] = request.language;
  if (!request.code.empty()) object["code"] = request.code;
  if (!request.command.empty()) object["command"] = request.command;
  if (!request.context.empty()) object["context"] = request.context;
  if (!request.arguments.empty()) object["arguments"] = request.arguments;
  if (!request.stdin_data.empty()) object["stdin"] = request.stdin_data;
  if (!request.environment.empty()) object["environment"] = request.environment;
  if (!request.working_directory.empty()) object["working_directory"] = request.working_directory;
  for (const Input& input : request.inputs) {
    if (!input.source) object["files"].push_back(file_json(input));
  }
  for (const std::string& word : request.packages) {
    if (policy::is_package_wish(word)) object["packages"].push_back(word);
  }
  if (request.return_artifacts) object["return_artifacts"] = true;
  if (request.deterministic) object["deterministic"] = true;
  if (request.terminal) object["terminal"] = json_of(*request.terminal);
  if (json limits = limits_json(request.limits); !limits.empty()) object["limits"] = limits;
  if (request.image) object["image"] = *request.image;
  if (request.subprocess) object["subprocess"] = name_of(*request.subprocess);
  if (request.profile) object["profile"] = name_of(*request.profile);
  if (request.loopback) object["loopback"] = name_of(*request.loopback);
  if (!request.hosts.empty()) object["hosts"] = request.hosts;
  for (const Mount& mount : request.mounts)
    object["mounts"].push_back({{"source", mount.source},
                                {"target", mount.target},
                                {"access", mount.access == MountAccess::read_write ? "rw" : "ro"}});
  if (!request.required_controls) return object;
  object["required_controls"] = json::array();
  for (const Control control : *request.required_controls)
    object["required_controls"].push_back(name_of(control));
  return object;
}

}  // namespace lazaret::core
