#include "core/session_json.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/try.hpp"
#include "core/request_json.hpp"

namespace lazaret::core {
namespace {

using nlohmann::json;

constexpr std::int64_t kMostSeconds = 1'000'000'000;
constexpr std::array<std::string_view, 10> kOfTheBox = {
    "language",   "limits",   "image", "required_controls", "profile",
    "subprocess", "loopback", "hosts", "mounts",            "packages"};

struct Time {
  const char* name;
  std::chrono::seconds SessionRequest::*target;
};
constexpr std::array kTimes = {Time{"lifetime_s", &SessionRequest::lifetime},
                               Time{"idle_s", &SessionRequest::idle}};

// Takes a member out of the object; what is left is as in a run's request.
Status take_seconds(std::chrono::seconds& target, json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return {};
  if (!found->is_number_integer() || *found < 0 || *found > kMostSeconds)
    return Error(Errc::invalid_argument, std::string(name) + " must be a whole number from 0 on");
  target = std::chrono::seconds(found->get<std::int64_t>());
  object.erase(found);
  return {};
}

}  // namespace

std::vector<std::string_view> session_members() {
  std::vector<std::string_view> names(kOfTheBox.begin(), kOfTheBox.end());
  for (const Time& time : kTimes) names.emplace_back(time.name);
  return names;
}

Result<SessionRequest> session_request_of(json object) {
  if (!object.is_object()) return Error(Errc::invalid_argument, "a session is a JSON object");
  SessionRequest session;
  for (const auto& [name, target] : kTimes)
    LAZARET_CHECK(take_seconds(session.*target, object, name));
  for (const auto& [name, value] : object.items()) {
    if (std::ranges::find(kOfTheBox, name) == kOfTheBox.end())
      return Error(Errc::invalid_argument, name + " is nothing that a session decides");
  }
  LAZARET_TRY(ExecutionRequest run, request_of(object));
  session.language = std::move(run.language);
  session.limits = run.limits;
  session.subprocess = run.subprocess;
  session.profile = run.profile;
  session.loopback = run.loopback;
  session.hosts = std::move(run.hosts);
  session.mounts = std::move(run.mounts);
  session.packages = std::move(run.packages);
  session.image = std::move(run.image);
  session.required_controls = std::move(run.required_controls);
  return session;
}

}  // namespace lazaret::core
