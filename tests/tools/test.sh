#!/usr/bin/env bash
# All tests of build/test, against a Docker and a Podman started for them. `./quickstart test`.
#
#   test.sh [-- CTEST ARGUMENTS…]
#
# Leaves nothing behind, however it ends; what is left all the same counts as a failed test.
set -euo pipefail

tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/tools/common.sh
source "$tools/common.sh"
# shellcheck source=tests/tools/report.sh
source "$tools/report.sh"

readonly TEST_PACKAGES=(libgtest-dev libgmock-dev libpython3.11-testsuite docker.io podman runc
  uidmap mmdebstrap bubblewrap strace ca-certificates)
# For tests/tools/vm.sh, whose machine is a Debian on x86_64.
readonly VM_PACKAGES=(qemu-system-x86 busybox-static)
readonly TREE=$LAZARET_ROOT/build/test
bed=""
stage="setting up"

# Whatever way this ends: the engines go first, then the count that includes what they left.
finish() {
  local status=$?
  trap '' INT TERM
  trap - EXIT
  end_worker
  [[ $status -eq 0 ]] || count_failure "ended while $stage"
  [[ -z $bed ]] || "$tools/engines.sh" stop "$bed" ||
    count_failure "this run left something behind, see above"
  print_total
  [[ $failed -eq 0 ]] || exit 1
}

is_vm_host() { [[ $(uname -m) == x86_64 ]] && grep -qx 'ID=debian' /etc/os-release; }

install_packages() {
  local -a wanted=("${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}")
  command -v node >/dev/null || wanted+=(nodejs)
  ! is_vm_host || wanted+=("${VM_PACKAGES[@]}")
  ensure_packages "${wanted[@]}"
}

require() { LAZARET_REQUIRE=${LAZARET_REQUIRE:+$LAZARET_REQUIRE,}$1; }

# Without root there are no private engines: the tests that need them skip and say so.
start_engines() {
  local line sockets
  if [[ $(id -u) -ne 0 ]]; then
    say "not root: tests that need Docker or Podman will be skipped"
    return 0
  fi
  bed=$(mktemp -d /tmp/lazaret-test.XXXXXX)
  sockets=$("$tools/engines.sh" start "$bed") || count_failure "an engine did not start, see above"
  while IFS= read -r line; do
    case $line in
      docker=*) export LAZARET_TEST_DOCKER=${line#docker=} ;;
      podman=*) export LAZARET_TEST_PODMAN=${line#podman=} ;;
    esac
    [[ -z $line ]] || require "${line%%=*}"
  done <<<"$sockets"
}

build_images() {
  local host
  for host in ${LAZARET_TEST_DOCKER:-} ${LAZARET_TEST_PODMAN:-}; do
    say "building the images into $host"
    in_group "$TREE/bin/lazaret" images build --host "$host" --with-tests \
      --cache "$LAZARET_ROOT/build/rootfs" all ||
      count_failure "images could not be built into $host"
  done
}

# What this machine must be able to do; a test that skips for one of these fails instead.
state_requirements() {
  require native
  require python
  ! command -v node >/dev/null || require node
  ! is_vm_host || ! command -v qemu-system-x86_64 >/dev/null || require vm
  export LAZARET_REQUIRE
  say "required here: $LAZARET_REQUIRE"
}

run_tests() {
  local results=$TREE/results.xml status=0
  rm -f "$results"
  in_group ctest --test-dir "$TREE" --output-junit "$results" --no-tests=error \
    --parallel "$LAZARET_JOBS" --test-output-size-passed 16384 "$@" || status=$?
  count_junit "$results" || return 0
  [[ $status -eq 0 ]]
}

main() {
  [[ ${1:-} != -- ]] || shift
  trap finish EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  stage="installing packages"
  install_packages
  stage="building build/test"
  in_group build_tree test
  stage="starting the engines"
  start_engines
  state_requirements
  stage="building the images"
  build_images
  stage="running ctest"
  run_tests "$@"
}

main "$@"
