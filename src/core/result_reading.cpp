#include "core/result_reading.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/base64.hpp"
#include "core/json_members.hpp"
#include "core/rich.hpp"
#include "policy/limit_table.hpp"

// The exceptions of the JSON library end in result_of().
namespace lazaret::core {
namespace {

using nlohmann::json;

template <typename T>
std::optional<T> optional_at(const json& object, std::string_view name) {
  const auto found = object.find(name);
  return found == object.end() ? std::nullopt : std::optional(found->get<T>());
}

// The enumerator with this name; they are numbered from 0 to `last`.
template <typename Enum>
Enum named(const json& name, Enum last) {
  for (int index = 0; index <= static_cast<int>(last); ++index) {
    if (name_of(static_cast<Enum>(index)) == name.get<std::string>())
      return static_cast<Enum>(index);
  }
  throw std::out_of_range("an unknown name");
}

Limits limits_of(const json& object) {
  Limits limits;
  for (const policy::LimitRow& row : policy::limit_rows()) {
    // What is not there by itself may be left out.
    const auto amount = optional_at<double>(object, row.member);
    if (!amount && !row.get(limits)) continue;
    if (!amount || !policy::check_range(row, *amount).ok())
      throw std::out_of_range("a limit that cannot be: " + std::string(row.member));
    row.set(limits, *amount);
  }
  return limits;
}

Usage usage_of(const json& object) {
  return {optional_at<std::uint64_t>(object, "cpu_ms"),
          optional_at<std::uint64_t>(object, "peak_memory_bytes"),
          optional_at<std::uint64_t>(object, "peak_pids"),
          optional_at<std::uint64_t>(object, "memory_kills").value_or(0),
          optional_at<std::uint64_t>(object, "pids_refusals").value_or(0),
          optional_at<std::string>(object, "disk_full"),
          object.at("source").get<std::string>()};
}

std::vector<Evidence> evidence_of(const json& list) {
  std::vector<Evidence> evidence;
  for (const json& piece : list) {
    evidence.push_back({control_named(piece.at("control").get<std::string>()).value(),
                        named(piece.at("status"), EvidenceStatus::not_enforced),
                        piece.at("requested").get<std::string>(),
                        piece.at("applied").get<std::string>(),
                        piece.at("verified_by").get<std::string>()});
  }
  return evidence;
}

ResultError error_of(const json& object) {
  return {named(object.at("type"), ErrorType::BackendError),
          object.at("message").get<std::string>(),
          optional_at<std::string>(object, "stack"),
          optional_at<std::string>(object, "hint"),
          optional_at<std::string>(object, "name"),
          optional_at<std::uint32_t>(object, "line")};
}

Compilation compile_of(const json& object) {
  Compilation compile;
  compile.duration = std::chrono::duration<double>(object.at("duration").get<double>());
  object.at("exit_code").get_to(compile.exit_code);
  compile.signal = optional_at<int>(object, "signal");
  object.at("timed_out").get_to(compile.timed_out);
  object.at("diagnostics").get_to(compile.diagnostics);
  object.at("truncated").get_to(compile.truncated);
  return compile;
}

Artifact artifact_of(const json& object) {
  Artifact artifact;
  object.at("path").get_to(artifact.path);
  artifact.kind = named(object.at("type"), Artifact::Kind::other);
  artifact.size = object.value("size", std::uint64_t{0});
  artifact.media_type = object.value("media_type", "");
  artifact.executable = object.value("executable", false);
  if (const auto content = optional_at<std::string>(object, "content")) {
    artifact.content = from_base64(*content);
    if (!artifact.content) throw std::invalid_argument("a content that is not base64");
  }
  return artifact;
}

Connection connection_of(const json& object) {
  return {object.at("host").get<std::string>(),
          object.at("port").get<std::uint16_t>(),
          named(object.at("outcome"), Connection::Outcome::failed),
          optional_at<std::string>(object, "reason").value_or(""),
          object.at("sent_bytes").get<std::uint64_t>(),
          object.at("received_bytes").get<std::uint64_t>()};
}

Meta meta_of(const json& object) {
  Meta meta;
  object.at("run_id").get_to(meta.run_id);
  object.at("backend").get_to(meta.backend);
  object.at("runtime").get_to(meta.runtime);
  object.at("version").get_to(meta.version);
  meta.image = optional_at<std::string>(object, "image");
  object.at("made_ahead").get_to(meta.made_ahead);
  object.at("language").get_to(meta.language);
  meta.fixed = optional_at<std::vector<std::string>>(object, "fixed").value_or(meta.fixed);
  for (const json& package : optional_at<json>(object, "packages").value_or(json::array()))
    meta.packages.push_back(
        {package.at("file").get<std::string>(), package.at("name").get<std::string>(),
         package.at("version").get<std::string>(), package.at("sha256").get<std::string>()});
  for (const json& connection : optional_at<json>(object, "connections").value_or(json::array()))
    meta.connections.push_back(connection_of(connection));
  meta.limits = limits_of(object.at("limits"));
  meta.cause = named(object.at("cause"), Cause::infrastructure_lost);
  meta.signal = optional_at<int>(object, "signal");
  meta.start_errno = optional_at<int>(object, "start_errno");
  meta.usage = usage_of(object.at("usage"));
  const json& output = object.at("output");
  meta.output = {output.at("stdout_bytes").get<std::uint64_t>(),
                 output.at("stderr_bytes").get<std::uint64_t>(),
                 output.at("stdout_truncated").get<bool>(),
                 output.at("stderr_truncated").get<bool>()};
  if (const auto context = optional_at<json>(object, "context")) {
    meta.context =
        ContextNote{context->at("name").get<std::string>(),
                    context->at("cell").get<std::uint32_t>(), context->at("lost").get<bool>()};
  }
  if (const auto kill = optional_at<json>(object, "kill")) {
    meta.kill = Kill{kill->at("path").get<std::string>(),
                     std::chrono::milliseconds(kill->at("latency_ms").get<std::int64_t>()),
                     kill->at("survivors").get<std::uint32_t>()};
  }
  meta.isolation = named(object.at("isolation"), Isolation::none);
  meta.evidence = evidence_of(object.at("evidence"));
  if (const auto fallback = optional_at<json>(object, "fallback"))
    meta.fallback = Fallback{fallback->at("wanted").get<std::string>(),
                             fallback->at("reason").get<std::string>()};
  object.at("warnings").get_to(meta.warnings);
  return meta;
}

std::vector<RichResult> rich_results_of(std::string_view text) {
  const auto entries = elements_of(text);
  if (!entries) throw std::invalid_argument("rich results that are no list");
  std::vector<RichResult> results;
  for (const std::string& entry : *entries) {
    auto rich = rich_of(entry);
    if (!rich) throw std::invalid_argument("a rich result without content");
    results.push_back(*std::move(rich));
  }
  return results;
}

// All but what is never a tree.
json tree_of(const JsonMembers& members) {
  json object = json::object();
  for (const auto& [name, text] : members) {
    if (name != "value" && name != "rich") object[name] = json::parse(text);
  }
  return object;
}

ExecutionResult whole_of(const JsonMembers& members) {
  const json object = tree_of(members);
  ExecutionResult result;
  object.at("stdout").get_to(result.stdout_text);
  object.at("stderr").get_to(result.stderr_text);
  object.at("exit_code").get_to(result.exit_code);
  result.duration = std::chrono::duration<double>(object.at("duration").get<double>());
  object.at("timed_out").get_to(result.timed_out);
  object.at("truncated").get_to(result.truncated);
  if (const auto value = members.find("value"); value != members.end())
    result.value = value->second;
  if (const auto rich = members.find("rich"); rich != members.end())
    result.rich = rich_results_of(rich->second);
  if (const auto error = object.find("error"); error != object.end())
    result.error = error_of(*error);
  if (const auto compile = object.find("compile"); compile != object.end())
    result.compile = compile_of(*compile);
  if (const auto artifacts = object.find("artifacts"); artifacts != object.end()) {
    for (const json& each : *artifacts) result.artifacts.push_back(artifact_of(each));
  }
  result.meta = meta_of(object.at("meta"));
  return result;
}

}  // namespace

Result<ExecutionResult> result_of(std::string_view document) {
  const auto members =
      members_of(document, {"stdout", "stderr", "exit_code", "duration", "timed_out", "truncated",
                            "value", "rich", "error", "compile", "artifacts", "meta"});
  if (!members) return Error(Errc::protocol, "the result of a run is no JSON object");
  try {
    return whole_of(*members);
  } catch (const std::exception& failure) {
    return Error(Errc::protocol, std::string("this is no result of a run: ") + failure.what());
  }
}

Result<GivenFiles> files_of(std::string_view document) {
  GivenFiles given;
  try {
    const json object = json::parse(document);
    for (const json& each : object.at("files")) given.artifacts.push_back(artifact_of(each));
    object.at("warnings").get_to(given.warnings);
  } catch (const std::exception& failure) {
    return Error(Errc::protocol, std::string("these are no files: ") + failure.what());
  }
  return given;
}

}  // namespace lazaret::core
