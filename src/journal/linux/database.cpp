#include "journal/database.hpp"

#include <sqlite3.h>

#include "base/try.hpp"
#include "os/linux/library.hpp"

namespace lazaret::journal {
namespace {

constexpr int kBusyMillis = 500;

// The calls of sqlite3.h that are used, with its own types.
struct Library {
  decltype(&::sqlite3_open_v2) open = nullptr;
  decltype(&::sqlite3_close_v2) close = nullptr;
  decltype(&::sqlite3_db_config) configure = nullptr;
  decltype(&::sqlite3_busy_timeout) wait_at_most = nullptr;
  decltype(&::sqlite3_errmsg) message = nullptr;
  decltype(&::sqlite3_prepare_v2) prepare = nullptr;
  decltype(&::sqlite3_bind_text) bind = nullptr;
  decltype(&::sqlite3_step) step = nullptr;
  decltype(&::sqlite3_column_count) columns = nullptr;
  decltype(&::sqlite3_column_text) text = nullptr;
  decltype(&::sqlite3_finalize) finalize = nullptr;
};

Result<Library> load() {
  void* const handle = os::open_library("libsqlite3.so.0");
  Library library;
  const bool whole = handle != nullptr &&
                     os::find_function(handle, "sqlite3_open_v2", library.open) &&
                     os::find_function(handle, "sqlite3_close_v2", library.close) &&
                     os::find_function(handle, "sqlite3_db_config", library.configure) &&
                     os::find_function(handle, "sqlite3_busy_timeout", library.wait_at_most) &&
                     os::find_function(handle, "sqlite3_errmsg", library.message) &&
                     os::find_function(handle, "sqlite3_prepare_v2", library.prepare) &&
                     os::find_function(handle, "sqlite3_bind_text", library.bind) &&
                     os::find_function(handle, "sqlite3_step", library.step) &&
                     os::find_function(handle, "sqlite3_column_count", library.columns) &&
                     os::find_function(handle, "sqlite3_column_text", library.text) &&
                     os::find_function(handle, "sqlite3_finalize", library.finalize);
  if (whole) return library;
  return Error(Errc::unsupported, "libsqlite3.so.0 is not installed")
      .with_hint("apt-get install libsqlite3-0");
}

Errc code_of(int answer) {
  switch (answer & 0xff) {  // the rest of it tells more of the same
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return Errc::timed_out;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return Errc::protocol;
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH: return Errc::permission_denied;
    default: return Errc::system;
  }
}

}  // namespace

struct Database::Body {
  Library library;
  sqlite3* connection = nullptr;

  ~Body() { (void)library.close(connection); }
  [[nodiscard]] Error error(int answer) const {
    return {code_of(answer), std::string("SQLite: ") + library.message(connection)};
  }
};

Database::Database(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Database::Database(Database&& other) noexcept = default;
Database::~Database() = default;

Result<Database> Database::open(const std::filesystem::path& file) {
  LAZARET_TRY(const Library library, load());
  auto body = std::make_unique<Body>();
  body->library = library;
  const int answer =
      body->library.open(file.c_str(), &body->connection, SQLITE_OPEN_READWRITE, nullptr);
  if (answer != SQLITE_OK) return body->error(answer).within("opening " + file.string());
  (void)body->library.wait_at_most(body->connection, kBusyMillis);
  // WHY: a checkpoint at each close would wait for the disk; one in a while is enough.
  (void)body->library.configure(body->connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  return Database(std::move(body));
}

Result<std::vector<Database::Row>> Database::run(const char* sql,
                                                 std::initializer_list<std::string> values) {
  const Library& library = body_->library;
  sqlite3_stmt* raw = nullptr;
  const int prepared = library.prepare(body_->connection, sql, -1, &raw, nullptr);
  if (prepared != SQLITE_OK) return body_->error(prepared);
  const std::unique_ptr<sqlite3_stmt, decltype(library.finalize)> statement(raw, library.finalize);
  int index = 0;
  for (const std::string& value : values) {
    const int bound =
        library.bind(raw, ++index, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
    if (bound != SQLITE_OK) return body_->error(bound);
  }
  std::vector<Row> rows;
  int answer = library.step(raw);
  for (; answer == SQLITE_ROW; answer = library.step(raw)) {
    Row& row = rows.emplace_back();
    for (int column = 0; column < library.columns(raw); ++column) {
      const auto* const text = reinterpret_cast<const char*>(library.text(raw, column));
      row.emplace_back(text == nullptr ? "" : text);
    }
  }
  if (answer != SQLITE_DONE) return body_->error(answer);
  return rows;
}

}  // namespace lazaret::journal
