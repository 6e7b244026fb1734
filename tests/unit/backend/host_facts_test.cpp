#include "backend/linux/host_facts.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <string>

#include <gtest/gtest.h>

// What a host offers, behind a filter that answers one call in the kernel's place (P-48).
namespace lazaret::backend::native {
namespace {

const char* const kNames[] = {"Seccomp", "Denial of subprocesses", "Resource limits"};

bool answer(long number, int error) {
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{static_cast<unsigned short>(std::size(steps)), steps};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// A bit for each name that is missing, with a fix.
int missing_here() {
  int found = 0;
  for (const HostFact& fact : facts_of_host({}, {})) {
    for (std::size_t index = 0; index < std::size(kNames); ++index) {
      const bool is_missing = fact.presence == Presence::missing && !fact.fix.empty();
      if (fact.name == kNames[index] && is_missing) found |= 1 << index;
    }
  }
  return found;
}

using Names = std::set<std::string>;
std::optional<Names> missing_where(long number, int error) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(answer(number, error) ? missing_here() : 128);
  int status = 0;
  if (::waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) >= 128)
    return std::nullopt;
  Names names;
  for (std::size_t index = 0; index < std::size(kNames); ++index) {
    if ((WEXITSTATUS(status) & 1 << index) != 0) names.insert(kNames[index]);
  }
  return names;
}

constexpr int kSuccess = 0;

TEST(FactsOfHost, LackNothingThatIsThere) {
  EXPECT_EQ(missing_where(SYS_getppid + 100'000, EPERM), Names{});
}

TEST(FactsOfHost, TellFiltersThatAreRefusedOrOnlySaidToBe) {
  for (const int error : {EPERM, ENOSYS, kSuccess})
    EXPECT_EQ(missing_where(SYS_seccomp, error), Names({"Seccomp", "Denial of subprocesses"}))
        << error;
}

TEST(FactsOfHost, TellLimitsThatAreRefusedOrOnlySaidToBe) {
  for (const int error : {EPERM, kSuccess})
    EXPECT_EQ(missing_where(SYS_prlimit64, error), Names({"Resource limits"})) << error;
}

}  // namespace
}  // namespace lazaret::backend::native
