#!/usr/bin/env bash
# Small virtual machines (L-34, L-41) for what this machine's kernel may not have: a usable cgroup
# v2, version 1 alone, refused user namespaces, no Landlock. Emulated by qemu, no KVM and no root
# needed.
#
#   vm.sh run MACHINE LAZARET RESULTS FAULTS   boots it once, runs all cases of tests/vm/MACHINE.py
#   vm.sh verdict RESULTS CASE                 what one of them said; 77 when there is no machine
#   vm.sh shell [MACHINE] [LAZARET]            with a shell in place of the cases; Ctrl-a x ends it
#   vm.sh bench REPORT ROUNDS                  how fast a box is where a kernel has all that can be
#                                              asked of it; 77 when there is no machine
#
# Machines: unified (cgroup v2), legacy (cgroup v1), bare (no Landlock), systemd (this system's),
# complete (a kernel of the backports, with cgroup v2 and a Landlock that holds signals too).
# What is downloaded and packed stays in build/vm; what a run makes is removed when it ends,
# however that happens.
set -euo pipefail

tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/tools/common.sh
source "$tools/common.sh"

readonly CACHE=$LAZARET_ROOT/build/vm
readonly CASES=$LAZARET_ROOT/tests/vm
readonly SKIP=77
# So that it ends at all: the slowest of them takes two minutes on two slow processors.
readonly BOUND_SECONDS=840
readonly MODULES=(virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci
  virtio_blk)
readonly LIBRARIES_LEFT_OUT=(test idlelib lib2to3 tkinter turtledemo pydoc_data distutils
  ensurepip config-'*')
bed=""
kernel=""  # where that of the machine lies
results=""

# Skipped where the machine cannot be, failed where LAZARET_REQUIRE says that it must.
unavailable() {
  echo "vm: $*"
  [[ ,${LAZARET_REQUIRE:-}, != *,vm,* ]] || exit 1
  [[ -z $results ]] || printf '{"skipped": "vm: %s"}\n' "${*//[\"\\]/}" >"$results"
  exit "$SKIP"
}

finish() {
  local status=$?
  trap '' INT TERM
  trap - EXIT
  end_worker
  [[ -z $bed ]] || rm -rf "$bed"
  exit "$status"
}

check_host() {
  local tool
  local -a tools=(qemu-system-x86_64 busybox dpkg-deb apt-get setpriv newuidmap newgidmap
    /usr/bin/python3)
  [[ $1 != complete ]] || tools+=(xz)
  [[ $1 != systemd ]] || tools+=(/usr/lib/systemd/systemd-logind systemd-run dbus-daemon)
  [[ $(uname -m) == x86_64 ]] || unavailable "the machine is made for x86_64, this is $(uname -m)"
  for tool in "${tools[@]}"; do
    command -v "$tool" >/dev/null || unavailable "$tool is not installed"
  done
}

# suite_of MACHINE: where in this system's archive its kernel is.
suite_of() { [[ $1 == complete ]] && echo backports || echo stable; }

# know_backports DIRECTORY: apt's options to look there alone, which leave this system as it is.
know_backports() {
  local codename uri
  codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  # shellcheck disable=SC2016
  uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' \
    "Codename: $codename" | sed -n 1p)
  mkdir -p "$1"/{lists/partial,cache}
  echo "deb $uri $codename-backports main" >"$1/sources.list"
  apt=(-o "Dir::Etc::SourceList=$1/sources.list" -o Dir::Etc::SourceParts=-
    -o "Dir::State::Lists=$1/lists" -o "Dir::Cache=$1/cache")
  apt-get "${apt[@]}" update --error-on=any >"$CACHE/download.log" 2>&1 && return
  # Not every mirror has them: nobody can require what they hold.
  ! grep -q 'does not have a Release file' "$CACHE/download.log" || LAZARET_REQUIRE=""
  unavailable "the backports cannot be had: $(tail -n 1 "$CACHE/download.log")"
}

