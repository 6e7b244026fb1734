#include "backend/docker/instance.hpp"

#include <limits>

#include "base/number.hpp"

namespace lazaret::backend::docker {

std::map<std::string, std::string> labels_of(const Instance& instance, const std::string& run) {
  return {{kOwnerLabel, kOwner},
          {kInstanceLabel, instance.id},
          {"dev.lazaret.run", run},
          {"dev.lazaret.pid", std::to_string(instance.pid)},
          {"dev.lazaret.started", instance.started},
          {"dev.lazaret.boot", instance.boot},
          {"dev.lazaret.namespaces", instance.namespaces},
          {"dev.lazaret.machine", instance.machine},
          {"dev.lazaret.user", std::to_string(instance.user)}};
}

Instance instance_in(const std::map<std::string, std::string>& labels) {
  const auto text = [&labels](const char* name) {
    const auto found = labels.find(std::string("dev.lazaret.") + name);
    return found == labels.end() ? std::string() : found->second;
  };
  const auto pid = parse_number(text("pid"));
  const auto user = parse_number(text("user"));
  const bool whole = pid && user && *pid <= std::numeric_limits<std::uint32_t>::max();
  if (!whole) return {text("instance")};
  return {text("instance"),
          static_cast<std::uint32_t>(*pid),
          text("started"),
          text("boot"),
          text("namespaces"),
          text("machine"),
          *user};
}

}  // namespace lazaret::backend::docker
