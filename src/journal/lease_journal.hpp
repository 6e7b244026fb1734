#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "journal/database.hpp"
#include "journal/owner.hpp"
#include "lazaret/result.hpp"

namespace lazaret::journal {

enum class Kind {
  container,
  volume,
  directory,  ///< for an engine to read
  staging,    ///< a directory in which packages are made
  cgroup,     ///< all that have this name but for the number where it has a star
  unknown,    ///< of a Lazaret that is newer than this one
};
[[nodiscard]] std::string_view name_of(Kind kind) noexcept;

/// Something that does not end with the process that made it.
struct Thing {
  Kind kind = Kind::container;
  std::string place;  ///< the engine's endpoint; empty for this machine
  std::string name;   ///< of a directory its path
  auto operator<=>(const Thing&) const = default;
};

/// A thing that may exist, and who wanted it.
struct Lease {
  Thing thing;
  Owner owner;
  std::int64_t age_s = 0;  ///< negative where the clock was set back since
};

/// What exists outside of Lazaret's processes and must be gone one day: a row is written before the
/// thing is made, and removed after it is gone. One file for all processes of a user; thread-safe,
/// but of no use to a fork. Errors are those of Database: what is made goes on without a journal,
/// found again by its labels.
class LeaseJournal {
 public:
  static constexpr const char* kFile = "leases.db";

  /// In a folder that is made when it is not there; both are this user's alone.
  [[nodiscard]] static Result<std::unique_ptr<LeaseJournal>> open(
      const std::filesystem::path& folder);
  LeaseJournal(const LeaseJournal&) = delete;
  LeaseJournal& operator=(const LeaseJournal&) = delete;
  ~LeaseJournal();

  /// Before the thing is made.
  [[nodiscard]] Status intend(const Thing& thing, const Owner& owner);
  /// After it is gone; one that does not stand here is a success, of several one is taken.
  [[nodiscard]] Status settle(const Thing& thing, const std::string& owner_id);
  [[nodiscard]] Result<std::vector<Lease>> leases();

  /// Takes a damaged journal out of the way, so that the next one to open it begins anew. Errors:
  /// those of the system.
  [[nodiscard]] static Status discard(const std::filesystem::path& folder);

 private:
  explicit LeaseJournal(Database database);

  std::uint32_t process_;  // a fork has a copy of us, but no say
  std::mutex using_;
  std::unique_ptr<Database> database_;
};

}  // namespace lazaret::journal
