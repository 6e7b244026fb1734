#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "backend/leases.hpp"
#include "lazaret/result.hpp"

namespace lazaret::backend::native {

/// The row of the lease journal that stands for all cgroups of this process: its name is what their
/// names have in common. Where none is made no journal is opened. Thread-safe.
class CgroupRow {
 public:
  /// As Surroundings::state.
  explicit CgroupRow(std::optional<std::filesystem::path> state) : state_(std::move(state)) {}
  CgroupRow(const CgroupRow&) = delete;
  CgroupRow& operator=(const CgroupRow&) = delete;
  /// Takes the row back, as all of them are gone now.
  ~CgroupRow();

  /// Before the first is made; the first caller removes what dead processes have left according to
  /// the journal, and those who call meanwhile wait. A failure is tried again after some seconds.
  /// Errors: those of Leases::intend.
  [[nodiscard]] Status write();
  /// One of them is still there, and is removed by whoever finds the row of a dead process.
  void keep() noexcept { kept_ = true; }

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] Status begin();

  const pid_t owner_ = ::getpid();
  const std::optional<std::filesystem::path> state_;
  std::mutex writing_;
  std::unique_ptr<Leases> leases_;
  std::string name_;
  std::optional<Status> written_;
  Clock::time_point not_before_;  // after a failure
  std::atomic<bool> kept_ = false;
};

}  // namespace lazaret::backend::native
