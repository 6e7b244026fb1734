#include <linux/filter.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "backend/seccomp/profile.hpp"

// Runs while Lazaret is built: writes the standard profile, compiled by libseccomp, as C++.
namespace lazaret::backend {
namespace {

// Calls that this libseccomp does not know yet stay closed by the default action.
bool add(scmp_filter_ctx filter, std::uint32_t action, std::string_view call,
         const std::vector<seccomp::Condition>& conditions) {
  const std::string name(call);
  const int number = ::seccomp_syscall_resolve_name(name.c_str());
  if (number == __NR_SCMP_ERROR) return true;
  std::vector<scmp_arg_cmp> tests;
  for (const seccomp::Condition& condition : conditions) {
    tests.push_back({condition.argument, SCMP_CMP_MASKED_EQ, condition.mask, condition.value});
  }
  return ::seccomp_rule_add_array(filter, action, number, static_cast<unsigned>(tests.size()),
                                  tests.data()) == 0;
}

bool add_profile(scmp_filter_ctx filter, const seccomp::Profile& profile) {
  // A tree instead of a list: what a call costs does not depend on its place in the list.
  if (::seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) != 0) return false;
  for (const seccomp::Allowed& rule : profile.allowed) {
    if (!add(filter, SCMP_ACT_ALLOW, rule.call, rule.conditions)) return false;
  }
  for (const seccomp::Refused& rule : profile.refused) {
    if (rule.error_number == seccomp::kUnknownError) continue;  // the default action already
    const auto number = static_cast<std::uint16_t>(rule.error_number);
    if (!add(filter, SCMP_ACT_ERRNO(number), rule.call, {})) return false;
  }
  return true;
}

std::vector<sock_filter> exported(scmp_filter_ctx filter) {
  const int file = ::memfd_create("filter", MFD_CLOEXEC);
  if (file < 0 || ::seccomp_export_bpf(filter, file) != 0) return {};
  const auto size = static_cast<std::size_t>(::lseek(file, 0, SEEK_END));
  std::vector<sock_filter> program(size / sizeof(sock_filter));
  const bool whole = ::pread(file, program.data(), size, 0) == static_cast<ssize_t>(size);
  ::close(file);
  return whole ? program : std::vector<sock_filter>();
}

bool write_source(const char* path, const std::vector<sock_filter>& program) {
  std::ofstream source(path);
  source
      << "#include \"backend/linux/standard_filter.hpp\"\n\nnamespace lazaret::backend::native {\n"
         "namespace {\nsock_filter instructions[] = {\n";
  for (const sock_filter& step : program) {
    source << "    {" << step.code << ", " << int{step.jt} << ", " << int{step.jf} << ", " << step.k
           << "U},\n";
  }
  source << "};\n}  // namespace\n\nsock_fprog standard_filter() noexcept { return {"
         << program.size() << ", instructions}; }\n\n}  // namespace lazaret::backend::native\n";
  return static_cast<bool>(source.flush());
}

}  // namespace
}  // namespace lazaret::backend

int main(int argc, char** argv) {
  using namespace lazaret::backend;
  scmp_filter_ctx filter = ::seccomp_init(SCMP_ACT_ERRNO(seccomp::kUnknownError));
  const bool made =
      argc == 2 && filter != nullptr && add_profile(filter, seccomp::standard_profile());
  const std::vector<sock_filter> program = made ? exported(filter) : std::vector<sock_filter>();
  ::seccomp_release(filter);
  if (!program.empty() && write_source(argv[1], program)) return 0;
  std::fputs("the system call filter could not be compiled\n", stderr);
  return 1;
}
