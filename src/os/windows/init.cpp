#include "os/init.hpp"

#include "os/windows/sdk.hpp"

// The first process of a box is a Linux program, wherever Lazaret itself runs.
namespace lazaret::os {
namespace {

Error no_boxes() { return Error(Errc::unsupported, "a box's first process runs on Linux only"); }

}  // namespace

Result<InitHandles> become_init() { return no_boxes(); }
std::uint32_t process_id() { return ::GetCurrentProcessId(); }
Result<Terminal> make_terminal(const TerminalSize&) { return no_boxes(); }
Status resize_terminal(RawHandle, const TerminalSize&) { return no_boxes(); }
Result<std::int64_t> spawn(const SpawnRequest&) { return no_boxes(); }
std::optional<Ended> reap(RawHandle) { return std::nullopt; }
Status signal_all(std::int64_t, std::uint32_t) { return no_boxes(); }
Status signal_group(std::int64_t, std::uint32_t) { return no_boxes(); }
Status signal_one(std::int64_t, std::uint32_t) { return no_boxes(); }
std::optional<std::vector<std::int64_t>> children() { return std::nullopt; }
TreeUsage tree_usage() { return {}; }
ScratchState scratch_state() { return {}; }
std::int64_t largest_file_ns() { return 0; }
Status write_file(const std::string&, const std::string&, Existing) { return no_boxes(); }
SelfReport self_report(Subprocess, Known) { return {}; }

}  // namespace lazaret::os
