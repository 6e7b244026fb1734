#include "journal/lease_journal.hpp"

#include <charconv>
#include <chrono>
#include <utility>

#include "base/try.hpp"
#include "os/init.hpp"
#include "os/pipe.hpp"
#include "os/private_file.hpp"

namespace lazaret::journal {
namespace {

constexpr const char* kSchema = "1";
constexpr std::chrono::milliseconds kOpenBound{500};
constexpr std::chrono::milliseconds kOpenRetry{5};

template <typename Number>
Number number_in(const std::string& text) {
  Number number = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Kind kind_named(const std::string& name) {
  for (const Kind kind :
       {Kind::container, Kind::volume, Kind::directory, Kind::staging, Kind::cgroup}) {
    if (name == name_of(kind)) return kind;
  }
  return Kind::unknown;
}

Lease lease_of(const Database::Row& row) {
  return {{kind_named(row[0]), row[1], row[2]},
          {row[3], number_in<std::uint32_t>(row[4]), row[5], row[6], row[7], row[8],
           number_in<std::uint64_t>(row[9])},
          number_in<std::int64_t>(row[10])};
}

// In one transaction, so that of two processes that come first one makes it.
Status make_tables(Database& database) {
  LAZARET_CHECK(database.run("BEGIN IMMEDIATE"));
  LAZARET_TRY(const auto version, database.run("PRAGMA user_version"));
  if (version.at(0).at(0) == "0") {
    LAZARET_CHECK(database.run(
        "CREATE TABLE lease (kind TEXT NOT NULL, place TEXT NOT NULL, name TEXT NOT NULL,"
        " id TEXT NOT NULL, pid INTEGER NOT NULL, started TEXT NOT NULL, boot TEXT NOT NULL,"
        " namespaces TEXT NOT NULL, machine TEXT NOT NULL, user INTEGER NOT NULL,"
        " created INTEGER NOT NULL DEFAULT (strftime('%s', 'now')))"));
    LAZARET_CHECK(database.run("PRAGMA user_version = 1"));
  }
  LAZARET_CHECK(database.run("COMMIT"));
  return {};
}

// WHY not synchronous=FULL: a journal that has lost its last rows with the machine's power is
// whole, and what they spoke of carries labels. Small, because it is read again at each start.
Status prepare(Database& database) {
  LAZARET_TRY(const auto mode, database.run("PRAGMA journal_mode = WAL"));
  if (mode.at(0).at(0) != "wal")
    return Error(Errc::unsupported, "its file system has no shared memory");
  LAZARET_CHECK(database.run("PRAGMA synchronous = NORMAL"));
  LAZARET_CHECK(database.run("PRAGMA wal_autocheckpoint = 100"));
  LAZARET_TRY(const auto version, database.run("PRAGMA user_version"));
  if (version.at(0).at(0) == kSchema) return {};
  if (version.at(0).at(0) == "0") return make_tables(database);
  return Error(Errc::unsupported, "it was written by a newer Lazaret")
      .with_hint("use that one's lazaret gc, or remove the file");
}

Result<Database> open_prepared(const std::filesystem::path& file) {
  LAZARET_TRY(Database database, Database::open(file));
  LAZARET_CHECK(prepare(database));
  return database;
}

}  // namespace

std::string_view name_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::container: return "container";
    case Kind::volume: return "volume";
    case Kind::directory: return "directory";
    case Kind::staging: return "staging";
    case Kind::cgroup: return "cgroup";
    case Kind::unknown: return "unknown";
  }
  return "";
}

LeaseJournal::LeaseJournal(Database database)
    : process_(os::process_id()), database_(std::make_unique<Database>(std::move(database))) {}

// SQLite forbids to carry a connection across a fork, even to close it there.
LeaseJournal::~LeaseJournal() {
  if (process_ != os::process_id()) (void)database_.release();
}

// SQLite does not wait for others while it changes to its write-ahead log.
Result<std::unique_ptr<LeaseJournal>> LeaseJournal::open(const std::filesystem::path& folder) {
  if (folder.empty())
    return Error(Errc::not_found, "lease journal: there is no place for it")
        .with_hint("set HOME or XDG_STATE_HOME");
  const std::filesystem::path file = folder / kFile;
  LAZARET_CHECK(os::make_private_file(file).within("lease journal"));
  for (const Call call = Call{}.within(kOpenBound);;) {
    auto database = open_prepared(file);
    if (database.ok())
      return std::unique_ptr<LeaseJournal>(new LeaseJournal(std::move(database).value()));
    if (database.error().code() != Errc::timed_out || !call.check().ok())
      return std::move(database).error().within("lease journal " + file.string());
    (void)os::wait_ready({}, Call{}.within(kOpenRetry)).ok();
  }
}

Status LeaseJournal::intend(const Thing& thing, const Owner& owner) {
  const std::scoped_lock lock(using_);
  const auto done = database_->run(
      "INSERT INTO lease (kind, place, name, id, pid, started, boot, namespaces, machine, user)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
      {std::string(name_of(thing.kind)), thing.place, thing.name, owner.id,
       std::to_string(owner.pid), owner.started, owner.boot, owner.namespaces, owner.machine,
       std::to_string(owner.user)});
  return done.ok() ? Status() : Status(Error(done.error()).within("lease journal"));
}

Status LeaseJournal::settle(const Thing& thing, const std::string& owner_id) {
  const std::scoped_lock lock(using_);
  const auto done = database_->run(
      "DELETE FROM lease WHERE rowid = (SELECT rowid FROM lease"
      " WHERE kind = ?1 AND place = ?2 AND name = ?3 AND id = ?4 LIMIT 1)",
      {std::string(name_of(thing.kind)), thing.place, thing.name, owner_id});
  return done.ok() ? Status() : Status(Error(done.error()).within("lease journal"));
}

Result<std::vector<Lease>> LeaseJournal::leases() {
  const std::scoped_lock lock(using_);
  auto rows = database_->run(
      "SELECT kind, place, name, id, pid, started, boot, namespaces, machine, user,"
      " strftime('%s', 'now') - created FROM lease ORDER BY rowid");
  if (!rows.ok()) return std::move(rows).error().within("lease journal");
  std::vector<Lease> leases;
  for (const Database::Row& row : *rows) leases.push_back(lease_of(row));
  return leases;
}

Status LeaseJournal::discard(const std::filesystem::path& folder) {
  for (const char* const suffix : {"", "-wal", "-shm"}) {
    std::error_code error;
    std::filesystem::remove(folder / (std::string(kFile) + suffix), error);
    if (error)
      return Error(Errc::system,
                   "removing the lease journal in " + folder.string() + ": " + error.message());
  }
  return {};
}

}  // namespace lazaret::journal
