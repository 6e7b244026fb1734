#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "base/call.hpp"
#include "lazaret/result.hpp"

namespace lazaret::journal {

/// An SQLite database. Its library is loaded by those alone who open one
/// (docs/decisions/0013-lease-journal.md). For one thread at a time, and not across a fork.
class Database {
 public:
  using Row = std::vector<std::string>;

  /// A file that exists, possibly empty. Errors: unsupported without libsqlite3.so.0 and on
  /// Windows; protocol for a file that is damaged or no database; timed_out while others write.
  [[nodiscard]] static Result<Database> open(const std::filesystem::path& file);
  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;
  ~Database();

  /// One statement; `values` are bound to its ?1, ?2, …  Errors as for open(), and system.
  [[nodiscard]] Result<std::vector<Row>> run(const char* sql,
                                             std::initializer_list<std::string> values = {});

 private:
  struct Body;
  explicit Database(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace lazaret::journal
