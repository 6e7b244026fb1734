#pragma once

#include <string>
#include <string_view>

#include "policy/spec.hpp"

namespace lazaret::backend::test {

/// What a runner reports from a box in which everything holds, with the default limits.
inline constexpr std::string_view kGoodReport =
    "pid=1\n"
    "status=Name:\trunner\n"
    "status=State:\tR (running)\n"
    "status=Uid:\t65534\t65534\t65534\t65534\n"
    "status=Gid:\t65534\t65534\t65534\t65534\n"
    "status=Groups:\t \n"
    "status=CapInh:\t0000000000000000\n"
    "status=CapPrm:\t0000000000000000\n"
    "status=CapEff:\t0000000000000000\n"
    "status=CapBnd:\t0000000000000000\n"
    "status=CapAmb:\t0000000000000000\n"
    "status=NoNewPrivs:\t1\n"
    "status=Seccomp:\t2\n"
    "limit.nofile=256 256\n"
    "limit.fsize=67108864 67108864\n"
    "limit.core=0 0\n"
    "net=Inter-|   Receive                                                |  Transmit\n"
    "net= face |bytes    packets errs drop fifo frame compressed multicast|bytes\n"
    "net=    lo:       0       0    0    0    0     0          0         0\n"
    "disk./work=16914836 67108864 8192\n"
    "disk./tmp=16914836 67108864 8192\n"
    "disk./dev/shm=16914836 67108864 8192\n"
    "hostname=lazaret\n"
    "mount=26 1 0:25 / / ro,nosuid,nodev,relatime - tmpfs tmpfs ro,size=4k\n"
    "mount=27 26 8:1 /usr /usr ro,nosuid,nodev,relatime master:1 - ext4 /dev/sda1 rw\n"
    "mount=28 26 0:30 / /work rw,nosuid,nodev - tmpfs tmpfs "
    "rw,size=65536k,nr_inodes=8192,mode=700,uid=65534,gid=65534\n"
    "mount=30 26 0:32 / /tmp rw,nosuid,nodev - tmpfs tmpfs rw,size=65536k,nr_inodes=8192\n"
    "mount=31 26 0:33 / /dev rw,nosuid - tmpfs tmpfs rw,size=65536k,mode=755\n"
    "mount=32 31 0:34 / /dev/shm rw,nosuid,nodev,noexec - tmpfs tmpfs "
    "rw,size=65536k,nr_inodes=8192\n"
    "mount=29 26 0:31 / /proc rw,nosuid,nodev,noexec,relatime - proc proc rw\n"
    "probe.route=101\n"
    "probe.root_write=30\n"
    "landlock=7\n"
    "probe.device_file=13\n"
    "probe.vsock=1\n"
    "probe.alg=1\n"
    "probe.packet=1\n"
    "probe.io_uring=1\n"
    "probe.clone3=38\n"
    "probe.keyctl=1\n"
    "probe.bpf=1\n"
    "probe.mount=1\n"
    "probe.user_namespace=1\n"
    "probe.setuid=1\n";

/// The good report with one line changed; a line that is not there is a bug in the test.
[[nodiscard]] inline std::string report_with(std::string_view line, std::string_view instead) {
  std::string text(kGoodReport);
  const std::size_t at = text.find(line);
  if (at == std::string::npos) return "";
  return text.replace(at, line.size(), instead);
}

}  // namespace lazaret::backend::test
