#include "core/report_json.hpp"

#include <nlohmann/json.hpp>

namespace lazaret::core {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const BackendReport& report) {
  Json json = {{"name", report.name},         {"usable", report.usable},
               {"runtime", report.runtime},   {"endpoint", report.endpoint},
               {"attempts", report.attempts}, {"problem", report.problem},
               {"hint", report.hint}};
  json["host"] = Json::array();
  for (const backend::HostFact& fact : report.host) {
    json["host"].push_back({{"name", fact.name},
                            {"present", fact.presence == backend::Presence::there},
                            {"note", fact.note},
                            {"fix", fact.fix}});
  }
  json["evidence"] = Json::array();
  for (const Evidence& piece : report.evidence) {
    json["evidence"].push_back({{"control", name_of(piece.control)},
                                {"status", name_of(piece.status)},
                                {"requested", piece.requested},
                                {"applied", piece.applied},
                                {"verified_by", piece.verified_by}});
  }
  json["languages"] = Json::array();
  for (const RuntimeFact& fact : report.languages) {
    json["languages"].push_back(
        {{"language", fact.language}, {"present", fact.present}, {"note", fact.note}});
  }
  return json;
}

Json json_of(const backend::images::Listed& image) {
  Json json = {{"name", image.name},
               {"reference", image.reference},
               {"state", name_of(image.state)},
               {"id", image.id},
               {"digest", image.digest},
               {"version", image.version},
               {"size_bytes", image.size_bytes}};
  if (image.created) json["created_unix_s"] = image.created->time_since_epoch().count();
  return json;
}

// What comes from an engine or a program need not be UTF-8.
std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string to_json(const Diagnosis& diagnosis, int indent) {
  Json json = {
      {"chosen", diagnosis.chosen}, {"ready", diagnosis.ready}, {"backends", Json::array()}};
  for (const BackendReport& report : diagnosis.backends)
    json["backends"].push_back(json_of(report));
  return text_of(json, indent);
}

std::string to_json(const std::vector<backend::images::Listed>& images, int indent) {
  Json json = Json::array();
  for (const backend::images::Listed& image : images) json.push_back(json_of(image));
  return text_of(json, indent);
}

}  // namespace lazaret::core
