#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lazaret {

/// Whether the program may start others: fork, vfork, clone, execve and their like. Threads may
/// always be made.
enum class Subprocess : std::uint8_t { allow, deny };

/// How much a box allows beyond what every one holds; later ones allow less.
enum class Profile : std::uint8_t {
  dev,       ///< debuggers may trace the box's own processes; its loopback is up
  standard,  ///< what programs expect
  strict,    ///< no /tmp, nothing executable in /work, no user names, fewer calls, no subprocess
};

/// Whether the box's own loopback interface, which leads nowhere else, is usable.
enum class Loopback : std::uint8_t { down, up };

enum class MountAccess : std::uint8_t { read_only, read_write };

/// A directory of the host's that the program sees. Native boxes only.
struct Mount {
  std::string source;  ///< absolute, without ".", ".." and symbolic links
  std::string target;  ///< "/mnt/NAME"
  MountAccess access = MountAccess::read_only;
};

[[nodiscard]] std::string_view name_of(Subprocess subprocess) noexcept;
[[nodiscard]] std::string_view name_of(Profile profile) noexcept;
[[nodiscard]] std::string_view name_of(Loopback loopback) noexcept;
[[nodiscard]] std::optional<Subprocess> subprocess_named(std::string_view name) noexcept;
[[nodiscard]] std::optional<Profile> profile_named(std::string_view name) noexcept;
[[nodiscard]] std::optional<Loopback> loopback_named(std::string_view name) noexcept;

}  // namespace lazaret
