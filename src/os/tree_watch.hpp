#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lazaret/result.hpp"
#include "os/handle.hpp"

namespace lazaret::os {

/// A directory and those below it, watched for changes (inotify(7)). No link is followed; of what
/// lies in a directory that has just come it is told as well, some of it perhaps twice.
class TreeWatch {
 public:
  struct Event {
    enum class Kind {
      created,
      written,  ///< who had it open to write to it has closed it
      removed,
      moved,
      missed,  ///< something, or all of a directory: there was more than can be watched
    };
    Kind kind = Kind::missed;
    bool is_directory = false;
    std::string path;    ///< relative to the root; empty where nobody knows
    std::string target;  ///< of a move
  };

  [[nodiscard]] static Result<TreeWatch> begin(const std::string& root);

  /// Readable when something has happened.
  [[nodiscard]] RawHandle handle() const noexcept { return inotify_.get(); }
  /// What has happened, as far as it can be read at once; nothing when nothing has. Waits a moment
  /// for where a name has gone.
  [[nodiscard]] std::vector<Event> take();
  /// Whether there are, or were, directories that could not be watched.
  [[nodiscard]] bool is_blind() const noexcept { return is_blind_; }

 private:
  struct Raw;
  // A name that has gone; where it has gone to may be said next.
  struct Departure {
    std::uint32_t cookie = 0;
    std::string path;
    bool is_directory = false;
  };
  TreeWatch(Handle inotify, std::string root)
      : inotify_(std::move(inotify)), root_(std::move(root)) {}

  enum class Added { anew, again, gone, refused };
  void read(std::vector<Event>& seen);
  [[nodiscard]] Added add(const std::string& path);
  void take_in(const std::string& path, std::vector<Event>* found);
  void begin_anew();
  void add_below(const std::string& path, std::vector<Event>* found);
  void look_into(const std::string& path, std::vector<std::string>& open,
                 std::vector<Event>* found);
  void see(const Raw& raw, std::string_view name, std::vector<Event>& seen);
  void see_arrival(const Raw& raw, const std::string& path, std::vector<Event>& seen);
  void rename_below(const std::string& from, const std::string& to);
  void forget_below(const std::string& path);
  void settle(std::vector<Event>& seen);
  [[nodiscard]] const std::string* directory_of(int watch) const;

  Handle inotify_;
  std::string root_;
  std::vector<std::pair<int, std::string>> directories_;  // by their watches
  Departure departure_;
  bool is_blind_ = false;
  bool has_lost_ = false;  // what the kernel had no room for
};

}  // namespace lazaret::os
