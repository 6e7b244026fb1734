#include "backend/images/list.hpp"

#include <cstdio>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/try.hpp"
#include "engine/image.hpp"
#include "engine/json.hpp"

namespace lazaret::backend::images {
namespace {

// RFC 3339 in UTC, as engines write it; fractions of a second are left out.
std::optional<std::chrono::sys_seconds> time_of(const std::string& text) {
  using namespace std::chrono;
  int year_number = 0;
  unsigned month_number = 0;
  unsigned day_number = 0;
  unsigned hour = 0;
  unsigned minute = 0;
  unsigned second = 0;
  const int read = std::sscanf(text.c_str(), "%4d-%2u-%2uT%2u:%2u:%2u", &year_number,
                               &month_number, &day_number, &hour, &minute, &second);
  const year_month_day date{year{year_number}, month{month_number}, day{day_number}};
  if (read != 6 || !date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  if (text.back() != 'Z') return std::nullopt;
  return sys_days{date} + hours{hour} + minutes{minute} + seconds{second};
}

std::string first_of(const std::vector<std::string>& texts) {
  return texts.empty() ? std::string() : texts.front();
}

// Labels decide, as the engine's word for the name alone says nothing about what is inside.
void judge(const Definition& definition, const std::map<std::string, std::string>& labels,
           Listed& row) {
  const auto label = [&labels](std::string_view name) {
    const auto found = labels.find(std::string(name));
    return found == labels.end() ? std::string() : found->second;
  };
  row.version = label(kVersionLabel);
  row.state = State::outdated;
  if (label(kImageLabel) != definition.name) return;
  for (const Contents contents : {Contents::plain, Contents::with_tests}) {
    if (label(kPackagesLabel) != packages_sha256(definition, contents)) continue;
    row.state = State::current;
    row.contents = contents;
    return;
  }
}

Listed row_of(const Definition& definition) {
  Listed row;
  row.name = definition.name;
  row.reference = reference_of(definition);
  return row;
}

}  // namespace

std::string_view name_of(State state) noexcept {
  switch (state) {
    case State::current: return "current";
    case State::outdated: return "outdated";
    case State::missing: return "missing";
  }
  return "missing";
}

Listed listed_from(const Definition& definition, const nlohmann::json& inspected) {
  Listed row = row_of(definition);
  row.id = engine::text_at(inspected, "Id");
  row.digest = first_of(engine::texts_at(inspected, "RepoDigests"));
  row.size_bytes = engine::number_at(inspected, "Size").value_or(0);
  row.created = time_of(engine::text_at(inspected, "Created"));
  judge(definition, engine::labels_at(engine::member(inspected, "Config"), "Labels"), row);
  return row;
}

Result<std::vector<Listed>> list(const engine::EngineClient& client, const Call& call) {
  std::vector<Listed> rows;
  for (const Definition& definition : definitions()) {
    const auto found =
        engine::image::inspect(client, repository_of(definition) + ":latest", call);
    if (!found.ok() && found.error().code() != Errc::image_missing) return found.error();
    rows.push_back(found.ok() ? listed_from(definition, *found) : row_of(definition));
  }
  return rows;
}

}  // namespace lazaret::backend::images
