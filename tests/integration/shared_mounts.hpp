#pragma once

#include <map>
#include <string>

namespace lazaret::test {

/// The mounts of this process, whose namespace is a copy of its parent's, to see what becomes of
/// them.
class SharedMounts {
 public:
  SharedMounts();
  /// What is new since, and what is gone while its original is still there: a line each.
  [[nodiscard]] std::string changed() const;

 private:
  using Mounts = std::map<std::string, std::string>;  // points, by numbers that no other mount has
  [[nodiscard]] static Mounts of(const std::string& process);

  Mounts own_;
  Mounts original_;
};

}  // namespace lazaret::test
