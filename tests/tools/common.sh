# shellcheck shell=bash
# What quickstart and the scripts in tests/tools share: words for the user, packages, builds.

# LAZARET_ROOT: the checkout this file lies in.
LAZARET_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly LAZARET_ROOT
LAZARET_JOBS=${LAZARET_JOBS:-$(nproc 2>/dev/null || echo 2)}

# shellcheck disable=SC2034 # used by those who source this file
readonly BUILD_PACKAGES=(g++ cmake ninja-build pkg-config ccache libboost1.81-dev
  nlohmann-json3-dev libcli11-dev libyaml-cpp-dev libseccomp-dev libssl-dev libsqlite3-dev
  prometheus-cpp-dev musl-dev python3)

# shellcheck disable=SC2034 # as above
readonly ENGINE_PACKAGES=(docker.io podman runc uidmap mmdebstrap ca-certificates)
# For tests/tools/vm.sh, whose machine is a Debian on x86_64.
# shellcheck disable=SC2034 # as above
readonly VM_PACKAGES=(qemu-system-x86 busybox-static systemd dbus libpam-systemd xz-utils)
is_vm_host() { [[ $(uname -m) == x86_64 ]] && grep -qx 'ID=debian' /etc/os-release; }

say() { printf 'lazaret: %s\n' "$*" >&2; }
die() {
  say "error: $*"
  exit 1
}

# in_group COMMAND…: runs it in a process group of its own, so that end_worker can end all of it
# when this script is told to stop. What it prints goes to stderr; do not redirect the call itself,
# a trap would run with that redirection.
worker=""
in_group() {
  local status=0
  set -m
  "$@" </dev/null >&2 &
  worker=$!
  set +m
  wait "$worker" || status=$?
  worker=""
  return "$status"
}

end_worker() {
  [[ -n $worker ]] || return 0
  kill -TERM -- "-$worker" 2>/dev/null || return 0
  for _ in {1..50}; do
    kill -0 -- "-$worker" 2>/dev/null || return 0
    sleep 0.1
  done
  kill -KILL -- "-$worker" 2>/dev/null || true
}

# Prints those of the given packages that are not installed, one per line.
missing_packages() {
  local package
  for package in "$@"; do
    case $(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null) in
      ?i*) ;;
      *) echo "$package" ;;
    esac
  done
}

# Lists older than a day name files that the mirrors may have dropped.
package_lists_are_fresh() {
  [[ -n $(find /var/lib/apt/lists -maxdepth 1 -name '*Packages*' -mmin -1440 -print -quit \
    2>/dev/null) ]]
}

# Engines installed here must not start as the machine's own: policy-rc.d answers 101 meanwhile, and
# goes whatever way this ends.
apt_install() (
  policy=/usr/sbin/policy-rc.d
  if [[ ! -e $policy ]]; then
    trap 'rm -f "$policy"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 0755 "$policy"
  fi
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >&2
)

update_package_lists() {
  say "refreshing the package lists"
  apt-get update >&2 || say "apt-get update failed; going on with the lists that are here"
}

# Installs what is missing of the given packages; does not touch apt when nothing is.
ensure_packages() {
  local -a missing
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "not a Debian or Ubuntu machine: going on with what is installed here"
    say "needed are the equivalents of: $*"
    return 0
  fi
  mapfile -t missing < <(missing_packages "$@")
  [[ ${#missing[@]} -gt 0 ]] || return 0
  if [[ $(id -u) -ne 0 ]]; then
    say "packages are missing and this user cannot install them; as root, run"
    say "  apt-get install --no-install-recommends ${missing[*]}"
    say "going on with what is installed here"
    return 0
  fi
  say "installing ${missing[*]}"
  package_lists_are_fresh || update_package_lists
  apt_install "${missing[@]}" && return 0
  update_package_lists
  apt_install "${missing[@]}" ||
    die "apt-get could not install ${missing[*]}; its messages are above"
}

# What another checkout of the same files compiled serves this one, headers read ahead included.
use_ccache() {
  command -v ccache >/dev/null || return 0
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_SLOPPINESS=pch_defines,time_macros
  export CCACHE_BASEDIR=$LAZARET_ROOT CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1 CCACHE_DEPEND=1
}

# configure_tree PRESET: makes build/PRESET ready when it is new, or the presets are.
configure_tree() {
  use_ccache
  [[ $LAZARET_ROOT/build/$1/build.ninja -nt $LAZARET_ROOT/CMakePresets.json ]] ||
    (cd "$LAZARET_ROOT" && cmake --preset "$1") >&2
}

# build_tree PRESET [TARGET…]: all of build/PRESET, or the targets named.
build_tree() {
  local preset=$1
  shift
  configure_tree "$preset" || return 1
  cmake --build "$LAZARET_ROOT/build/$preset" --parallel "$LAZARET_JOBS" \
    ${1+--target "$@"} >&2
}

# Whether a box has a program of this name.
in_a_box() { PATH=/usr/local/bin:/usr/bin:/bin type -P "$1" >/dev/null; }

# own_mounts ARGUMENT…: begins the script anew where it and those whom it starts alone see what they
# mount, and where that ends with them: engines.sh can then cover the machine's own places.
own_mounts() {
  [[ $(id -u) -eq 0 && -z ${LAZARET_OUTER_MOUNTS:-} ]] || return 0
  unshare --mount --propagation slave true 2>/dev/null || return 0
  LAZARET_OUTER_MOUNTS=$(readlink /proc/self/ns/mnt) || return 0
  export LAZARET_OUTER_MOUNTS
  exec unshare --mount --propagation slave "$BASH" "$0" "$@"
}

# own_places: directories for what is kept and what is made for a moment by everything started from
# here on, so that nothing of it is among the user's own, whoever is killed. Ordinary users run
# programs here, too. The path is short: a socket's has 107 bytes, and tests add 40.
places=""
own_places() {
  places=$(mktemp -d /tmp/lazaret.XXXXXX)
  mkdir "$places"/{state,tmp}
  chmod 0755 "$places"
  chmod 1777 "$places/tmp"
  export XDG_STATE_HOME=$places/state TMPDIR=$places/tmp
  unset TEST_TMPDIR # googletest's word for it, which would be heard first
}

# Fails when they cannot be removed.
drop_places() {
  [[ -n $places ]] || return 0
  rm -rf --one-file-system "$places"
}

# start_engines DIR [ENGINE…]: private engines there. Those that answer are named by
# LAZARET_TEST_DOCKER, LAZARET_TEST_PODMAN and LAZARET_TEST_REGISTRY from then on; fails when one
# does not.
start_engines() {
  local line sockets status=0
  sockets=$("$LAZARET_ROOT/tests/tools/engines.sh" start "$@") || status=$?
  while IFS= read -r line; do
    case $line in
      docker=*) export LAZARET_TEST_DOCKER=${line#docker=} ;;
      podman=*) export LAZARET_TEST_PODMAN=${line#podman=} ;;
      registry=*) export LAZARET_TEST_REGISTRY=${line#registry=} ;;
    esac
  done <<<"$sockets"
  return "$status"
}
