#include <linux/audit.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "backend/linux/filter/compact.hpp"
#include "backend/seccomp/profile.hpp"

// Runs while Lazaret is built: writes the profiles, compiled by libseccomp, as C++.
namespace lazaret::backend {
namespace {

using native::Program;

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
  // The whole process, which could go on without the thread that has tried (P-49).
  if (::seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) != 0) return false;
  for (const seccomp::Allowed& rule : profile.allowed) {
    if (!add(filter, SCMP_ACT_ALLOW, rule.call, rule.conditions)) return false;
  }
  for (const seccomp::Refused& rule : profile.refused) {
    if (rule.error_number == seccomp::kUnknownError) continue;  // the default action already
    const auto number = static_cast<std::uint16_t>(rule.error_number);
    if (!add(filter, SCMP_ACT_ERRNO(number), rule.call, rule.conditions)) return false;
  }
  for (const std::string_view call : profile.deadly) {
    if (!add(filter, SCMP_ACT_KILL_PROCESS, call, {})) return false;
  }
  return true;
}

Program exported(scmp_filter_ctx filter) {
  const int file = ::memfd_create("filter", MFD_CLOEXEC);
  if (file < 0 || ::seccomp_export_bpf(filter, file) != 0) return {};
  const auto size = static_cast<std::size_t>(::lseek(file, 0, SEEK_END));
  Program program(size / sizeof(sock_filter));
  const bool whole = ::pread(file, program.data(), size, 0) == static_cast<ssize_t>(size);
  ::close(file);
  return whole ? program : Program();
}

Program compiled(const seccomp::Profile& profile) {
  scmp_filter_ctx filter = ::seccomp_init(SCMP_ACT_ERRNO(seccomp::kUnknownError));
  if (filter == nullptr) return {};
  Program program = add_profile(filter, profile) ? exported(filter) : Program();
  ::seccomp_release(filter);
  return program;
}

// As a filter sees it, which libseccomp does not tell.
std::uint32_t native_architecture() {
#if defined(__x86_64__)
  return AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
  return AUDIT_ARCH_AARCH64;
#else
#error "which architecture does a filter see here?"
#endif
}

// The rules that look at arguments.
seccomp::Profile conditional_part(const seccomp::Profile& profile) {
  const auto is_unconditional = [](const auto& rule) { return rule.conditions.empty(); };
  seccomp::Profile part = profile;
  std::erase_if(part.allowed, is_unconditional);
  std::erase_if(part.refused, is_unconditional);
  part.deadly.clear();
  return part;
}

void write_filter(std::ofstream& source, std::string_view name, const Program& program) {
  source << "sock_filter " << name << "_steps[] = {\n";
  for (const sock_filter& step : program) {
    source << "    {" << step.code << ", " << int{step.jt} << ", " << int{step.jf} << ", " << step.k
           << "U},\n";
  }
  source << "};\n";
}

Program filter_for(Profile profile, Loopback loopback) {
  const seccomp::Profile& list = seccomp::profile_of(profile, loopback);
  return native::compacted(compiled(list), compiled(conditional_part(list)), native_architecture());
}

bool write_source(const char* path) {
  std::ofstream source(path);
  source << "#include \"backend/linux/filters.hpp\"\n\n"
            "namespace lazaret::backend::native {\nnamespace {\n";
  std::string answers;
  for (const Profile profile : {Profile::dev, Profile::standard, Profile::strict}) {
    for (const Loopback loopback : {Loopback::down, Loopback::up}) {
      const std::string words[] = {std::string(name_of(profile)), std::string(name_of(loopback))};
      const std::string name = words[0] + "_" + words[1];
      const Program program = filter_for(profile, loopback);
      if (program.empty()) return false;
      write_filter(source, name, program);
      answers += "  if (profile == Profile::" + words[0] + " && loopback == Loopback::" + words[1] +
                 ") return {" + std::to_string(program.size()) + ", " + name + "_steps};\n";
    }
  }
  source
      << "}  // namespace\n\nsock_fprog filter_of(Profile profile, Loopback loopback) noexcept {\n"
      << answers << "  return {0, nullptr};\n}\n\n}  // namespace lazaret::backend::native\n";
  return static_cast<bool>(source.flush());
}

}  // namespace
}  // namespace lazaret::backend

int main(int argc, char** argv) {
  if (argc == 2 && lazaret::backend::write_source(argv[1])) return 0;
  std::fputs("the system call filters could not be compiled\n", stderr);
  return 1;
}
