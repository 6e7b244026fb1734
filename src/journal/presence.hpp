#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "journal/owner.hpp"
#include "lazaret/result.hpp"
#include "os/handle.hpp"

namespace lazaret::journal {

/// Shows to processes of other pid namespaces, to which our number says nothing, that this one is
/// there: a file named by its owner's id, locked for as long as the process lives (flock(2)), which
/// whoever has the journal's folder sees too. A daemon in a container that was killed and started
/// again is in another namespace each time.
class Presence {
 public:
  /// In the journal's folder. Errors: those of make_private_file and of the system; on Windows it
  /// holds nothing.
  [[nodiscard]] static Result<Presence> hold(const std::filesystem::path& folder,
                                             const std::string& id);
  /// Has nothing left outside: removes the file.
  void leave() const;

 private:
  Presence(os::Handle lock, std::filesystem::path file)
      : lock_(std::move(lock)), file_(std::move(file)) {}

  os::Handle lock_;
  std::filesystem::path file_;
};

/// What the file of an owner in another namespace says: dead where nobody holds it, alive where
/// somebody does; other_namespace without one.
[[nodiscard]] Standing presence_of(const std::filesystem::path& folder, const std::string& id);
/// Removes the files that nobody holds, but of those who are still owed for.
void forget_gone(const std::filesystem::path& folder, const std::set<std::string>& owing);

}  // namespace lazaret::journal
