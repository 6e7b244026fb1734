#include <gtest/gtest.h>

#include "backend/verdict.hpp"
#include "unit/backend/report_sample.hpp"

namespace lazaret::backend {
namespace {

EvidenceStatus status_in(std::string_view report, Control control) {
  for (const Reading& reading : read_report(parse_report(std::string(report)), policy::Spec{})) {
    if (reading.control == control) return reading.status;
  }
  ADD_FAILURE() << "nobody has read " << name_of(control);
  return EvidenceStatus::partial;
}

constexpr Control kRead[] = {Control::network,   Control::filesystem, Control::privileges,
                             Control::groups,    Control::syscalls,   Control::landlock,
                             Control::processes, Control::hostname,   Control::open_files,
                             Control::file_size, Control::core_dumps, Control::disk,
                             Control::environment};

TEST(Readings, FindEverythingEnforcedInAGoodBox) {
  for (const Control control : kRead) {
    SCOPED_TRACE(std::string(name_of(control)));
    EXPECT_EQ(status_in(test::kGoodReport, control), EvidenceStatus::enforced);
  }
}

TEST(Readings, FindNothingEnforcedInAnEmptyReport) {
  for (const Control control : kRead) {
    if (control == Control::environment) continue;  // explicit at exec, whatever the report says
    SCOPED_TRACE(std::string(name_of(control)));
    EXPECT_EQ(status_in("", control), EvidenceStatus::not_enforced);
  }
}

// What a denial of subprocesses adds to the report.
constexpr std::string_view kTried =
    "probe.subprocess_thread=22\nprobe.subprocess_process=1\nprobe.subprocess_execve=1\n"
    "probe.subprocess_execveat=1\n";

EvidenceStatus denial_in(std::string report) {
  policy::Spec spec;
  spec.subprocess = Subprocess::deny;
  for (const Reading& reading : read_report(parse_report(report), spec)) {
    if (reading.control == Control::subprocess) return reading.status;
  }
  return EvidenceStatus::partial;
}

TEST(Readings, BelieveADenialOfSubprocessesOnlyWhenEachWayWasRefused) {  // L-20
  EXPECT_EQ(denial_in(std::string(kTried)), EvidenceStatus::enforced);
  EXPECT_EQ(denial_in(""), EvidenceStatus::not_enforced);
  for (const std::string_view line : {"process=1", "execve=1", "execveat=1", "thread=22"}) {
    std::string report(kTried);
    const std::size_t value = report.find(line) + line.find('=') + 1;
    report.replace(value, 1, "0");  // 22 becomes 02, which is no EINVAL either
    EXPECT_EQ(denial_in(report), EvidenceStatus::not_enforced) << line;
  }
}

// What a strict box reports: no /tmp, nothing executable, no names, no programs from memory.
std::string strict_report() {
  std::string report(test::kGoodReport);
  const auto replace = [&report](std::string_view what, std::string_view instead) {
    report.replace(report.find(what), what.size(), instead);
  };
  replace("mount=30 26 0:32 / /tmp rw,nosuid,nodev - tmpfs tmpfs rw,size=65536k,nr_inodes=8192\n",
          "");
  replace("/work rw,nosuid,nodev", "/work rw,nosuid,nodev,noexec");
  replace("disk./tmp=16914836 67108864 8192", "disk./tmp=16914836 1048576 256");
  return report + "probe.user_names=2\nprobe.memory_file=1\nprobe.loopback=101\n";
}

Reading reading_of(const std::string& report, Control control, const policy::Spec& spec) {
  for (Reading& reading : read_report(parse_report(report), spec)) {
    if (reading.control == control) return reading;
  }
  return {control, EvidenceStatus::partial, "", ""};
}

policy::Spec strict_spec() {
  policy::Spec spec;
  spec.profile = Profile::strict;
  return spec;
}

TEST(Readings, FindTheStrictProfileInAStrictBox) {
  for (const Control control : {Control::filesystem, Control::disk, Control::syscalls}) {
    const Reading reading = reading_of(strict_report(), control, strict_spec());
    EXPECT_EQ(reading.status, EvidenceStatus::enforced) << reading.applied;
  }
}

TEST(Readings, MissTheStrictProfileWhereAnyPartOfItIsNotThere) {  // C-12
  const std::pair<Control, std::pair<std::string, std::string>> weakenings[] = {
      {Control::filesystem, {"/work rw,nosuid,nodev,noexec", "/work rw,nosuid,nodev"}},
      {Control::filesystem, {"probe.user_names=2", "probe.user_names=0"}},
      {Control::filesystem,
       {"mount=31",
        "mount=30 26 0:32 / /tmp rw,nosuid,nodev,noexec - tmpfs t "
        "rw,size=65536k,nr_inodes=8192\nmount=31"}},
      {Control::syscalls, {"probe.memory_file=1", "probe.memory_file=22"}},
  };
  for (const auto& [control, change] : weakenings) {
    std::string report = strict_report();
    report.replace(report.find(change.first), change.first.size(), change.second);
    EXPECT_EQ(reading_of(report, control, strict_spec()).status, EvidenceStatus::not_enforced)
        << change.second;
  }
}

TEST(Readings, KnowWhetherTheLoopbackIsUp) {
  policy::Spec spec;
  spec.loopback = Loopback::up;
  const std::string good(test::kGoodReport);
  EXPECT_EQ(reading_of(good + "probe.loopback=101\n", Control::network, spec).status,
            EvidenceStatus::not_enforced);
  const Reading up = reading_of(good + "probe.loopback=0\n", Control::network, spec);
  EXPECT_EQ(up.status, EvidenceStatus::enforced);
  EXPECT_NE(up.applied.find("up within the box"), std::string::npos);
}

EvidenceStatus sharing(MountAccess access, const std::string& options) {
  policy::Spec spec;
  spec.mounts = {{"/srv/a", "/mnt/a", access}};
  const std::string line =
      options.empty() ? "" : "mount=40 26 8:1 /srv/a /mnt/a " + options + " - ext4 /dev/sda1 rw\n";
  return reading_of(std::string(test::kGoodReport) + line, Control::filesystem, spec).status;
}

TEST(Readings, WantSharedDirectoriesExactlyAsTheyWereAskedFor) {
  constexpr auto kLook = MountAccess::read_only, kWrite = MountAccess::read_write;
  EXPECT_EQ(sharing(kLook, "ro,nosuid,nodev"), EvidenceStatus::enforced);
  EXPECT_EQ(sharing(kWrite, "rw,nosuid,nodev"), EvidenceStatus::enforced);
  for (const char* const options : {"", "rw,nosuid,nodev", "ro,nodev", "ro,nosuid"}) {
    EXPECT_EQ(sharing(kLook, options), EvidenceStatus::not_enforced) << options;
  }
  EXPECT_EQ(sharing(kWrite, "rw,nosuid"), EvidenceStatus::not_enforced);
}

TEST(Readings, AdmitThatAWritableDirectoryHasNoBound) {
  policy::Spec spec;
  spec.mounts = {{"/srv/a", "/mnt/a", MountAccess::read_write}};
  EXPECT_EQ(reading_of(std::string(test::kGoodReport), Control::disk, spec).status,
            EvidenceStatus::partial);
}

struct Weakening {
  const char* name;
  Control control;
  const char* line;
  const char* instead;
};

constexpr Weakening kWeakenings[] = {
    {"another interface", Control::network, "net=    lo:", "net=  eth0: 0\nnet=    lo:"},
    {"no interface readable", Control::network, "net=    lo:", "net=    lo"},
    {"a route out", Control::network, "probe.route=101", "probe.route=0"},
    {"route not tried", Control::network, "probe.route=101\n", ""},
    {"writable root", Control::filesystem, "probe.root_write=30", "probe.root_write=0"},
    {"root only forbidden, not read-only", Control::filesystem, "probe.root_write=30",
     "probe.root_write=13"},
    {"root write not tried", Control::filesystem, "probe.root_write=30\n", ""},
    {"root mounted writable", Control::filesystem, "/ / ro,", "/ / rw,"},
    {"a host directory writable", Control::filesystem, "/usr /usr ro,", "/usr /usr rw,"},
    {"no mount of the root seen", Control::filesystem, "/ / ro,", "/ /root ro,"},
    {"a tmpfs that is not ours", Control::filesystem, "/ /tmp rw", "/ /run rw"},
    {"devices in /work", Control::filesystem, "/work rw,nosuid,nodev", "/work rw,nosuid"},
    {"set-user-id programs in /tmp", Control::filesystem, "/tmp rw,nosuid,nodev", "/tmp rw,nodev"},
    {"a size beyond the limit", Control::filesystem, "size=65536k,nr_inodes=8192,mode",
     "size=65544k,nr_inodes=8192,mode"},
    {"no size at all", Control::filesystem, "size=65536k,nr_inodes=8192,mode",
     "nr_inodes=8192,mode"},
    {"a size that is no number", Control::filesystem, "size=65536k,nr_inodes=8192,mode",
     "size=50%,nr_inodes=8192,mode"},
    {"no bound on files", Control::filesystem, "nr_inodes=8192,mode", "mode"},
    {"/work open to others", Control::filesystem, "mode=700", "mode=777"},
    {"programs in /dev/shm", Control::filesystem, "/dev/shm rw,nosuid,nodev,noexec",
     "/dev/shm rw,nosuid,nodev"},
    {"/dev open to all", Control::filesystem, "size=65536k,mode=755", "size=65536k"},
    {"/dev owned by the program", Control::filesystem, "mode=755", "mode=755,uid=65534"},
    {"real uid root", Control::privileges, "Uid:\t65534", "Uid:\t0"},
    {"saved uid root", Control::privileges, "65534\nstatus=Gid", "0\nstatus=Gid"},
    {"gid root", Control::privileges, "Gid:\t65534", "Gid:\t0"},
    {"uid unreadable", Control::privileges, "status=Uid:\t65534\t65534\t65534\t65534\n", ""},
    {"an inheritable capability", Control::privileges, "CapInh:\t0000000000000000",
     "CapInh:\t0000000000000001"},
    {"a permitted capability", Control::privileges, "CapPrm:\t0000000000000000",
     "CapPrm:\t0000000000200000"},
    {"an effective capability", Control::privileges, "CapEff:\t0000000000000000",
     "CapEff:\t0000000000200000"},
    {"a bounding capability", Control::privileges, "CapBnd:\t0000000000000000",
     "CapBnd:\t00000000a80425fb"},
    {"an ambient capability", Control::privileges, "CapAmb:\t0000000000000000",
     "CapAmb:\t0000000000000400"},
    {"new privileges", Control::privileges, "NoNewPrivs:\t1", "NoNewPrivs:\t0"},
    {"setuid worked", Control::privileges, "probe.setuid=1", "probe.setuid=0"},
    {"setuid not tried", Control::privileges, "probe.setuid=1\n", ""},
    {"no filter", Control::syscalls, "Seccomp:\t2", "Seccomp:\t0"},
    {"strict mode is not our filter", Control::syscalls, "Seccomp:\t2", "Seccomp:\t1"},
    {"user namespaces", Control::syscalls, "probe.user_namespace=1", "probe.user_namespace=0"},
    {"mounts", Control::syscalls, "probe.mount=1", "probe.mount=0"},
    {"keyrings", Control::syscalls, "probe.keyctl=1", "probe.keyctl=0"},
    {"bpf", Control::syscalls, "probe.bpf=1", "probe.bpf=22"},
    {"io_uring", Control::syscalls, "probe.io_uring=1", "probe.io_uring=0"},
    {"io_uring not tried", Control::syscalls, "probe.io_uring=1\n", ""},
    {"vsock", Control::syscalls, "probe.vsock=1", "probe.vsock=0"},
    {"alg", Control::syscalls, "probe.alg=1", "probe.alg=97"},
    {"packet", Control::syscalls, "probe.packet=1", "probe.packet=0"},
    {"clone3 with an error that libc does not fall back from", Control::syscalls, "probe.clone3=38",
     "probe.clone3=1"},
    {"groups of the host's", Control::groups, "Groups:\t ", "Groups:\t4 27"},
    {"one group beside its own", Control::groups, "Groups:\t ", "Groups:\t65534 27"},
    {"groups unreadable", Control::groups, "status=Groups:\t \n", ""},
    {"no Landlock", Control::landlock, "landlock=7\n", ""},
    {"Landlock off", Control::landlock, "landlock=7", "landlock=0"},
    {"a device file was made", Control::landlock, "device_file=13", "device_file=0"},
    {"the filter, not Landlock, refused", Control::landlock, "device_file=13", "device_file=1"},
    {"not init", Control::processes, "pid=1\n", "pid=17\n"},
    {"the host's name", Control::hostname, "hostname=lazaret", "hostname=build7"},
    {"one descriptor too many", Control::open_files, "limit.nofile=256 256",
     "limit.nofile=256 257"},
    {"descriptors unlimited", Control::open_files, "limit.nofile=256 256",
     "limit.nofile=256 18446744073709551615"},
    {"one byte too many", Control::file_size, "limit.fsize=67108864 67108864",
     "limit.fsize=67108864 67108865"},
    {"core dumps", Control::core_dumps, "limit.core=0 0", "limit.core=0 1"},
    {"core unreadable", Control::core_dumps, "limit.core=0 0\n", ""},
    {"work is no tmpfs", Control::disk, "disk./work=16914836", "disk./work=61267"},
    {"tmp too large", Control::disk, "disk./tmp=16914836 67108864", "disk./tmp=16914836 67112961"},
    {"tmp without bound", Control::disk, "disk./tmp=16914836 67108864", "disk./tmp=16914836 0"},
    {"inodes without bound", Control::disk, "disk./work=16914836 67108864 8192",
     "disk./work=16914836 67108864 0"},
    {"one inode too many", Control::disk, "disk./tmp=16914836 67108864 8192",
     "disk./tmp=16914836 67108864 8193"},
    {"shm unreadable", Control::disk, "disk./dev/shm=16914836 67108864 8192\n", ""},
};

TEST(Readings, FindEachControlNotEnforcedWhenItsFactIsWeakened) {
  for (const Weakening& weakening : kWeakenings) {
    SCOPED_TRACE(weakening.name);
    const std::string report = test::report_with(weakening.line, weakening.instead);
    ASSERT_FALSE(report.empty());
    EXPECT_EQ(status_in(report, weakening.control), EvidenceStatus::not_enforced);
  }
}

// P-57: best effort is reported as what it is.
TEST(Readings, CallAnOlderLandlockPartialAndOneThatIsNotKnown) {
  for (const char* const known : {"landlock=6", "landlock=7", "landlock=8"})
    EXPECT_EQ(status_in(test::report_with("landlock=7", known), Control::landlock),
              EvidenceStatus::enforced);
  for (const char* const other : {"landlock=1", "landlock=5", "landlock=9"})
    EXPECT_EQ(status_in(test::report_with("landlock=7", other), Control::landlock),
              EvidenceStatus::partial);
}

TEST(Readings, WeakenOneControlAtATime) {
  for (const Weakening& weakening : kWeakenings) {
    SCOPED_TRACE(weakening.name);
    const std::string report = test::report_with(weakening.line, weakening.instead);
    for (const Control control : kRead) {
      if (control == weakening.control) continue;
      EXPECT_EQ(status_in(report, control), EvidenceStatus::enforced) << name_of(control);
    }
  }
}

TEST(Readings, AllowTheLastPageAtTheBoundOfADisk) {
  EXPECT_EQ(
      status_in(test::report_with("disk./tmp=16914836 67108864", "disk./tmp=16914836 67112960"),
                Control::disk),
      EvidenceStatus::enforced);
}

TEST(Readings, AllowTheLastPageAtTheBoundOfAMount) {
  EXPECT_EQ(status_in(test::report_with("size=65536k,nr_inodes=8192,mode",
                                        "size=65540k,nr_inodes=8192,mode"),
                      Control::filesystem),
            EvidenceStatus::enforced);
}

// Of an engine's volume, which knows no nosuid.
TEST(Readings, WantPackagesMountedAndNotToBeWrittenTo) {
  policy::Spec spec;
  spec.packages = "/cache/packages";
  const auto tree_with = [&spec](const std::string& line) {
    const std::string report = std::string(test::kGoodReport) + line;
    for (const Reading& reading : read_report(parse_report(report), spec)) {
      if (reading.control == Control::filesystem) return std::pair{reading.status, reading.applied};
    }
    return std::pair{EvidenceStatus::partial, std::string("not read")};
  };
  const auto missing = tree_with("");
  EXPECT_EQ(missing.first, EvidenceStatus::not_enforced);
  EXPECT_EQ(missing.second, "/mnt/packages is not mounted");
  const std::string place = "mount=40 26 8:1 /volume /mnt/packages ";
  EXPECT_EQ(tree_with(place + "ro,relatime - ext4 /dev/sda1 rw\n").first,
            EvidenceStatus::enforced);
  EXPECT_EQ(tree_with(place + "rw,relatime - ext4 /dev/sda1 rw\n").first,
            EvidenceStatus::not_enforced);
}

TEST(Readings, TakeSocketFamiliesThatTheKernelLacksForRefused) {
  EXPECT_EQ(status_in(test::report_with("probe.vsock=1", "probe.vsock=38"), Control::syscalls),
            EvidenceStatus::enforced);
}

}  // namespace
}  // namespace lazaret::backend
