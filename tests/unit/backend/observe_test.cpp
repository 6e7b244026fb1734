#include "backend/linux/observe.hpp"

#include <grp.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include <gtest/gtest.h>

namespace lazaret::backend::native {
namespace {

// A process that has done something to itself, and waits until it has been looked at.
class Subject {
 public:
  explicit Subject(const std::function<bool()>& act) {
    int ready[2];
    if (::pipe(ready) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      const char done = act() ? 'y' : 'n';
      (void)!::write(ready[1], &done, 1);
      for (;;) ::pause();
    }
    char done = 'n';
    is_ready_ = ::read(ready[0], &done, 1) == 1 && done == 'y';
    ::close(ready[0]), ::close(ready[1]);
  }
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  ~Subject() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool is_ready() const { return is_ready_; }

 private:
  pid_t pid_ = -1;
  bool is_ready_ = false;
};

bool says(const std::vector<Reading>& readings, const std::string& words) {
  return std::ranges::any_of(readings, [&words](const Reading& reading) {
    return reading.status == EvidenceStatus::not_enforced && reading.applied == words;
  });
}

policy::Spec spec_of(std::uint32_t files, std::uint64_t bytes) {
  policy::Spec spec;
  spec.program.argv = {"true"};
  spec.limits.open_files = files;
  spec.limits.file_bytes = bytes;
  return spec;
}

bool bound() {
  const rlimit files{64, 64}, bytes{1000, 1000}, none{0, 0};
  return ::setrlimit(RLIMIT_NOFILE, &files) == 0 && ::setrlimit(RLIMIT_FSIZE, &bytes) == 0 &&
         ::setrlimit(RLIMIT_CORE, &none) == 0;
}

// At the limit and one beyond it, each by itself.
TEST(ReadLimits, SeesFromOutsideWhichLimitIsHigherThanAsked) {
  const Subject subject(bound);
  ASSERT_TRUE(subject.is_ready());
  const os::Handle folder = folder_of(subject.pid());
  for (const Reading& reading : read_limits(folder, spec_of(64, 1000), HeldBy::cgroup))
    EXPECT_EQ(reading.status, EvidenceStatus::enforced) << reading.applied;
  const auto files = read_limits(folder, spec_of(63, 1000), HeldBy::cgroup),
             bytes = read_limits(folder, spec_of(64, 999), HeldBy::cgroup);
  EXPECT_TRUE(says(files, "Max open files is more"));
  EXPECT_TRUE(says(bytes, "Max file size is more"));
}

TEST(ReadLimits, TakesNoLimitAndNoProcessForAnEnforcedOne) {
  const Subject subject([] {
    const rlimit some{0, 1};
    return ::setrlimit(RLIMIT_CORE, &some) == 0;
  });
  ASSERT_TRUE(subject.is_ready());
  const auto seen = read_limits(folder_of(subject.pid()), spec_of(1, 1), HeldBy::cgroup);
  EXPECT_TRUE(says(seen, "Max core file size is more"));
  for (const Reading& reading : read_limits(folder_of(0x7FFFFFFF), spec_of(1, 1), HeldBy::limits))
    EXPECT_EQ(reading.status, EvidenceStatus::not_enforced);
}

// Without a cgroup these two stand in for it.
TEST(ReadLimits, SeesFromOutsideWhatStandsInForACgroup) {
  const Subject subject([] {
    const rlimit tasks{64, 64}, bytes{1UL << 30, 1UL << 30};
    return bound() && ::setrlimit(RLIMIT_NPROC, &tasks) == 0 &&
           ::setrlimit(RLIMIT_AS, &bytes) == 0;
  });
  ASSERT_TRUE(subject.is_ready());
  const os::Handle folder = folder_of(subject.pid());
  policy::Spec spec = spec_of(64, 1000);
  spec.limits.pids = 64;
  spec.limits.memory_bytes = 1UL << 30;
  for (const Reading& reading : read_limits(folder, spec, HeldBy::limits))
    EXPECT_EQ(reading.status, EvidenceStatus::enforced) << reading.applied;
  spec.limits.pids = 63;
  spec.limits.memory_bytes -= 1;
  const auto lower = read_limits(folder, spec, HeldBy::limits);
  EXPECT_TRUE(says(lower, "Max processes is more"));
  EXPECT_TRUE(says(lower, "Max address space is more"));
}

// A child that has made none shares all of ours; what cannot be read is not taken for its own.
TEST(ReadNamespaces, SeeWhatIsNotTheBoxesOwn) {
  const Subject subject([] { return true; });
  ASSERT_TRUE(subject.is_ready());
  const Namespaces ours = namespaces_of(folder_of_thread());
  const Namespaces theirs = namespaces_of(folder_of(subject.pid()));
  Namespaces others;
  others.fill("pid:[1]");
  EXPECT_TRUE(says(read_namespaces(theirs, ours, others), "no own pid namespace"));
  EXPECT_TRUE(says(read_namespaces(theirs, others, ours), "no own pid namespace"));
  EXPECT_FALSE(says(read_namespaces(theirs, others, others), "no own pid namespace"));
  EXPECT_EQ(pid_namespace_of(ours), namespace_of(::getpid(), "pid").value_or("none"));
  EXPECT_EQ(pid_namespace_of({}), "");
  for (const auto& readings :
       {read_namespaces({}, ours, others), read_namespaces(theirs, {}, others)}) {
    for (const Reading& reading : readings)
      EXPECT_EQ(reading.status, EvidenceStatus::not_enforced);
  }
  EXPECT_TRUE(says(read_namespaces(theirs, others, {}), "no own pid namespace"));
}

bool leave_network() { return ::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0; }

bool raise_loopback() {
  const int handle = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  ::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP;
  return handle >= 0 && ::ioctl(handle, SIOCSIFFLAGS, &request) == 0;
}

TEST(ReadSilence, SeesFromOutsideWhetherTheLoopbackIsUp) {  // L-13
  const Subject silent(leave_network), talking([] { return leave_network() && raise_loopback(); });
  if (!silent.is_ready()) GTEST_SKIP() << "no namespaces for ordinary users here";
  ASSERT_TRUE(talking.is_ready());
  const auto down = read_silence(folder_of(silent.pid())),
             up = read_silence(folder_of(talking.pid())), gone = read_silence(os::Handle());
  ASSERT_TRUE(down && up && gone);
  EXPECT_EQ(down->status, EvidenceStatus::enforced);
  EXPECT_EQ(down->applied, "lo down");
  EXPECT_TRUE(says({*up}, "lo is up, which was to be down"));
  EXPECT_TRUE(says({*gone}, "whether lo is up cannot be read"));
}

// A group of the caller's own is the box's own as well; any other is said, and a breach where it
// was to be given up.
TEST(ReadProc, SeesGroupsFromOutside) {
  if (::geteuid() != 0) GTEST_SKIP() << "root alone changes groups";
  using Groups = OutsideIdentity::Groups;
  const auto seen = [](std::vector<gid_t> groups, Groups allowed) {
    const Subject subject([groups] { return ::setgroups(groups.size(), groups.data()) == 0; });
    EXPECT_TRUE(subject.is_ready());
    return read_proc(folder_of(subject.pid()), {allowed, 0, 10007});
  };
  const std::string kept = "in the caller's groups 4 27, which the kernel keeps";
  EXPECT_TRUE(says(seen({4, 27, 10007}, Groups::of_caller), kept));
  EXPECT_FALSE(says(seen({10007}, Groups::of_caller), "in the caller's groups 10007"));
  const auto breach = seen({4}, Groups::none);
  EXPECT_TRUE(std::ranges::any_of(breach, [](const Reading& reading) {
    return reading.control == Control::privileges && reading.applied == "still in groups 4" &&
           reading.status == EvidenceStatus::not_enforced;
  }));
  for (const Reading& reading : seen({}, Groups::none))
    EXPECT_TRUE(reading.control != Control::groups || reading.status == EvidenceStatus::enforced);
}

TEST(ReadProc, SeesInheritableCapabilitiesFromOutside) {
  if (::geteuid() != 0) GTEST_SKIP() << "root alone has some to hand on";
  const auto act = [] {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    const __user_cap_data_struct sets[2] = {{0, 1, 1}, {0, 0, 0}};  // CAP_CHOWN
    return ::syscall(SYS_capset, &header, sets) == 0;
  };
  const Subject subject(act);
  ASSERT_TRUE(subject.is_ready());
  const auto readings = read_proc(folder_of(subject.pid()), {OutsideIdentity::Groups::none, 0, 0});
  EXPECT_TRUE(says(readings, "CapInh is not 0000000000000000"));
  EXPECT_FALSE(says(readings, "CapAmb is not 0000000000000000"));
}

}  // namespace
}  // namespace lazaret::backend::native
