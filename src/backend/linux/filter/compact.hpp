#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <optional>
#include <vector>

/// Makes a filter that libseccomp has compiled shorter. What the kernel needs to take one in grows
/// with its length, and every box takes one in.
namespace lazaret::backend::native {

using Program = std::vector<sock_filter>;

/// What `program` answers (seccomp(2), SECCOMP_RET_…) to a call, or nothing when that depends on
/// the call's arguments or is beyond what is understood here.
[[nodiscard]] std::optional<std::uint32_t> verdict_of(const Program& program,
                                                      std::uint32_t architecture,
                                                      std::uint32_t call);

/// Decides every call of `architecture` whose verdict does not depend on its arguments as `whole`
/// does, by ranges of numbers; everything else, and every other architecture, is left to `rest`.
/// Empty when there are more ranges than a jump can reach over.
[[nodiscard]] Program compacted(const Program& whole, const Program& rest,
                                std::uint32_t architecture);

}  // namespace lazaret::backend::native
