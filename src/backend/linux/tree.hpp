#pragma once

#include <deque>
#include <string>
#include <vector>

#include "backend/linux/child.hpp"

namespace lazaret::backend::native {

/// The read-only root of a native box: the host's programs and libraries, a handful of files of
/// /etc, devices that hold nothing, and nothing else of the host.
class RootTree {
 public:
  /// Looks at the host once; what does not exist is left out.
  [[nodiscard]] static RootTree of_host();

  [[nodiscard]] View<TreeEntry> entries() const noexcept {
    return {entries_.data(), entries_.size()};
  }

 private:
  void add(TreeEntry::Kind kind, std::string target, std::string source);
  void add_system_directory(const std::string& name);
  const char* kept(std::string text);

  std::deque<std::string> texts_;  // what the entries point into; never moved
  std::vector<TreeEntry> entries_;
};

/// Paths below /proc that tell about the host or could change it (relative to the root).
[[nodiscard]] const std::vector<const char*>& masked_proc_paths();

}  // namespace lazaret::backend::native
