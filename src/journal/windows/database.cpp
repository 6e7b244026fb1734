#include "journal/database.hpp"

namespace lazaret::journal {

struct Database::Body {};

Database::Database(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Database::Database(Database&& other) noexcept = default;
Database::~Database() = default;

Result<Database> Database::open(const std::filesystem::path&) {
  return Error(Errc::unsupported, "there is no lease journal on Windows in this version");
}

Result<std::vector<Database::Row>> Database::run(const char*, std::initializer_list<std::string>) {
  return Error(Errc::unsupported, "there is no lease journal on Windows in this version");
}

}  // namespace lazaret::journal