# Debian's kernel for clouds: small, and with everything built in but the disk.
# fetch_kernel SUITE
fetch_kernel() {
  local work=$CACHE/download package module
  local -a apt=()
  [[ ! -s $kernel/vmlinuz ]] || return 0
  rm -rf "$work" "$kernel"
  mkdir -p "$work" "$kernel/modules"
  [[ $1 != backports ]] || know_backports "$work/apt"
  package=$(apt-cache "${apt[@]}" depends linux-image-cloud-amd64 2>/dev/null |
    awk '$1 == "Depends:" && $2 ~ /^linux-image-/ {print $2; exit}')
  [[ -n $package ]] || unavailable "apt knows no linux-image-cloud-amd64"
  (cd "$work" && apt-get "${apt[@]}" download "$package" && dpkg-deb -x ./*.deb .) \
    >"$CACHE/download.log" 2>&1 ||
    unavailable "the kernel could not be downloaded: $(tail -n 1 "$CACHE/download.log")"
  for module in "${MODULES[@]}"; do
    find "$work/lib/modules" -name "$module.ko*" -exec cp {} "$kernel/modules" \;
  done
  find "$kernel/modules" -name '*.xz' -exec xz -d {} +
  mv "$work"/boot/vmlinuz-* "$kernel/vmlinuz"
  rm -rf "$work"
}

# pack DIRECTORY: its content as an archive that the kernel unpacks, owned by root.
pack() { (cd "$1" && find . | busybox cpio -o -H newc -R 0:0 2>/dev/null); }

# add_libraries PATH ROOT: what it is linked to. /lib is a link into /usr here and there.
add_libraries() {
  local library target
  { ldd "$1" 2>/dev/null || true; } | awk '/=> \// {print $3} $1 ~ /^\/.*ld-/ {print $1}' |
    while read -r library; do
      target=$2/usr/${library#/usr/}
      mkdir -p "${target%/*}"
      cp -nL "$library" "$target"
    done
}

# add_program PATH ROOT: a program of this system.
add_program() {
  cp -L "$1" "$2/usr/bin/"
  add_libraries "$1" "$2"
}

# add_in_place PATH ROOT: a file of this system's /usr, where it lies here.
add_in_place() {
  mkdir -p "$2${1%/*}"
  cp -L "$1" "$2$1"
  add_libraries "$1" "$2"
}

add_python() {
  local root=$1 home name
  local -a left_out=()
  home=$(/usr/bin/python3 -I -S -c 'import os; print(os.path.dirname(os.__file__))')
  for name in "${LIBRARIES_LEFT_OUT[@]}"; do left_out+=(--exclude "./$name"); done
  mkdir -p "$root$home"
  tar -C "$home" "${left_out[@]}" -cf - . | tar -C "$root$home" -xf -
  add_program /usr/bin/python3 "$root"
  for name in _bz2 _ctypes _lzma _sqlite3; do
    add_libraries "$home/lib-dynload/$name".*.so "$root"
  done
  mkdir -p "$root/usr/lib/locale"
  cp -r /usr/lib/locale/C.utf8 "$root/usr/lib/locale/"
}

# Everything but what is being tested; made anew when a package has changed.
make_userland() {
  local root=$CACHE/root packed=$CACHE/userland.cpio name
  [[ $packed -nt /var/lib/dpkg/status && $packed -nt ${BASH_SOURCE[0]} ]] && return 0
  rm -rf "$root"
  mkdir -p "$root"/{dev,etc,mnt,proc,root,sys,tmp,usr/bin,usr/lib,usr/lib64}
  for name in bin lib lib64; do ln -s "usr/$name" "$root/$name"; done
  ln -s bin "$root/usr/sbin"
  echo 'root:x:0:0::/root:/bin/sh
messagebus:x:100:100::/:/bin/false
user:x:1000:1000::/tmp:/bin/sh' >"$root/etc/passwd"
  add_program "$(command -v busybox)" "$root"
  add_program /bin/bash "$root"
  for name in newuidmap newgidmap; do
    add_program "$(command -v "$name")" "$root"
    chmod 4755 "$root/usr/bin/$name"
  done
  for name in $(busybox --list); do
    [[ -e $root/usr/bin/$name ]] || ln -s busybox "$root/usr/bin/$name"
  done
  add_python "$root"
  pack "$root" >"$packed.new"
  mv "$packed.new" "$packed"
  rm -rf "$root"
}

# The service manager of this system, the message bus and the login manager, with the few units
# that a user's own manager needs; tests/vm/systemd adds what is ours.
make_systemd() {
  local root=$CACHE/systemd packed=$CACHE/systemd.cpio name
  local lib=/usr/lib/systemd units=/usr/lib/systemd/system
  [[ $packed -nt /var/lib/dpkg/status && $packed -nt ${BASH_SOURCE[0]} ]] && return 0
  rm -rf "$root"
  mkdir -p "$root"/{run,var/lib/dbus}
  for name in "$lib"/systemd{,-logind,-user-runtime-dir} \
    /usr/bin/{dbus-daemon,systemctl,systemd-run} \
    "$units"/*.{target,slice} "$units"/{dbus,systemd-logind}.service "$units"/dbus.socket \
    "$units"/user{,-runtime-dir}@.service "$lib"/user/*.{target,slice} \
    /usr/share/dbus-1/system.conf /usr/share/dbus-1/system.d/org.freedesktop.*1.conf \
    /usr/lib/x86_64-linux-gnu/security/pam_{permit,systemd}.so \
    /usr/lib/x86_64-linux-gnu/libsystemd.so.0; do
    add_in_place "$name" "$root"
  done
  pack "$root" >"$packed.new"
  mv "$packed.new" "$packed"
  rm -rf "$root"
}

# Two machines may be started at once; one of them prepares.
prepare() {
  check_host "$1"
  kernel=$CACHE/$(suite_of "$1")
  mkdir -p "$CACHE"
  exec 9>"$CACHE/lock"
  flock 9
  fetch_kernel "$(suite_of "$1")"
  make_userland
  [[ $1 != systemd ]] || make_systemd
  exec 9>&-
}

# What is tested goes into an archive of its own; the kernel unpacks one after the other.
make_initrd() {
  local machine=$1 lazaret=$2 faults=${3:-} root=$bed/root
  local -a parts=("$CACHE/userland.cpio")
  mkdir -p "$root/usr/bin" "$root/vm"
  if [[ $machine == systemd ]]; then
    parts+=("$CACHE/systemd.cpio")
    cp -r "$CASES/systemd/." "$root/"
    cp -r "$LAZARET_ROOT/config/systemd" "$root/vm/units"
  fi
  [[ $machine != @(systemd|complete) ]] || add_program "${lazaret%/*}/lazaret-serve" "$root"
  add_program "$lazaret" "$root"
  [[ ${lazaret##*/} == lazaret ]] || mv "$root/usr/bin/${lazaret##*/}" "$root/usr/bin/lazaret"
  cp -r "$kernel/modules" "$root/modules"
  cp -r "$CASES"/{bed.py,cases,cases.sh} "$root/vm/"
  [[ -z $faults ]] || cp "$faults" "$root/vm/faults.so"
  [[ -z ${with_bench:-} ]] || add_bench "$root"
  cp "$CASES/init" "$root/init"
  { cat "${parts[@]}" && pack "$root"; } >"$bed/initrd"
  rm -rf "$root"
  truncate -s 128M "$bed/swap"
  truncate -s 64M "$bed/disk"
}

