#include "policy/limit_table.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <type_traits>

#include "policy/config.hpp"

namespace lazaret::policy {
namespace {

constexpr double kMiB = 1 << 20;
constexpr double kTiB = 1024.0 * 1024 * kMiB;
constexpr double kDay = 24.0 * 3600;

template <typename T>
struct Amount {
  static double from(const T& value) { return static_cast<double>(value); }
  static T to(double amount) { return static_cast<T>(amount); }
};
template <typename Period>
struct Amount<std::chrono::duration<std::int64_t, Period>> {
  using T = std::chrono::duration<std::int64_t, Period>;
  static double from(const T& value) { return static_cast<double>(value.count()); }
  static T to(double amount) { return T{static_cast<std::int64_t>(amount)}; }
};
template <typename T>
struct Amount<std::optional<T>> {
  static std::optional<double> from(const std::optional<T>& value) {
    return value ? std::optional(Amount<T>::from(*value)) : std::nullopt;
  }
  static std::optional<T> to(double amount) { return Amount<T>::to(amount); }
};

template <auto Member, typename Bounds>
std::optional<double> get(const Bounds& limits) {
  return Amount<std::decay_t<decltype(limits.*Member)>>::from(limits.*Member);
}
template <auto Member, typename Bounds>
void set(Bounds& limits, double amount) {
  limits.*Member = Amount<std::decay_t<decltype(limits.*Member)>>::to(amount);
}

struct Range {
  double least;
  double ceiling;
};

template <auto Member, auto Override>
LimitRow row(std::string_view key, std::string_view member, Unit unit, Range range) {
  return {key,         member,      unit,          range.least,  range.ceiling,
          get<Member>, set<Member>, get<Override>, set<Override>};
}

}  // namespace

const std::vector<LimitRow>& limit_rows() {
  using L = Limits;
  using O = LimitOverrides;
  // memory: engines refuse less than 6 MiB (P-38). disk, disk_files: tmpfs takes 0 as unlimited.
  static const std::vector<LimitRow> rows = {
      row<&L::timeout, &O::timeout>("timeout", "timeout_ms", Unit::milliseconds,
                                    {1, 7 * kDay * 1000}),
      row<&L::grace, &O::grace>("grace", "grace_ms", Unit::milliseconds, {0, 3600 * 1000}),
      row<&L::compile_timeout, &O::compile_timeout>("compile_timeout", "compile_timeout_ms",
                                                    Unit::milliseconds, {1, kDay * 1000}),
      row<&L::cpu_time, &O::cpu_time>("cpu_time", "cpu_time_s", Unit::seconds, {1, 7 * kDay}),
      row<&L::memory_bytes, &O::memory_bytes>("memory", "memory_bytes", Unit::bytes,
                                              {6 * kMiB, 16 * kTiB}),
      row<&L::cpus, &O::cpus>("cpus", "cpus", Unit::processors, {0.01, 4096}),
      row<&L::pids, &O::pids>("pids", "pids", Unit::count, {1, 4'194'304}),
      row<&L::open_files, &O::open_files>("open_files", "open_files", Unit::count, {16, 1'048'576}),
      row<&L::file_bytes, &O::file_bytes>("file_size", "file_bytes", Unit::bytes, {1, 16 * kTiB}),
      row<&L::disk_bytes, &O::disk_bytes>("disk", "disk_bytes", Unit::bytes,
                                          {64 * 1024, 16 * kTiB}),
      row<&L::disk_files, &O::disk_files>("disk_files", "disk_files", Unit::count, {16, 1e9}),
      row<&L::disk_rate_bytes, &O::disk_rate_bytes>("disk_rate", "disk_rate_bytes", Unit::bytes,
                                                    {64 * 1024, 16 * kTiB}),
      row<&L::stdout_bytes, &O::stdout_bytes>("stdout", "stdout_bytes", Unit::bytes,
                                              {1, 1024 * kMiB}),
      row<&L::stderr_bytes, &O::stderr_bytes>("stderr", "stderr_bytes", Unit::bytes,
                                              {1, 1024 * kMiB}),
      row<&L::output_bytes, &O::output_bytes>("output", "output_bytes", Unit::bytes,
                                              {1, 16 * kTiB}),
      row<&L::value_bytes, &O::value_bytes>("value", "value_bytes", Unit::bytes, {1, 64 * kMiB}),
  };
  return rows;
}

const LimitRow& limit_at(std::string_view key) {
  return *std::ranges::find(limit_rows(), key, &LimitRow::key);
}

Status check_range(const LimitRow& row, double amount) {
  if (amount >= row.least && amount <= row.ceiling) return {};  // false for NaN too
  return Error(Errc::invalid_argument, std::string(row.key) + " must be between " +
                                           show_quantity(row.least, row.unit) + " and " +
                                           show_quantity(row.ceiling, row.unit));
}

Limits built_in_maxima() {
  using namespace std::chrono_literals;
  Limits maxima;
  maxima.timeout = 300s;
  maxima.grace = 60s;
  maxima.compile_timeout = 300s;
  maxima.cpu_time = 300s;
  maxima.memory_bytes = 4ULL << 30;
  maxima.cpus = 8;
  maxima.pids = 1024;
  maxima.open_files = 65'536;
  maxima.file_bytes = 1ULL << 30;
  maxima.disk_bytes = 1ULL << 30;
  maxima.disk_files = 262'144;
  maxima.disk_rate_bytes = 4ULL << 30;
  maxima.stdout_bytes = 64ULL << 20;
  maxima.stderr_bytes = 64ULL << 20;
  maxima.value_bytes = 16ULL << 20;
  return maxima;
}

}  // namespace lazaret::policy
