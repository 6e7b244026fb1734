#include <nlohmann/json.hpp>

#include "core/collector.hpp"
#include "core/report_json.hpp"
#include "core/rich.hpp"
#include "lazaret/execution_result.hpp"
#include "policy/limit_table.hpp"

namespace lazaret {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
void put(Json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

Json limits_json(const Limits& limits) {
  Json json = Json::object();
  for (const policy::LimitRow& row : policy::limit_rows()) {
    const auto amount = row.get(limits);
    if (!amount) continue;
    if (row.unit == policy::Unit::processors)
      json[row.member] = *amount;
    else
      json[row.member] = static_cast<std::uint64_t>(*amount);
  }
  return json;
}

Json usage_json(const Usage& usage) {
  Json json = Json::object();
  put(json, "cpu_ms", usage.cpu_ms);
  put(json, "peak_memory_bytes", usage.peak_memory_bytes);
  put(json, "peak_pids", usage.peak_pids);
  if (usage.memory_kills > 0) json["memory_kills"] = usage.memory_kills;
  if (usage.pids_refusals > 0) json["pids_refusals"] = usage.pids_refusals;
  put(json, "disk_full", usage.disk_full);
  json["source"] = usage.source;
  return json;
}

Json error_json(const ResultError& error) {
  Json json = {{"type", name_of(error.type)}, {"message", error.message}};
  put(json, "name", error.name);
  put(json, "line", error.line);
  put(json, "stack", error.stack);
  put(json, "hint", error.hint);
  return json;
}

Json compile_json(const Compilation& compile) {
  Json json = {{"duration", compile.duration.count()}, {"exit_code", compile.exit_code}};
  put(json, "signal", compile.signal);
  json["timed_out"] = compile.timed_out;
  json["diagnostics"] = compile.diagnostics;
  json["truncated"] = compile.truncated;
  return json;
}

Json connection_json(const Connection& connection) {
  Json json = {{"host", connection.host},
               {"port", connection.port},
               {"outcome", name_of(connection.outcome)}};
  if (!connection.reason.empty()) json["reason"] = connection.reason;
  json["sent_bytes"] = connection.sent_bytes;
  json["received_bytes"] = connection.received_bytes;
  return json;
}

Json meta_json(const Meta& meta) {
  Json json = {{"run_id", meta.run_id},
               {"backend", meta.backend},
               {"runtime", meta.runtime},
               {"version", meta.version}};
  put(json, "image", meta.image);
  json["made_ahead"] = meta.made_ahead;
  json["language"] = meta.language;
  if (!meta.fixed.empty()) json["fixed"] = meta.fixed;
  for (const Package& package : meta.packages)
    json["packages"].push_back({{"file", package.file},
                                {"name", package.name},
                                {"version", package.version},
                                {"sha256", package.sha256}});
  for (const Connection& connection : meta.connections)
    json["connections"].push_back(connection_json(connection));
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
  json["evidence"] = core::json_of(meta.evidence);
  if (meta.context)
    json["context"] = {
        {"name", meta.context->name}, {"cell", meta.context->cell}, {"lost", meta.context->lost}};
  if (meta.fallback)
    json["fallback"] = {{"wanted", meta.fallback->wanted}, {"reason", meta.fallback->reason}};
  json["warnings"] = meta.warnings;
  return json;
}

// What is as long as it is: never a tree, whatever a program has put into it. No text can hold a
// quotation mark as it is, so the first such key is ours.
void put_text(std::string& document, std::string_view key, const std::string& text) {
  constexpr std::string_view kPlace = "null";
  document.replace(document.find(kPlace, document.find(key)), kPlace.size(), text);
}

std::string list_of(const std::vector<RichResult>& rich) {
  std::string text;
  for (const RichResult& each : rich) text += (text.empty() ? "[" : ",") + core::json_of(each);
  return text + "]";
}

}  // namespace

std::string to_json(const ExecutionResult& result, int indent) {
  return to_json(ExecutionResult(result), indent);
}

std::string to_json(ExecutionResult&& result, int indent) {
  Json json = Json::object();
  json["stdout"] = std::move(result.stdout_text);
  json["stderr"] = std::move(result.stderr_text);
  json["exit_code"] = result.exit_code;
  json["duration"] = result.duration.count();
  json["timed_out"] = result.timed_out;
  json["truncated"] = result.truncated;
  if (result.value) json["value"] = nullptr;
  if (!result.rich.empty()) json["rich"] = nullptr;
  if (result.error) json["error"] = error_json(*result.error);
  if (result.compile) json["compile"] = compile_json(*result.compile);
  if (!result.artifacts.empty()) json["artifacts"] = core::json_of(result.artifacts);
  json["meta"] = meta_json(result.meta);
  // Texts are valid UTF-8 by construction; a name or message from an engine might not be.
  std::string document = json.dump(indent, ' ', false, Json::error_handler_t::replace);
  if (!result.rich.empty()) put_text(document, R"("rich":)", list_of(result.rich));
  if (result.value) put_text(document, R"("value":)", *result.value);
  return document;
}

}  // namespace lazaret

namespace lazaret::core {
namespace {

constexpr std::size_t kSummaryBytes = 1UL << 10;

std::string shortened(const std::string& text) {
  Collector kept(kSummaryBytes);
  (void)kept.take(bytes_of(text));
  return std::move(kept).text();
}

void put_short(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = shortened(text);
}

Json short_error(const ResultError& error) {
  Json kept = {{"type", name_of(error.type)}, {"message", shortened(error.message)}};
  put(kept, "line", error.line);
  if (error.hint) kept["hint"] = shortened(*error.hint);
  return kept;
}

}  // namespace

std::string summary_of(const ExecutionResult& result) {
  Json kept = {{"role", "tool"},
               {"name", "lazaret"},
               {"run_id", result.meta.run_id},
               {"language", result.meta.language},
               {"backend", result.meta.backend},
               {"isolation", name_of(result.meta.isolation)},
               {"cause", name_of(result.meta.cause)},
               {"exit_code", result.exit_code},
               {"duration", result.duration.count()}};
  put_short(kept, "value", result.value.value_or(""));
  put_short(kept, "stdout", result.stdout_text);
  put_short(kept, "stderr", result.stderr_text);
  if (result.error) kept["error"] = short_error(*result.error);
  if (!result.artifacts.empty()) kept["artifacts"] = result.artifacts.size();
  return kept.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lazaret::core
