#!/usr/bin/env bash
# How fast Lazaret and its peers are, in one run, on private engines. `./quickstart bench`.
#
#   bench.sh [--rounds N]     measures everything; refreshes docs/performance.md, .json and .png
#   bench.sh --only GROUP,…   measures a part and prints it; the documents stay as they are
#   bench.sh --refresh --only GROUP,…   and puts it into them; they say when it was measured
#   bench.sh --json FILE      measures everything, or a part; - is standard output; likewise
#
# GROUP: print, pool, docker, sustained, start, true, confined, rate, python, kill, memory, serving,
# files, session, languages, begin, endings, endurance; confined is true once more, in a machine of
# its own whose kernel has every control (tests/tools/vm.sh). Without --rounds each candidate is
# measured 200 times. Leaves nothing behind. Exit status 4: everything was measured, and a number
# that is asked for is not held.
set -euo pipefail

tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/tools/common.sh
source "$tools/common.sh"

readonly TREE=$LAZARET_ROOT/build/test
readonly PAGE=$LAZARET_ROOT/docs/performance
bed=""

finish() {
  local status=$?
  trap '' INT TERM
  trap - EXIT
  end_worker
  [[ -z $bed ]] || "$tools/engines.sh" stop "$bed" || status=1
  drop_places || status=1
  exit "$status"
}

build() {
  ensure_packages "${BUILD_PACKAGES[@]}" "${ENGINE_PACKAGES[@]}" libgtest-dev libgmock-dev \
    bubblewrap gnuplot-nox
  ! is_confined || ! is_vm_host || ensure_packages "${VM_PACKAGES[@]}"
  in_group build_tree test lazaret_bench
}

# Without root there are no private engines, and the report says that they were not found.
engines() {
  local host
  if [[ $(id -u) -ne 0 ]]; then
    say "not root: nothing of Docker and Podman will be measured"
    return 0
  fi
  bed=$(mktemp -d /tmp/lazaret-bench.XXXXXX)
  start_engines "$bed" || say "an engine did not start, see above"
  for host in ${LAZARET_TEST_DOCKER:-} ${LAZARET_TEST_PODMAN:-}; do
    in_group "$TREE/bin/lazaret" images build --host "$host" \
      --cache "$LAZARET_ROOT/build/rootfs" python bash
  done
}

to_stdout() { "$@" >&3; }
measure() { in_group to_stdout "$TREE/tests/bench/lazaret_bench" "$@"; }

# What is asked for, without the group that lazaret_bench knows nothing of.
arguments=()
only=""
rounds=200
take_arguments() {
  while (($#)); do
    case $1 in
      --only) only=,$2, && shift ;;
      --rounds) rounds=$2 && arguments+=("$1" "$2") && shift ;;
      *) arguments+=("$1") ;;
    esac
    shift
  done
  local others=${only//,confined,/,}
  others=${others#,}
  [[ -z ${others%,} ]] || arguments+=(--only "${others%,}")
}
is_confined() { [[ -z $only || $only == *,confined,* ]]; }
is_confined_alone() { [[ $only == ,confined, ]]; }

measure_confined() {
  local status=0
  is_confined || return 0
  in_group "$tools/vm.sh" bench "$TREE/confined.json" "$rounds" || status=$?
  ((status == 77)) || return "$status"
  say "no machine with every control can be started: see above"
}

# All of the page, or what was measured of it.
measure_for_page() {
  local status=0
  local -a reports=()
  if ! is_confined_alone; then
    measure --json "$TREE/bench.json" "${arguments[@]}" || status=$?
    ((status == 0 || status == NOT_HELD)) || return "$status"
    reports+=("$TREE/bench.json")
  fi
  rm -f "$TREE/confined.json"
  measure_confined
  [[ ! -s $TREE/confined.json ]] || reports+=("$TREE/confined.json")
  python3 "$LAZARET_ROOT/tests/bench/page.py" "$PAGE" "$1" "${reports[@]}"
  return "$status"
}

measure_in_part() {
  is_confined_alone || measure "${arguments[@]}"
  measure_confined
}

readonly NOT_HELD=4

main() {
  if [[ ${1:-} == -h || ${1:-} == --help ]]; then
    sed -n '2,15s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    return 0
  fi
  if [[ " $*" == *" --refresh"* && "${1:-} ${2:-}" != "--refresh --only"* ]]; then
    die "a part is --refresh --only GROUP,…"
  fi
  own_mounts "$@"
  exec 3>&1
  trap finish EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  own_places
  if [[ ${1:-} == --refresh ]]; then
    take_arguments "${@:2}"
  else
    take_arguments "$@"
  fi
  build
  is_confined_alone || engines
  if [[ ${1:-} == --refresh ]]; then
    measure_for_page part
  elif [[ -n $only || " $*" == *" --json"* ]]; then
    measure_in_part
  else
    measure_for_page whole
  fi
}

main "$@"