# add_bench ROOT: the bench and what it starts, where they lie here, and its peer.
add_bench() {
  local name
  for name in bin/lazaret bin/lazaret-serve tests/bench/lazaret_bench; do
    mkdir -p "$1$LAZARET_ROOT/build/test/${name%/*}"
    cp "$LAZARET_ROOT/build/test/$name" "$1$LAZARET_ROOT/build/test/$name"
    add_libraries "$LAZARET_ROOT/build/test/$name" "$1"
  done
  ln -s "$LAZARET_ROOT/build/test/tests/bench/lazaret_bench" "$1/vm/lazaret_bench"
  add_program "$(command -v bwrap)" "$1"
  add_program /usr/bin/true "$1"
}

# options_of MACHINE: for the kernel's command line.
options_of() {
  case $1 in
    unified | complete) ;;
    legacy) echo "lazaret.cgroups=1" ;;
    bare) echo "lsm=lockdown,yama,apparmor" ;;
    systemd) echo "lazaret.init=systemd systemd.unit=cases.service systemd.show_status=0" ;;
    *) die "no machine $1; there are: unified, legacy, bare, systemd, complete" ;;
  esac
}

# The kernel panics when the timer of a machine that is emulated slowly seems broken to it. The
# processor is a plain one: what newer ones have beside it costs an emulator a fifth of its time. It
# has no cmpxchg16b, whose flags qemu 7.2 spoils where a newer kernel uses it without a lock.
# boot SECONDS KERNEL_OPTIONS QEMU_OPTION…: takes the place of the subshell that calls it, and is
# told to end when this script does, even by SIGKILL.
boot() {
  local bound=$1 options=$2
  shift 2
  exec setpriv --pdeathsig TERM timeout --foreground -k 5 "$bound" qemu-system-x86_64 \
    -accel tcg -cpu qemu64,-cx16 -smp 2 -m 768 \
    -nodefaults -no-user-config -no-reboot -display none \
    -kernel "$kernel/vmlinuz" -initrd "$bed/initrd" \
    -drive "file=$bed/swap,if=virtio,format=raw" \
    -drive "file=$bed/disk,if=virtio,format=raw" \
    -append "console=ttyS0 panic=-1 quiet no_timer_check $options" "$@"
}

