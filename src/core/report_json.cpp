#include "core/report_json.hpp"

#include <nlohmann/json.hpp>

#include "base/base64.hpp"

namespace lazaret::core {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::vector<RuntimeFact>& facts) {
  Json list = Json::array();
  for (const RuntimeFact& fact : facts) {
    list.push_back({{"language", fact.language}, {"present", fact.present}, {"note", fact.note}});
    if (!fact.evidence.empty()) list.back()["evidence"] = core::json_of(fact.evidence);
  }
  return list;
}

Json json_of(const BackendReport& report) {
  Json object = {{"name", report.name},         {"usable", report.usable},
                 {"runtime", report.runtime},   {"endpoint", report.endpoint},
                 {"attempts", report.attempts}, {"problem", report.problem},
                 {"hint", report.hint}};
  object["host"] = Json::array();
  for (const backend::HostFact& fact : report.host) {
    object["host"].push_back({{"name", fact.name},
                              {"present", fact.presence == backend::Presence::there},
                              {"note", fact.note},
                              {"fix", fact.fix}});
  }
  object["evidence"] = core::json_of(report.evidence);
  object["languages"] = json_of(report.languages);
  object["packages"] = json_of(report.packages);
  return object;
}

Json json_of(const backend::images::Listed& image) {
  Json object = {{"name", image.name},
                 {"reference", image.reference},
                 {"state", name_of(image.state)},
                 {"id", image.id},
                 {"digest", image.digest},
                 {"version", image.version},
                 {"size_bytes", image.size_bytes}};
  if (image.created) object["created_unix_s"] = image.created->time_since_epoch().count();
  return object;
}

// WHY no braces: they make three things of each member and throw two away, and every result has a
// score of these.
Json row_of(const Evidence& piece) {
  Json::object_t row;
  row.reserve(5);
  row.emplace("control", name_of(piece.control));
  row.emplace("status", name_of(piece.status));
  row.emplace("requested", piece.requested);
  row.emplace("applied", piece.applied);
  row.emplace("verified_by", piece.verified_by);
  return row;
}

// What comes from an engine or a program need not be UTF-8.
std::string json_text(const Json& object, int indent) {
  return object.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string to_json(const Diagnosis& diagnosis, int indent) {
  Json object = {
      {"chosen", diagnosis.chosen}, {"ready", diagnosis.ready}, {"backends", Json::array()}};
  for (const BackendReport& report : diagnosis.backends)
    object["backends"].push_back(json_of(report));
  return json_text(object, indent);
}

std::string to_json(const std::vector<backend::images::Listed>& images, int indent) {
  Json object = Json::array();
  for (const backend::images::Listed& image : images) object.push_back(json_of(image));
  return json_text(object, indent);
}

nlohmann::ordered_json json_of(const std::vector<Evidence>& evidence) {
  Json::array_t list;
  list.reserve(evidence.size());
  for (const Evidence& piece : evidence) {
    list.push_back(row_of(piece));
  }
  return list;
}

nlohmann::ordered_json json_of(const std::vector<Artifact>& artifacts) {
  Json list = Json::array();
  for (const Artifact& artifact : artifacts) {
    Json json = {{"path", artifact.path}, {"type", name_of(artifact.kind)}};
    if (artifact.kind == Artifact::Kind::file) {
      json["size"] = artifact.size;
      json["media_type"] = artifact.media_type;
    }
    if (artifact.executable) json["executable"] = true;
    if (artifact.content) json["content"] = to_base64(*artifact.content);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace lazaret::core
