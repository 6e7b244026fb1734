#include "backend/linux/observe_mounts.hpp"

#include <cstring>
#include <initializer_list>
#include <string>

#include <gtest/gtest.h>

#include "backend/linux/observe.hpp"

// What a box has mounted, from what its mountinfo says alone (proc(5)).
namespace lazaret::backend::native {
namespace {

std::string mounted(const std::string& target, const std::string& options, const std::string& type,
                    const std::string& super = "rw") {
  return "mount=36 35 0:1 / " + target + " " + options + " - " + type + " none " + super + "\n";
}

const std::string kSpawners = mounted("/proc", "ro,nosuid", "proc");
const std::string kHiding = "rw,hidepid=ptraceable";
const std::string kOwn = mounted("/proc", "ro,nosuid,nodev,noexec", "proc", kHiding);

// Of a box that covers these, where they are.
Foundation covering(std::initializer_list<const char*> paths) {
  Foundation foundation{};
  for (const char* const path : paths)
    std::strcpy(foundation.masks[foundation.mask_count++].path.data(), path);
  return foundation;
}

Reading of_proc(const std::string& text, const Foundation& foundation = covering({})) {
  return read_proc_mounts(parse_report(text), foundation);
}

std::string wrong(const Reading& reading) {
  EXPECT_EQ(reading.source, kFromOutside);
  EXPECT_EQ(reading.status == EvidenceStatus::enforced,
            reading.applied.find("covered") != std::string::npos);
  return reading.status == EvidenceStatus::enforced ? "" : reading.applied;
}

TEST(ProcMounts, HideWhatMayNotBeLookedInto) {
  EXPECT_EQ(wrong(of_proc(kSpawners + kOwn)), "");
  EXPECT_EQ(wrong(of_proc(kOwn)), "");
  for (const char* const super : {"rw", "rw,hidepid=invisible", "rw,hidepid=noaccess"})
    EXPECT_EQ(wrong(of_proc(kSpawners + mounted("/proc", "ro", "proc", super))),
              "/proc shows the runner (hidepid)")
        << super;
}

// The one on top is what a program sees.
TEST(ProcMounts, AreJudgedByTheLastOfThem) {
  EXPECT_EQ(wrong(of_proc(kOwn + kSpawners)), "/proc shows the runner (hidepid)");
}

TEST(ProcMounts, AreThereAndReadOnly) {
  EXPECT_EQ(wrong(of_proc("")), "/proc is missing");
  EXPECT_EQ(wrong(of_proc(mounted("/", "ro", "tmpfs"))), "/proc is missing");
  EXPECT_EQ(wrong(of_proc(kSpawners + mounted("/proc", "rw", "proc", kHiding))),
            "/proc is writable");
  EXPECT_EQ(wrong(of_proc(mounted("/proc", "rw", "proc") + kOwn)), "/proc is writable");
}

TEST(ProcMounts, CoverWhatThisKernelHas) {
  const Foundation foundation = covering({"/proc/version", "/proc/no-such-entry"});
  EXPECT_EQ(wrong(of_proc(kOwn, foundation)), "/proc/version is open");
  const std::string writable = mounted("/proc/version", "rw", "tmpfs");
  EXPECT_EQ(wrong(of_proc(kOwn + writable, foundation)), "/proc/version is open");
  EXPECT_EQ(wrong(of_proc(kOwn + mounted("/proc/version", "ro", "tmpfs"), foundation)), "");
}

std::string of_scratch(const std::string& text, Profile profile = Profile::standard) {
  const Reading reading = read_scratch_mounts(parse_report(text), profile);
  EXPECT_EQ(reading.control, Control::disk);
  return reading.status == EvidenceStatus::enforced ? "" : reading.applied;
}

TEST(ScratchMounts, AreFileSystemsOfTheBoxsOwn) {
  const std::string work = mounted("/work", "rw", "tmpfs"), tmp = mounted("/tmp", "rw", "tmpfs"),
                    shared = mounted("/dev/shm", "rw", "tmpfs");
  EXPECT_EQ(of_scratch(work + tmp + shared), "");
  EXPECT_EQ(of_scratch(tmp + shared), "/work is no file system of its own");
  EXPECT_EQ(of_scratch(work + shared), "/tmp is no file system of its own");
  EXPECT_EQ(of_scratch(work + tmp), "/dev/shm is no file system of its own");
  EXPECT_EQ(of_scratch(mounted("/work", "rw", "ext4") + tmp + shared),
            "/work is no file system of its own");
  EXPECT_EQ(of_scratch(work + shared, Profile::strict), "");
}

}  // namespace
}  // namespace lazaret::backend::native
