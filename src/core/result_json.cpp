#include <nlohmann/json.hpp>

#include "lazaret/execution_result.hpp"

namespace lazaret {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
void put(Json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

Json limits_json(const Limits& limits) {
  Json json = {
      {"timeout_ms", limits.timeout.count()},
      {"grace_ms", limits.grace.count()},
      {"memory_bytes", limits.memory_bytes},
      {"cpus", limits.cpus},
      {"pids", limits.pids},
      {"open_files", limits.open_files},
      {"file_bytes", limits.file_bytes},
      {"disk_bytes", limits.disk_bytes},
      {"disk_files", limits.disk_files},
      {"stdout_bytes", limits.stdout_bytes},
      {"stderr_bytes", limits.stderr_bytes},
      {"value_bytes", limits.value_bytes},
  };
  if (limits.cpu_time) json["cpu_time_s"] = limits.cpu_time->count();
  return json;
}

Json usage_json(const Usage& usage) {
  Json json = Json::object();
  put(json, "cpu_ms", usage.cpu_ms);
  put(json, "peak_memory_bytes", usage.peak_memory_bytes);
  put(json, "peak_pids", usage.peak_pids);
  json["source"] = usage.source;
  return json;
}

Json evidence_json(const std::vector<Evidence>& evidence) {
  Json list = Json::array();
  for (const Evidence& piece : evidence) {
    list.push_back({{"control", name_of(piece.control)},
                    {"status", name_of(piece.status)},
                    {"requested", piece.requested},
                    {"applied", piece.applied},
                    {"verified_by", piece.verified_by}});
  }
  return list;
}

Json error_json(const ResultError& error) {
  Json json = {{"type", name_of(error.type)}, {"message", error.message}};
  put(json, "stack", error.stack);
  put(json, "hint", error.hint);
  return json;
}

Json meta_json(const Meta& meta) {
  Json json = {{"run_id", meta.run_id},
               {"backend", meta.backend},
               {"runtime", meta.runtime},
               {"version", meta.version}};
  put(json, "image", meta.image);
  json["language"] = meta.language;
  json["limits"] = limits_json(meta.limits);
  json["cause"] = name_of(meta.cause);
  put(json, "signal", meta.signal);
  put(json, "start_errno", meta.start_errno);
  json["usage"] = usage_json(meta.usage);
  json["output"] = {{"stdout_bytes", meta.output.stdout_bytes},
                    {"stderr_bytes", meta.output.stderr_bytes},
                    {"stdout_truncated", meta.output.stdout_truncated},
                    {"stderr_truncated", meta.output.stderr_truncated}};
  if (meta.kill) {
    json["kill"] = {{"path", meta.kill->path},
                    {"latency_ms", meta.kill->latency.count()},
                    {"survivors", meta.kill->survivors}};
  }
  json["isolation"] = name_of(meta.isolation);
  json["evidence"] = evidence_json(meta.evidence);
  if (meta.fallback)
    json["fallback"] = {{"wanted", meta.fallback->wanted}, {"reason", meta.fallback->reason}};
  json["warnings"] = meta.warnings;
  return json;
}

}  // namespace

std::string to_json(const ExecutionResult& result, int indent) {
  Json json = {{"stdout", result.stdout_text},  {"stderr", result.stderr_text},
               {"exit_code", result.exit_code}, {"duration", result.duration.count()},
               {"timed_out", result.timed_out}, {"truncated", result.truncated}};
  if (result.value) json["value"] = Json::parse(*result.value, nullptr, false);
  if (result.error) json["error"] = error_json(*result.error);
  json["meta"] = meta_json(result.meta);
  // Texts are valid UTF-8 by construction; a name or message from an engine might not be.
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lazaret
