#include "core/result_reading.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/base64.hpp"
#include "core/json_members.hpp"
#include "policy/limit_table.hpp"

// The exceptions of the JSON library end in result_of().
namespace lazaret::core {
namespace {

using Json = nlohmann::json;

template <typename T>
std::optional<T> optional_at(const Json& object, std::string_view name) {
  const auto found = object.find(name);
  return found == object.end() ? std::nullopt : std::optional(found->get<T>());
}

// The enumerator with this name; they are numbered from 0 to `last`.
template <typename Enum>
Enum named(const Json& name, Enum last) {
  for (int index = 0; index <= static_cast<int>(last); ++index) {
    if (name_of(static_cast<Enum>(index)) == name.get<std::string>())
      return static_cast<Enum>(index);
  }
  throw std::out_of_range("an unknown name");
}

Limits limits_of(const Json& json) {
  Limits limits;
  for (const policy::LimitRow& row : policy::limit_rows()) {
    // What is not there by itself may be left out.
    const auto amount = optional_at<double>(json, row.member);
    if (!amount && !row.get(limits)) continue;
    if (!amount || !policy::check_range(row, *amount).ok())
      throw std::out_of_range("a limit that cannot be: " + std::string(row.member));
    row.set(limits, *amount);
  }
  return limits;
}

Usage usage_of(const Json& json) {
  return {optional_at<std::uint64_t>(json, "cpu_ms"),
          optional_at<std::uint64_t>(json, "peak_memory_bytes"),
          optional_at<std::uint64_t>(json, "peak_pids"), json.at("source").get<std::string>()};
}

std::vector<Evidence> evidence_of(const Json& list) {
  std::vector<Evidence> evidence;
  for (const Json& piece : list) {
    evidence.push_back({control_named(piece.at("control").get<std::string>()).value(),
                        named(piece.at("status"), EvidenceStatus::not_enforced),
                        piece.at("requested").get<std::string>(),
                        piece.at("applied").get<std::string>(),
                        piece.at("verified_by").get<std::string>()});
  }
  return evidence;
}

ResultError error_of(const Json& json) {
  return {
      named(json.at("type"), ErrorType::BackendError), json.at("message").get<std::string>(),
      optional_at<std::string>(json, "stack"),         optional_at<std::string>(json, "hint"),
      optional_at<std::string>(json, "name"),          optional_at<std::uint32_t>(json, "line")};
}

Compilation compile_of(const Json& json) {
  Compilation compile;
  compile.duration = std::chrono::duration<double>(json.at("duration").get<double>());
  json.at("exit_code").get_to(compile.exit_code);
  compile.signal = optional_at<int>(json, "signal");
  json.at("timed_out").get_to(compile.timed_out);
  json.at("diagnostics").get_to(compile.diagnostics);
  json.at("truncated").get_to(compile.truncated);
  return compile;
}

Artifact artifact_of(const Json& json) {
  Artifact artifact;
  json.at("path").get_to(artifact.path);
  artifact.kind = named(json.at("type"), Artifact::Kind::other);
  artifact.size = json.value("size", std::uint64_t{0});
  artifact.media_type = json.value("media_type", "");
  if (const auto content = optional_at<std::string>(json, "content")) {
    artifact.content = from_base64(*content);
    if (!artifact.content) throw std::invalid_argument("a content that is not base64");
  }
  return artifact;
}

Meta meta_of(const Json& json) {
  Meta meta;
  json.at("run_id").get_to(meta.run_id);
  json.at("backend").get_to(meta.backend);
  json.at("runtime").get_to(meta.runtime);
  json.at("version").get_to(meta.version);
  meta.image = optional_at<std::string>(json, "image");
  json.at("language").get_to(meta.language);
  meta.limits = limits_of(json.at("limits"));
  meta.cause = named(json.at("cause"), Cause::infrastructure_lost);
  meta.signal = optional_at<int>(json, "signal");
  meta.start_errno = optional_at<int>(json, "start_errno");
  meta.usage = usage_of(json.at("usage"));
  const Json& output = json.at("output");
  meta.output = {output.at("stdout_bytes").get<std::uint64_t>(),
                 output.at("stderr_bytes").get<std::uint64_t>(),
                 output.at("stdout_truncated").get<bool>(),
                 output.at("stderr_truncated").get<bool>()};
  if (const auto kill = optional_at<Json>(json, "kill")) {
    meta.kill = Kill{kill->at("path").get<std::string>(),
                     std::chrono::milliseconds(kill->at("latency_ms").get<std::int64_t>()),
                     kill->at("survivors").get<std::uint32_t>()};
  }
  meta.isolation = named(json.at("isolation"), Isolation::none);
  meta.evidence = evidence_of(json.at("evidence"));
  if (const auto fallback = optional_at<Json>(json, "fallback"))
    meta.fallback = Fallback{fallback->at("wanted").get<std::string>(),
                             fallback->at("reason").get<std::string>()};
  json.at("warnings").get_to(meta.warnings);
  return meta;
}

// All but the value, which is never a tree.
Json tree_of(const JsonMembers& members) {
  Json json = Json::object();
  for (const auto& [name, text] : members) {
    if (name != "value") json[name] = Json::parse(text);
  }
  return json;
}

ExecutionResult whole_of(const JsonMembers& members) {
  const Json json = tree_of(members);
  ExecutionResult result;
  json.at("stdout").get_to(result.stdout_text);
  json.at("stderr").get_to(result.stderr_text);
  json.at("exit_code").get_to(result.exit_code);
  result.duration = std::chrono::duration<double>(json.at("duration").get<double>());
  json.at("timed_out").get_to(result.timed_out);
  json.at("truncated").get_to(result.truncated);
  if (const auto value = members.find("value"); value != members.end())
    result.value = value->second;
  if (const auto error = json.find("error"); error != json.end()) result.error = error_of(*error);
  if (const auto compile = json.find("compile"); compile != json.end())
    result.compile = compile_of(*compile);
  if (const auto artifacts = json.find("artifacts"); artifacts != json.end()) {
    for (const Json& each : *artifacts) result.artifacts.push_back(artifact_of(each));
  }
  result.meta = meta_of(json.at("meta"));
  return result;
}

}  // namespace

Result<ExecutionResult> result_of(std::string_view document) {
  const auto members =
      members_of(document, {"stdout", "stderr", "exit_code", "duration", "timed_out", "truncated",
                            "value", "error", "compile", "artifacts", "meta"});
  if (!members) return Error(Errc::protocol, "the result of a run is no JSON object");
  try {
    return whole_of(*members);
  } catch (const std::exception& failure) {
    return Error(Errc::protocol, std::string("this is no result of a run: ") + failure.what());
  }
}

}  // namespace lazaret::core
