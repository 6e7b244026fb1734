#include "backend/linux/seccomp_program.hpp"

#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "base/try.hpp"
#include "os/error.hpp"
#include "os/handle.hpp"

namespace lazaret::backend::native {
namespace {

using Filter = std::unique_ptr<void, decltype(&::seccomp_release)>;

Error seccomp_error(std::string_view what, int result) {
  return os::system_error("libseccomp: " + std::string(what), -result);
}

// Calls that this libseccomp does not know yet stay closed by the default action.
Status add(const Filter& filter, std::uint32_t action, std::string_view call,
           const std::vector<seccomp::Condition>& conditions) {
  const std::string name(call);
  const int number = ::seccomp_syscall_resolve_name(name.c_str());
  if (number == __NR_SCMP_ERROR) return {};
  std::vector<scmp_arg_cmp> tests;
  for (const seccomp::Condition& condition : conditions) {
    tests.push_back({condition.argument, SCMP_CMP_MASKED_EQ, condition.mask, condition.value});
  }
  const int result = ::seccomp_rule_add_array(filter.get(), action, number,
                                              static_cast<unsigned>(tests.size()), tests.data());
  if (result != 0) return seccomp_error(call, result);
  return {};
}

Result<std::vector<sock_filter>> exported(const Filter& filter) {
  const os::Handle file(::memfd_create("lazaret-filter", MFD_CLOEXEC));
  if (!file.valid()) return os::last_error("memfd_create");
  if (const int result = ::seccomp_export_bpf(filter.get(), file.get()); result != 0) {
    return seccomp_error("export", result);
  }
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  std::vector<sock_filter> program(static_cast<std::size_t>(size) / sizeof(sock_filter));
  if (size <= 0 || ::pread(file.get(), program.data(), static_cast<std::size_t>(size), 0) != size) {
    return os::last_error("reading the filter back");
  }
  return program;
}

}  // namespace

Result<std::vector<sock_filter>> compile(const seccomp::Profile& profile) {
  const Filter filter(::seccomp_init(SCMP_ACT_ERRNO(seccomp::kUnknownError)), &::seccomp_release);
  if (filter == nullptr) return Error(Errc::system, "libseccomp: seccomp_init failed");
  // A tree instead of a list: what a call costs does not depend on its place in the list.
  (void)::seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);
  for (const seccomp::Allowed& rule : profile.allowed) {
    LAZARET_CHECK(add(filter, SCMP_ACT_ALLOW, rule.call, rule.conditions));
  }
  for (const seccomp::Refused& rule : profile.refused) {
    const auto action = static_cast<std::uint16_t>(rule.error_number);
    if (rule.error_number == seccomp::kUnknownError) continue;  // the default action already
    LAZARET_CHECK(add(filter, SCMP_ACT_ERRNO(action), rule.call, {}));
  }
  return exported(filter);
}

}  // namespace lazaret::backend::native