# What a run that was killed has left goes first.
new_bed() {
  local left pid
  prepare "$1"
  for left in "$CACHE"/run.*; do
    pid=${left##*/run.}
    [[ ! -d $left || -d /proc/${pid%.*} ]] || rm -rf "$left"
  done
  bed=$(mktemp -d "$CACHE/run.$$.XXXXXX")
  make_initrd "$@"
}

run() {
  local machine=$1 lazaret=$2 options
  results=$3
  options=$(options_of "$machine")
  rm -f "$results"
  new_bed "$machine" "$lazaret" "$4"
  in_group boot "$BOUND_SECONDS" "$options lazaret.cases=$machine" -serial "file:$bed/console" \
    -serial "file:$bed/results" || say "the machine did not end by itself"
  cat "$bed/console"
  mv "$bed/results" "$results"
  grep -q '^{"end"' "$results" || {
    echo "vm: the machine did not come to the end of its cases"
    return 1
  }
}

bench() {
  local report=$1 rounds=$2 with_bench=yes
  command -v bwrap >/dev/null || unavailable "bwrap is not installed"
  new_bed complete "$LAZARET_ROOT/build/test/bin/lazaret"
  in_group boot "$BOUND_SECONDS" "lazaret.bench=$rounds" -serial "file:$bed/console" \
    -serial "file:$bed/report" || say "the machine did not end by itself"
  tail -n 40 "$bed/console" >&2
  python3 -m json.tool "$bed/report" >"$report" || die "the machine gave no report"
}

verdict() {
  /usr/bin/python3 "$CASES/verdict.py" "$1" "$2"
}

shell() {
  local machine=${1:-unified} lazaret=${2:-$LAZARET_ROOT/build/test/bin/lazaret}
  new_bed "$machine" "$lazaret"
  (boot infinity "$(options_of "$machine")" -serial mon:stdio -serial null)
}

main() {
  local action=${1:-}
  [[ $action =~ ^(run|verdict|shell|bench)$ ]] ||
    die "usage: vm.sh run MACHINE LAZARET RESULTS FAULTS | verdict RESULTS CASE | shell [MACHINE]" \
      "| bench REPORT ROUNDS"
  trap finish EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  shift
  "$action" "$@"
}

main "$@"
