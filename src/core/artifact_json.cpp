#include "core/artifact_json.hpp"

#include <nlohmann/json.hpp>

#include "base/base64.hpp"
#include "base/utf8.hpp"

namespace lazaret::core {
namespace {

using nlohmann::ordered_json;

Error no_head() { return {Errc::protocol, "this is no head of an artifact"}; }

std::optional<std::string> text_at(const ordered_json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::optional<Artifact::Kind> kind_named(std::string_view name) {
  using Kind = Artifact::Kind;
  for (const Kind kind : {Kind::file, Kind::directory, Kind::link, Kind::other})
    if (name_of(kind) == name) return kind;
  return std::nullopt;
}

}  // namespace

ordered_json head_json(const Artifact& artifact) {
  ordered_json head = {{"type", name_of(artifact.kind)}};
  if (is_utf8(artifact.path))
    head["path"] = artifact.path;
  else
    head["path_base64"] = to_base64(artifact.path);
  if (artifact.executable) head["executable"] = true;
  return head;
}

Result<Artifact> head_of(std::string_view document) {
  const auto object = ordered_json::parse(document, nullptr, false);
  if (!object.is_object()) return no_head();
  const auto kind = kind_named(text_at(object, "type").value_or(""));
  auto path = text_at(object, "path");
  if (const auto bytes = text_at(object, "path_base64")) path = from_base64(*bytes);
  if (!kind || !path) return no_head();
  Artifact artifact;
  artifact.path = std::move(*path);
  artifact.kind = *kind;
  artifact.executable = object.contains("executable") && object["executable"] == true;
  return artifact;
}

}  // namespace lazaret::core
