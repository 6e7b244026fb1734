#include "backend/linux/plan.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace lazaret::backend::native {
namespace {

constexpr rlim_t kSmallBytes = 64UL << 10;

// Two numbers and four words: always shorter than the array.
void put_tmpfs_options(std::array<char, 96>& into, const Limits& limits, std::string_view mode) {
  const std::string text = "size=" + std::to_string(limits.disk_bytes) +
                           ",nr_inodes=" + std::to_string(limits.disk_files) +
                           ",mode=" + std::string(mode);
  text.copy(into.data(), into.size() - 1);
}

void add(Order& order, int resource, rlim_t most) {
  order.limits[order.limit_count++] = {resource, {most, most}};
}

void add(Processors& processors, std::size_t number) {
  processors[number / 64] |= std::uint64_t{1} << (number % 64);
}

}  // namespace

const MemoryBound* memory_bound_of(const policy::Spec& spec) {
  static constexpr MemoryBound kAddressSpace = {RLIMIT_AS, "limit.as", "Max address space "},
                               kData = {RLIMIT_DATA, "limit.data", "Max data size "};
  static constexpr std::array kReserving = {"node", "nodejs", "npm",  "npx",
                                            "go",   "rust",   "rustc"};
  static constexpr std::array kUnbounded = {"deno", "bun", "java", "javac", "dotnet"};
  const std::string& path = spec.program.argv.front();
  const auto is_among = [&](const auto& names) {
    const std::string program = path.substr(path.find_last_of('/') + 1);
    return std::ranges::find(names, spec.language) != names.end() ||
           std::ranges::find(names, program) != names.end();
  };
  if (is_among(kUnbounded)) return nullptr;
  return is_among(kReserving) ? &kData : &kAddressSpace;
}

std::vector<std::size_t> numbers_of(const Processors& processors) {
  std::vector<std::size_t> numbers;
  for (std::size_t number = 0; number < processors.size() * 64; ++number) {
    if ((processors[number / 64] >> (number % 64) & 1) != 0) numbers.push_back(number);
  }
  return numbers;
}

Processors every(std::span<const std::size_t> numbers, std::size_t first, std::size_t step) {
  Processors some{};
  for (std::size_t index = first; index < numbers.size(); index += step) add(some, numbers[index]);
  return some;
}

Processors share_of(const Processors& available, double cpus, std::size_t turn) {
  const std::vector<std::size_t> numbers = numbers_of(available);
  const double wanted = std::ceil(cpus);
  if (wanted >= static_cast<double>(numbers.size())) return available;
  Processors share{};
  for (std::size_t index = 0; index < static_cast<std::size_t>(wanted); ++index)
    add(share, numbers[(turn + index) % numbers.size()]);
  return share;
}

Order order_of(const policy::Spec& spec, HeldBy held_by) {
  const Limits& limits = spec.limits;
  Order order;
  order.in_cgroup = held_by == HeldBy::cgroup;
  order.subprocess = spec.subprocess;
  order.profile = spec.profile;
  order.loopback = spec.loopback;
  if (!spec.egress.hosts.empty()) order.way_out = policy::kWayOutPort;
  order.may_share_network = !spec.required.contains(Control::network) && order.way_out == 0;
  order.has_terminals = spec.terminal.has_value() || spec.keeps_box;
  put_tmpfs_options(order.private_options, limits, "0700");
  put_tmpfs_options(order.shared_options, limits, "1777");
  add(order, RLIMIT_NOFILE, limits.open_files);
  add(order, RLIMIT_FSIZE, limits.file_bytes);
  add(order, RLIMIT_CORE, 0);
  add(order, RLIMIT_MEMLOCK, kSmallBytes);
  add(order, RLIMIT_MSGQUEUE, kSmallBytes);
  // A caller that may be favoured by the scheduler must not lend that to a box: real-time tasks are
  // outside of every bandwidth.
  add(order, RLIMIT_RTPRIO, 0);
  add(order, RLIMIT_NICE, 0);
  // Counted in the box's own user namespace since Linux 5.14, so exact for one box (P-51). A
  // cgroup must be the first to refuse: only its refusals are counted.
  add(order, RLIMIT_NPROC, held_by == HeldBy::cgroup ? limits.pids + 1 : limits.pids);
  const MemoryBound* const memory = memory_bound_of(spec);
  if (held_by == HeldBy::limits && memory != nullptr)
    add(order, memory->resource, limits.memory_bytes);
  return order;
}

}  // namespace lazaret::backend::native
