#!/usr/bin/env bash
# All tests of build/test, against a Docker and a Podman started for them. `./quickstart test`.
#
#   test.sh [-- CTEST ARGUMENTS…]
#
# Leaves nothing behind, however it ends; what is left all the same counts as a failed test.
# LAZARET_MORE="go java rust": what these languages need is installed, their images are built
# instead of the others, and tests that want them fail instead of skipping.
set -euo pipefail

tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/tools/common.sh
source "$tools/common.sh"
# shellcheck source=tests/tools/deno.sh
source "$tools/deno.sh"
# shellcheck source=tests/tools/report.sh
source "$tools/report.sh"

readonly TEST_PACKAGES=(libgtest-dev libgmock-dev libpython3.11-testsuite bubblewrap strace
  docker-registry docker-compose python3-matplotlib python3-pandas python3-pip)
readonly MORE_PACKAGES=(golang-go openjdk-17-jdk-headless rustc)
readonly TREE=$LAZARET_ROOT/build/test
read -ra more <<<"${LAZARET_MORE:-}"
# They wait for the engines half of their time.
at_once=$((2 * LAZARET_JOBS))
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
  drop_places || count_failure "this run left something behind in $places"
  print_total
  [[ $failed -eq 0 ]] || exit 1
}

install_packages() {
  local -a wanted=("${BUILD_PACKAGES[@]}" "${ENGINE_PACKAGES[@]}"
    "${TEST_PACKAGES[@]}")
  command -v node >/dev/null || wanted+=(nodejs)
  ! is_vm_host || wanted+=("${VM_PACKAGES[@]}")
  ((${#more[@]} == 0)) || wanted+=("${MORE_PACKAGES[@]}")
  ensure_packages "${wanted[@]}"
}

require() { LAZARET_REQUIRE=${LAZARET_REQUIRE:+$LAZARET_REQUIRE,}$1; }

# Without root there are no private engines: the tests that need them skip and say so.
own_engines() {
  if [[ $(id -u) -ne 0 ]]; then
    say "not root: tests that need Docker or Podman will be skipped"
    return 0
  fi
  bed=$(mktemp -d /tmp/lazaret-test.XXXXXX)
  start_engines "$bed" registry docker podman || count_failure "an engine did not start, see above"
  [[ -z ${LAZARET_TEST_DOCKER:-} ]] || require docker
  [[ -z ${LAZARET_TEST_PODMAN:-} ]] || require podman
  [[ -z ${LAZARET_TEST_REGISTRY:-} ]] || require registry
  [[ -z ${LAZARET_TEST_DOCKER:-}${LAZARET_TEST_PODMAN:-} ]] || require_of_engines
}

# What this script does to engines of its own.
require_of_engines() {
  require own_engine
  require images
}

# The images of these names, into every engine.
build_images_of() {
  local host status=0
  for host in ${LAZARET_TEST_DOCKER:-} ${LAZARET_TEST_PODMAN:-}; do
    say "building images into $host: $*"
    "$TREE/bin/lazaret" images build --host "$host" --with-tests \
      --cache "$LAZARET_ROOT/build/rootfs" "$@" || status=$?
  done
  return "$status"
}

# Not those of go, java and rust, which take longer to fill than all their tests: on an engine these
# skip and say so, and `./quickstart check languages` has them. Two at a time, of about one size.
build_images() {
  local status=0 others
  local -a last=(c)
  if ((${#more[@]} > 0)); then
    build_images_of "${more[@]}"
    return
  fi
  ! in_a_box deno || last+=(deno)
  build_images_of bash python "${last[@]}" &
  others=$!
  build_images_of node cpp || status=$?
  wait "$others" || status=$?
  return "$status"
}

# The images wait for the disk and for packages more than they compute.
build_tests_and_images() {
  local status=0 images
  build_images &
  images=$!
  build_tree test || status=$?
  wait "$images" || status=$?
  return "$status"
}

# Whether root's own cgroup of version 2 is one that is mounted here.
is_in_cgroup2() {
  local root own
  root=$(awk '/ - cgroup2 / {print $4; exit}' /proc/self/mountinfo)
  own=$(sed -n 's/^0:://p' /proc/self/cgroup)
  [[ $(id -u) -eq 0 && -n $root && $own/ == "${root%/}"/* && $own != *..* ]]
}

# What the tests ask of a machine beside languages and engines, where this one has it.
require_of_machine() {
  [[ $(id -u) -ne 0 ]] || require root
  ! is_in_cgroup2 || require cgroup2
  [[ $(uname -m) != x86_64 ]] || { require x86_64 && require ptrace; }
  [[ ! -e /usr/bin/newuidmap || ! -e /etc/subuid || ! -e /etc/subgid ]] || require uidmap
  ! in_a_box bwrap || require bubblewrap
  ! PATH=/usr/local/bin:/usr/bin:/bin python3 -c 'import test.test_json' 2>/dev/null ||
    require stdlib
  ! PATH=/usr/local/bin:/usr/bin:/bin python3 -c 'import matplotlib, pandas' 2>/dev/null ||
    require matplotlib
  ! PATH=/usr/local/bin:/usr/bin:/bin python3 -c 'import pip' 2>/dev/null || require pip
  ! in_a_box npm || require npm
  [[ $(id -u) -ne 0 ]] || ! command -v docker-compose >/dev/null || require compose
  ! is_vm_host || ! command -v qemu-system-x86_64 >/dev/null || require vm
}

# What this machine must be able to do; a test that skips for one of these fails instead.
state_requirements() {
  local language
  for language in native python bash sh c cpp "${more[@]}"; do require "$language"; done
  ! in_a_box node || require javascript
  ! in_a_box deno || require typescript
  require_of_machine
  export LAZARET_REQUIRE
  say "required here: $LAZARET_REQUIRE"
}

run_tests() {
  local status=0
  # Nor are they configured by what the user has said of lazaret.
  XDG_CONFIG_HOME=$places/config in_group ctest_of "$TREE" "$@" || status=$?
  count_junit "$TREE" || return 0
  [[ $status -eq 0 ]]
}

main() {
  own_mounts "$@"
  [[ ${1:-} != -- ]] || shift
  trap finish EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  own_places
  stage="installing packages"
  install_packages
  ensure_deno "$places/tmp"
  stage="building lazaret"
  in_group build_tree test lazaret_cli_main
  stage="starting the engines"
  own_engines
  state_requirements
  stage="building the tests and the images"
  in_group build_tests_and_images
  stage="running ctest"
  run_tests "$@"
}

main "$@"
