#include "backend/linux/filter/compact.hpp"

#include <linux/seccomp.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <span>

namespace lazaret::backend::native {
namespace {

constexpr std::uint16_t kLoad = BPF_LD | BPF_W | BPF_ABS;
constexpr std::uint16_t kReturn = BPF_RET | BPF_K;
constexpr std::uint16_t kJumpAtLeast = BPF_JMP | BPF_JGE | BPF_K;
constexpr std::uint16_t kJumpEqual = BPF_JMP | BPF_JEQ | BPF_K;
constexpr std::size_t kFarthest = std::numeric_limits<std::uint8_t>::max();

using Verdict = std::optional<std::uint32_t>;

// Calls from `first` up to the next range's first one.
struct Range {
  std::uint32_t first;
  Verdict verdict;
};

std::optional<bool> holds(const sock_filter& step, std::uint32_t value) {
  switch (BPF_OP(step.code)) {
    case BPF_JEQ: return value == step.k;
    case BPF_JGT: return value > step.k;
    case BPF_JGE: return value >= step.k;
    case BPF_JSET: return (value & step.k) != 0;
    default: return std::nullopt;
  }
}

// A verdict can change only where the program compares: at a constant, or one past it.
std::set<std::uint32_t> numbers_compared(const Program& program) {
  std::set<std::uint32_t> numbers{0};
  for (const sock_filter& step : program) {
    if (BPF_CLASS(step.code) != BPF_JMP || BPF_OP(step.code) == BPF_JA) continue;
    numbers.insert(step.k);
    numbers.insert(step.k + 1);
  }
  return numbers;
}

std::vector<Range> ranges_of(const Program& program, std::uint32_t architecture) {
  std::vector<Range> ranges;
  for (const std::uint32_t number : numbers_compared(program)) {
    const Verdict verdict = verdict_of(program, architecture, number);
    if (ranges.empty() || ranges.back().verdict != verdict) ranges.push_back({number, verdict});
  }
  return ranges;
}

// A tree of comparisons; its leaves are jumps to the verdicts, which stand behind it.
class Writer {
 public:
  explicit Writer(Program& program) : program_(program) {}

  void write(std::span<const Range> ranges) {
    const std::span<const Range> low = ranges.first(ranges.size() / 2);
    const std::span<const Range> high = ranges.subspan(low.size());
    const std::size_t at = program_.size();
    program_.push_back({kJumpAtLeast, 0, 0, high.front().first});
    branch(at, &sock_filter::jf, low);
    branch(at, &sock_filter::jt, high);
  }
  // False when a verdict is too far away.
  [[nodiscard]] bool write_verdicts() {
    for (const auto& [verdict, jumps] : jumps_) {
      if (verdict) put_target(jumps), program_.push_back({kReturn, 0, 0, *verdict});
    }
    put_target(jumps_[std::nullopt]);
    return reachable_;
  }

 private:
  using Side = std::uint8_t sock_filter::*;
  struct Jump {
    std::size_t from;
    Side side;
  };

  void branch(std::size_t from, Side side, std::span<const Range> ranges) {
    if (ranges.size() == 1) {
      jumps_[ranges.front().verdict].push_back({from, side});
      return;
    }
    put_target({{from, side}});
    write(ranges);
  }
  void put_target(const std::vector<Jump>& jumps) {
    for (const auto& [from, side] : jumps) {
      const std::size_t distance = program_.size() - from - 1;
      reachable_ = reachable_ && distance <= kFarthest;
      program_[from].*side = static_cast<std::uint8_t>(distance);
    }
  }

  Program& program_;
  std::map<Verdict, std::vector<Jump>> jumps_;
  bool reachable_ = true;
};

}  // namespace

Verdict verdict_of(const Program& program, std::uint32_t architecture, std::uint32_t call) {
  std::uint32_t value = 0;
  for (std::size_t at = 0; at < program.size(); ++at) {
    const sock_filter& step = program[at];
    if (step.code == kReturn) return step.k;
    if (step.code == kLoad && step.k == offsetof(seccomp_data, arch)) {
      value = architecture;
    } else if (step.code == kLoad && step.k == offsetof(seccomp_data, nr)) {
      value = call;
    } else if (step.code == (BPF_JMP | BPF_JA)) {
      at += step.k;
    } else if (BPF_CLASS(step.code) == BPF_JMP && BPF_SRC(step.code) == BPF_K) {
      const auto taken = holds(step, value);
      if (!taken) return std::nullopt;
      at += *taken ? step.jt : step.jf;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

Program compacted(const Program& whole, const Program& rest, std::uint32_t architecture) {
  const std::vector<Range> ranges = ranges_of(whole, architecture);
  if (ranges.size() < 2) return {};
  Program program = {{kLoad, 0, 0, offsetof(seccomp_data, arch)},
                     {kJumpEqual, 1, 0, architecture},
                     {BPF_JMP | BPF_JA, 0, 0, 0},
                     {kLoad, 0, 0, offsetof(seccomp_data, nr)}};
  Writer writer(program);
  writer.write(ranges);
  if (!writer.write_verdicts()) return {};
  constexpr std::size_t kForeign = 2;
  program[kForeign].k = static_cast<std::uint32_t>(program.size() - kForeign - 1);
  std::copy(rest.begin(), rest.end(), std::back_inserter(program));
  return program;
}

}  // namespace lazaret::backend::native
