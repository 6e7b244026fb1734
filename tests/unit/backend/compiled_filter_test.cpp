#include "backend/linux/filters.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "backend/seccomp/profile.hpp"

namespace lazaret::backend::native {
namespace {

using Arguments = std::array<std::uint64_t, 6>;

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

bool holds(const sock_filter& step, std::uint32_t value) {
  switch (BPF_OP(step.code)) {
    case BPF_JEQ: return value == step.k;
    case BPF_JGT: return value > step.k;
    case BPF_JGE: return value >= step.k;
    default: return (value & step.k) != 0;
  }
}

// As the kernel runs it (seccomp(2), networking/filter.rst); nothing for what it would not take.
std::optional<std::uint32_t> answer_of(const sock_fprog& program, const seccomp_data& data) {
  std::uint32_t value = 0;
  for (std::size_t at = 0; at < program.len; ++at) {
    const sock_filter& step = program.filter[at];
    switch (BPF_CLASS(step.code)) {
      case BPF_RET: return step.k;
      case BPF_ALU: value &= step.k; break;
      case BPF_LD:
        std::memcpy(&value, reinterpret_cast<const char*>(&data) + step.k, sizeof value);
        break;
      case BPF_JMP:
        if (BPF_OP(step.code) == BPF_JA)
          at += step.k;
        else
          at += holds(step, value) ? step.jt : step.jf;
        break;
      default: return std::nullopt;
    }
  }
  return std::nullopt;
}

bool all_hold(const std::vector<seccomp::Condition>& conditions, const Arguments& arguments) {
  return std::all_of(conditions.begin(), conditions.end(), [&](const seccomp::Condition& one) {
    return (arguments.at(one.argument) & one.mask) == one.value;
  });
}

template <typename Rules>
auto rule_for(const Rules& rules, const std::string& name, const Arguments& arguments) {
  return std::find_if(rules.begin(), rules.end(), [&](const auto& rule) {
    return rule.call == name && all_hold(rule.conditions, arguments);
  });
}

// What rules look at: nothing, families, flags of clone, requests to terminals, other people's
// numbers, with and without the half that the kernel ignores.
constexpr std::uint64_t kValues[] = {0,
                                     1,
                                     2,
                                     8,
                                     10,
                                     16,
                                     0x11,
                                     0x5401,
                                     0x5412,
                                     0x5413,
                                     0x541C,
                                     0x5421,
                                     0x5423,
                                     0x20000,
                                     0x20008,
                                     0x1200011,
                                     0x10000011,
                                     0xFFFFFFFF,
                                     0x40000000,
                                     0x100000001,
                                     0xDEADBEEF00005412};

// What a box gets is held against the list that it was compiled from.
class CompiledFilter
    : public testing::TestWithParam<std::tuple<lazaret::Profile, lazaret::Loopback>> {
 protected:
  static lazaret::Profile profile() { return std::get<0>(GetParam()); }
  static lazaret::Loopback loopback() { return std::get<1>(GetParam()); }
  static const seccomp::Profile& list() { return seccomp::profile_of(profile(), loopback()); }
  static std::optional<std::uint32_t> answer(std::uint32_t call, const Arguments& arguments,
                                             std::uint32_t architecture = kArchitecture) {
    seccomp_data data{};
    data.nr = static_cast<int>(call);
    data.arch = architecture;
    std::copy(arguments.begin(), arguments.end(), data.args);
    return answer_of(filter_of(profile(), loopback()), data);
  }
  static std::uint32_t wanted(std::uint32_t call, const Arguments& arguments) {
    char* const found =
        ::seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, static_cast<int>(call));
    const std::string name = found == nullptr ? "" : found;
    std::free(found);
    const seccomp::Profile& profile = list();
    if (rule_for(profile.allowed, name, arguments) != profile.allowed.end())
      return SECCOMP_RET_ALLOW;
    if (std::ranges::find(profile.deadly, name) != profile.deadly.end())
      return SECCOMP_RET_KILL_PROCESS;
    const auto refused = rule_for(profile.refused, name, arguments);
    const int code =
        refused == profile.refused.end() ? seccomp::kUnknownError : refused->error_number;
    return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(code);
  }
};

INSTANTIATE_TEST_SUITE_P(
    Of, CompiledFilter,
    testing::Combine(testing::Values(lazaret::Profile::strict, lazaret::Profile::standard,
                                     lazaret::Profile::dev),
                     testing::Values(lazaret::Loopback::down, lazaret::Loopback::up)),
    [](const auto& given) {
      return std::string(name_of(std::get<0>(given.param))) + "_" +
             std::string(name_of(std::get<1>(given.param)));
    });

TEST_P(CompiledFilter, AnswersEveryCallAsTheProfileSays) {  // L-21, L-23
  for (std::uint32_t call = 0; call < 1024; ++call) {
    for (const std::uint64_t value : kValues) {
      Arguments arguments;
      arguments.fill(value);
      ASSERT_EQ(answer(call, arguments), wanted(call, arguments)) << call << " with " << value;
    }
  }
}

TEST_P(CompiledFilter, LooksAtEachArgumentThatTheProfileNames) {
  for (const seccomp::Allowed& rule : list().allowed) {
    if (rule.conditions.empty()) continue;
    const int call = ::seccomp_syscall_resolve_name(std::string(rule.call).c_str());
    Arguments arguments{};
    for (const seccomp::Condition& one : rule.conditions) arguments.at(one.argument) = one.value;
    const auto number = static_cast<std::uint32_t>(call);
    EXPECT_EQ(answer(number, arguments), SECCOMP_RET_ALLOW) << rule.call;
    for (const seccomp::Condition& one : rule.conditions) {
      Arguments other = arguments;
      other.at(one.argument) ^= one.mask;
      EXPECT_EQ(answer(number, other), wanted(number, other)) << rule.call;
    }
  }
}

TEST_P(CompiledFilter, EndsCallsOfEveryOtherArchitecture) {
  for (const std::uint32_t other : {AUDIT_ARCH_I386 + 0U, AUDIT_ARCH_ARM + 0U, 0U}) {
    for (std::uint32_t call = 0; call < 512; ++call)
      ASSERT_EQ(answer(call, {}, other), SECCOMP_RET_KILL_PROCESS) << call;
  }
}

#if defined(__x86_64__)
TEST_P(CompiledFilter, EndsCallsOfTheX32Entry) {
  for (std::uint32_t call = 0; call < 1024; ++call)
    ASSERT_EQ(answer(0x40000000U | call, {}), SECCOMP_RET_KILL_PROCESS) << call;
  EXPECT_EQ(answer(0xFFFFFFFEU, {}), SECCOMP_RET_KILL_PROCESS);
}
#endif

TEST_P(CompiledFilter, AnswersNumbersOfFutureKernelsAsUnknown) {
  for (const std::uint32_t call : {1024U, 4096U, 0x3FFFFFFFU})
    EXPECT_EQ(answer(call, {}), SECCOMP_RET_ERRNO | 38U) << call;
}

// What the kernel needs to take it in grows with its length.
TEST_P(CompiledFilter, IsShort) {
  const int most = loopback() == lazaret::Loopback::down ? 264 : 304;  // with kinds of sockets
  EXPECT_LE(filter_of(profile(), loopback()).len, most);
}

}  // namespace
}  // namespace lazaret::backend::native
