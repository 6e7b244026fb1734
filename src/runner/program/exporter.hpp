#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lazaret/result.hpp"
#include "os/folder.hpp"
#include "runner/message.hpp"
#include "runner/program/outbox.hpp"

namespace lazaret::runner {

/// Says what lies below a directory of the box, a directory before what is in it, or of one file or
/// link itself, as fast as the host takes it.
class Exporter {
 public:
  explicit Exporter(Get get);

  /// Puts the next piece; false once `got` was put.
  [[nodiscard]] bool step(Outbox& outbox);

 private:
  struct Level {
    os::Folder folder;
    std::string path;  // ends with '/' unless it is empty
  };
  [[nodiscard]] Status begin();
  void put(const os::Folder::Item& item, Outbox& outbox);
  void descend(const Level& level, const std::string& name);
  void carry_file(Outbox& outbox);

  Get get_;
  Got got_;
  std::vector<Level> levels_;
  std::optional<os::Folder::Item> lone_;  // no directory: nothing else is said
  os::Handle file_;                       // whose content is on its way
  std::uint64_t file_left_ = UINT64_MAX;  // of what is wanted of it
};

/// Whether the directory below /work is there and has something in it.
[[nodiscard]] bool has_something_in(const std::string& path);

}  // namespace lazaret::runner
