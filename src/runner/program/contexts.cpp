#include "runner/program/contexts.hpp"

#include <utility>

namespace lazaret::runner {

void Context::tell(const std::string& job_word, const std::string& job_farewell) {
  for (const unsigned shift : {0U, 8U, 16U, 24U})
    word += static_cast<char>(job_word.size() >> shift);
  word += job_word;
  farewell = job_farewell;
  heard.clear();
  told += 1;
}

// One that does not read any more is heard of by its end, or by its silence.
void Context::feed() {
  const auto written = os::write_now(words.get(), bytes_of(word));
  word.erase(0, written.ok() ? *written : word.size());
}

// One that has all the others still before it needs no more.
void Context::alarm() const {
  const std::byte number{told};
  (void)os::write_now(alarms.get(), Bytes(&number, 1)).ok();
}

// It is written at once, and is the last that a job says.
std::optional<std::uint8_t> Context::hear() {
  std::byte part[512];
  const auto count = os::read_now(farewells.get(), part);
  if (!count.ok() || (*count && **count == 0)) farewells.reset();
  if (!count.ok() || !*count) return std::nullopt;
  heard += text_of(Bytes(part).first(**count));
  const std::size_t size = farewell.size() + 1;
  if (heard.size() > size) heard.erase(0, heard.size() - size);
  if (heard.size() < size || !heard.starts_with(farewell)) return std::nullopt;
  return static_cast<std::uint8_t>(heard.back());
}

std::unique_ptr<Context> Contexts::take(std::string_view name) {
  for (std::unique_ptr<Context>& each : all_) {
    if (each->name != name) continue;
    std::swap(each, all_.back());
    auto found = std::move(all_.back());
    all_.pop_back();
    return found;
  }
  return nullptr;
}

bool Contexts::has(std::int64_t process) const noexcept {
  for (const auto& each : all_) {
    if (each->process == process) return true;
  }
  return false;
}

bool Contexts::forget(std::int64_t process) {
  for (const auto& each : all_) {
    if (each->process == process) return take(each->name) != nullptr;
  }
  return false;
}

}  // namespace lazaret::runner
