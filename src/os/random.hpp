#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace lazaret::os {

/// 32 bits that nobody can guess, from the system (getrandom(2); rand_s on Windows). There is no
/// going on without them: where the system has none the process ends.
/// WHY not std::random_device: it asks the processor what it can each time one is made, which a
/// virtual machine's host has to answer, in tens of microseconds.
[[nodiscard]] std::uint32_t random_word() noexcept;

/// As many hexadecimal digits of them, in small letters.
[[nodiscard]] std::string random_hex(std::size_t digits);

}  // namespace lazaret::os
