#pragma once

#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lazaret/confinement.hpp"

/// What Lazaret and its spawner say to each other over a SOCK_SEQPACKET pair, one structure a
/// message. Both are built together and trust each other; nothing here ever meets foreign code.
namespace lazaret::backend::native {

/// The id that a box has inside, whoever it is outside.
inline constexpr std::uint32_t kInsideId = 65534;

/// A set of processors as sched_setaffinity(2) takes it; empty: whatever one has.
using Processors = std::array<std::uint64_t, 16>;

/// One entry of the root that all boxes share. Targets are relative to it; sources are the host's.
struct TreeEntry {
  enum class Kind : std::uint8_t {
    directory,  ///< made in the root; the host's `source`, of which some is shown, or none
    link,       ///< symbolic link to `source`
    file,       ///< made in the root with the content `source`
    copy,       ///< made in the root with the content of the host's file `source`
    bind,       ///< the host's `source`, read-only
    device,     ///< the host's device `source`, and nothing else of it
  };
  Kind kind = Kind::directory;
  std::array<char, 47> target{};
  std::array<char, 208> source{};
  std::uint64_t device = 0;  ///< of a bind or a copy: what the source was when it was looked at
  std::uint64_t inode = 0;
  std::int64_t changed_ns = 0;  ///< of a copy: when the source had changed last (inode(7), ctime)
  std::uint64_t size = 0;       ///< and how large it was
};

/// Who a box is outside.
enum class HostIdentity : std::uint8_t {
  nobody,       ///< kInsideId there too, and in no group; for root
  subordinate,  ///< a user of an ordinary user's own range (subuid(5)), and in no group
  caller,       ///< an ordinary user himself, with his groups
};

struct Identity {
  HostIdentity kind = HostIdentity::caller;
  std::uint32_t user = 0;  ///< of a subordinate
  std::uint32_t group = 0;
};

/// Of root's capabilities those without which it cannot make boxes (capabilities(7)).
inline constexpr std::uint32_t kMakesBoxes =
    1U << CAP_SETGID | 1U << CAP_SETUID | 1U << CAP_SYS_ADMIN;

/// First message, there before the spawner is: whose it is, and with it which namespaces it needs.
struct Start {
  pid_t owner = 0;  ///< whose end is the spawner's, even where a fork keeps the socket open
  Identity identity;
};

/// A directory of the host's that is to be seen at /mnt/`name`: the one with this identity, which
/// Lazaret has open, and no other that may stand at the path by now.
struct Folder {
  std::array<char, 65> name{};
  std::array<char, 1024> source{};
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t attributes = 0;  ///< MOUNT_ATTR_…
  bool is_packages = false;      ///< that Lazaret has put together
};

/// What is to be covered in /proc.
struct Mask {
  enum class Kind : std::uint8_t { absent, file, folder };

  std::array<char, 32> path{};
  Kind kind = Kind::absent;  ///< what it was when the host was looked at; what there is decides
};

/// Second message, once its id maps are written: what every box stands on.
struct Foundation {
  static constexpr std::size_t kMostEntries = 96, kMostMasks = 48, kMostFolders = 9;

  Identity identity;
  Processors home{};  ///< of the spawner, and of the boxes that are not to have others
  std::uint32_t entry_count = 0;
  std::uint32_t mask_count = 0;
  std::uint32_t folder_count = 0;
  std::array<TreeEntry, kMostEntries> entries{};
  std::array<Mask, kMostMasks> masks{};
  std::array<Folder, kMostFolders> folders{};
};

struct Limit {
  int resource = 0;
  rlimit value{};
};

/// One box. With it come its end of the wire, the epitaph's pipe, if `in_cgroup` the directory of
/// the cgroup that it is born in, and if it has a `way_out` one end of a control_pair: by that
/// leaves a TCP socket which listens on the box's own loopback at that port.
struct Order {
  static constexpr std::size_t kMostLimits = 12;

  std::array<char, 96> private_options{};  ///< of /work; tmpfs(5)
  std::array<char, 96> shared_options{};   ///< of /tmp and /dev/shm
  std::uint32_t limit_count = 0;
  std::array<Limit, kMostLimits> limits{};
  Processors processors{};
  bool in_cgroup = false;
  Subprocess subprocess = Subprocess::allow;
  Profile profile = Profile::standard;
  Loopback loopback = Loopback::down;
  bool may_share_network = false;  ///< with Lazaret, where the kernel gives it none of its own
  bool has_terminals = false;  ///< programs may have some
  std::uint16_t way_out = 0;   ///< 0: there is none
  std::uint64_t ground = 0;    ///< 0: the one that boxes share; else no two boxes have the same
};
inline constexpr std::size_t kMostOrderHandles = 4;

/// The spawner's answer to the start, once it has its namespaces, to the foundation and to each
/// order, which a pidfd of the box's first process accompanies.
struct Answer {
  std::array<char, 32> failed_step{};  ///< empty: all is well
  std::int32_t code = 0;               ///< errno
};

/// Written to the order's pipe when the box's first process, and with it everything in the box, is
/// gone and reaped.
struct Epitaph {
  std::uint64_t cpu_ms = 0;
  std::uint64_t peak_memory_bytes = 0;  ///< of the largest process
};

static_assert(std::is_trivially_copyable_v<Start> && std::is_trivially_copyable_v<Foundation> &&
              std::is_trivially_copyable_v<Order>);

}  // namespace lazaret::backend::native
