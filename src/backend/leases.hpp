#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/guarded.hpp"
#include "journal/lease_journal.hpp"
#include "journal/presence.hpp"
#include "lazaret/result.hpp"

namespace lazaret::backend {

/// Seconds: a row of what is not seen from here is kept as long for who may see it.
inline constexpr std::int64_t kMayBeSeen = 300;
/// Where the clock was set back, a row is old.
[[nodiscard]] inline bool is_younger(const journal::Lease& lease, std::int64_t age_s) noexcept {
  return lease.age_s >= 0 && lease.age_s < age_s;
}

/// What one backend, or who makes packages, wants outside of the process, as it stands in the
/// journal. Thread-safe.
class Leases {
 public:
  /// A journal that cannot be opened does not keep anybody from making things, whose labels say
  /// whose they are; each intend() gives its error then. An empty folder is one that cannot be
  /// told; without any no journal is wanted.
  Leases(const std::optional<std::filesystem::path>& folder, std::string place,
         journal::Owner owner);
  Leases(const Leases&) = delete;
  Leases& operator=(const Leases&) = delete;
  /// Whoever owes nothing is forgotten.
  ~Leases();

  [[nodiscard]] Status intend(journal::Kind kind, const std::string& name) const;
  /// What cannot be written is found out by the next one who sweeps.
  void settle(journal::Kind kind, const std::string& name) const;
  /// Why there is no journal where one was wanted.
  [[nodiscard]] const std::optional<Error>& trouble() const noexcept { return trouble_; }
  [[nodiscard]] const std::string& place() const noexcept { return place_; }
  /// Null where there is none.
  [[nodiscard]] journal::LeaseJournal* journal() const noexcept { return journal_.get(); }
  [[nodiscard]] const journal::Owner& owner() const noexcept { return owner_; }
  /// All rows of all owners; none where they cannot be read.
  [[nodiscard]] std::vector<journal::Lease> all() const;
  /// Of owners that are dead; without those whose kind is unknown.
  [[nodiscard]] std::vector<journal::Lease> left() const;
  /// What can be said for certain from here, of those in other pid namespaces too whose journal is
  /// this one.
  [[nodiscard]] journal::Standing standing_of(const journal::Owner& owner) const;
  /// Removes what shows owners that are gone and owe nothing any more.
  void forget_gone() const;

 private:
  // What shows that we are there, from the first lease on.
  struct Debt {
    std::optional<journal::Presence> presence;
    std::size_t leases = 0;
  };
  [[nodiscard]] Status show_presence() const;
  void owe_less() const;
  [[nodiscard]] journal::Thing thing(journal::Kind kind, const std::string& name) const;

  std::unique_ptr<journal::LeaseJournal> journal_;
  std::optional<Error> trouble_;
  std::optional<std::filesystem::path> folder_;
  std::string place_;
  journal::Owner owner_;
  mutable Guarded<Debt> debt_;
};

/// What a run is told whose things stand in no row: they say themselves whose they are.
[[nodiscard]] std::string warning_of_no_row(const Error& error);

}  // namespace lazaret::backend
