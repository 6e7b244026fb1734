#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "os/handle.hpp"
#include "os/pipe.hpp"
#include "runner/frame.hpp"

namespace lazaret::runner {

/// One of a program's streams, on its way to the host.
struct Output {
  os::Handle handle;
  FrameType type;
  bool is_terminal = false;  ///< whose end is an error, see os::Terminal
  bool is_wide = false;      ///< the pipe, as it was found full once
};

/// An interpreter that runs one job after another and keeps what they leave in it.
struct Context {
  std::string name;
  std::int64_t process = 0;
  std::vector<Output> outputs;
  os::Handle words;      ///< to it: for each job a 32-bit length, little-endian, and a word
  os::Handle farewells;  ///< from it: each job's farewell and its status, a byte
  os::Handle alarms;     ///< to it: for each interrupt the number of the job that it means, a byte
  std::uint8_t told = 0;  ///< jobs, the last eight bits of their number

  /// Of the job that runs.
  std::string word;      ///< what is left of it
  std::string farewell;  ///< to come
  std::string heard;     ///< the last of what came instead

  void tell(const std::string& job_word, const std::string& job_farewell);
  /// Writes what the interpreter takes now.
  void feed();
  /// Says that the job is to end where that can be heard while no signal is.
  void alarm() const;
  /// Reads what it says; the job's status once it has said its farewell.
  [[nodiscard]] std::optional<std::uint8_t> hear();
};

/// Those that wait for a job. What they write meanwhile stays in their pipes.
class Contexts {
 public:
  /// Out of those that wait; null where there is none of that name.
  [[nodiscard]] std::unique_ptr<Context> take(std::string_view name);
  void put(std::unique_ptr<Context> context) { all_.push_back(std::move(context)); }
  void clear() { all_.clear(); }
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  [[nodiscard]] bool has(std::int64_t process) const noexcept;
  /// It has ended. Whether it was one of them.
  bool forget(std::int64_t process);

 private:
  std::vector<std::unique_ptr<Context>> all_;
};

}  // namespace lazaret::runner
