#pragma once

#include <linux/filter.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// What happens between clone and exec in the first process of a native box.
namespace lazaret::backend::native {

/// One entry of the new root. Paths are relative to it; sources are the host's.
struct TreeEntry {
  enum class Kind : std::uint8_t {
    directory,  ///< made in the root
    link,       ///< symbolic link to `source`
    file,       ///< made in the root with the content `source`
    bind,       ///< the host's `source`, read-only
    device,     ///< the host's device `source`, and nothing else of it
  };
  Kind kind;
  const char* target;
  const char* source;
  bool optional;  ///< a missing source is no failure
};

/// A writable directory of the box.
struct Scratch {
  const char* target;
  const char* options;  ///< tmpfs(5): size, nr_inodes, mode
  unsigned long flags;
};

struct Limit {
  int resource;
  rlimit value;
};

template <typename T>
struct View {
  const T* data = nullptr;
  std::size_t size = 0;
  [[nodiscard]] const T* begin() const noexcept { return data; }
  [[nodiscard]] const T* end() const noexcept { return data + size; }
};

/// Everything the child needs, prepared by the parent: after clone there are system calls only.
struct ChildPlan {
  int wire;    ///< becomes 0 and 1
  int null;    ///< becomes 2
  int runner;  ///< executed
  int go;      ///< one byte is read when the id maps are written
  int report;  ///< takes a StepFailure
  uid_t uid;
  gid_t gid;
  bool clear_groups;
  View<TreeEntry> tree;
  View<Scratch> scratch;
  View<const char*> masked;  ///< paths below /proc
  View<Limit> limits;
  sock_fprog filter;
};
static_assert(std::is_trivially_destructible_v<ChildPlan>);

/// What the child writes to `report` before it gives up.
struct StepFailure {
  int step;
  int code;
};
[[nodiscard]] const char* name_of_step(int step) noexcept;

/// Becomes the runner inside the box, or reports the step that failed and ends with status 127.
[[noreturn]] void enter_box(const ChildPlan& plan) noexcept;

}  // namespace lazaret::backend::native
