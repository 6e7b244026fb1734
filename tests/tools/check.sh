#!/usr/bin/env bash
# What must be green before a change lands, stage by stage (L-43). `./quickstart check`.
#
#   check.sh [STAGE…]     all stages, or those named; `languages`, which fills three large images
#                         with go, rust and java, only where it is named
#
# A stage's own words are in build/check/STAGE.log and are shown when it fails.
set -euo pipefail

tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/tools/common.sh
source "$tools/common.sh"
# shellcheck source=tests/tools/report.sh
source "$tools/report.sh"

readonly CHECK_PACKAGES=(libgtest-dev libgmock-dev googletest clang-14 clang-tidy-14 llvm-14
  libclang-rt-14-dev g++-mingw-w64-x86-64-posix wine wine64 libfmt-dev shellcheck)
readonly STAGES=(shell gcc clang sanitize thread tidy layers headers windows fuzz)
readonly LOGS=$LAZARET_ROOT/build/check

stage_shell() {
  (cd "$LAZARET_ROOT" && find . \( -path ./build -o -path ./tests/corpus \) -prune -o \
    -type f \( -name '*.sh' -o -path ./quickstart -o -path ./.ci/run \) -print0 |
    xargs -0 shellcheck -x)
}
stage_gcc() { build_tree test; }
stage_languages() {
  rm -f "$LAZARET_ROOT"/build/test/{results,again}.xml
  LAZARET_MORE="go java rust" "$tools/test.sh" -- -R "(Corpus|Errors).*[/_](go|java|rust)([_/ ]|\$)"
}
stage_clang() { build_tree sanitize; }
stage_sanitize() { build_tree sanitize && beside "build_tree thread" suite sanitize "$NOT_HERE"; }
stage_thread() {
  build_tree thread &&
    beside "$tools/windows.sh build" suite thread "$NOT_HERE|$ONE_THREAD"
}
stage_tidy() { configure_tree sanitize && "$tools/tidy.py" "$LAZARET_ROOT/build/sanitize" 2; }
stage_layers() { "$LAZARET_ROOT/tests/layers/layers.py" "$LAZARET_ROOT" &&
  "$LAZARET_ROOT/tests/layers/layers_test.py"; }
stage_headers() { LAZARET_JOBS=$LAZARET_JOBS "$tools/headers.sh"; }
stage_windows() { "$tools/windows.sh"; }
stage_fuzz() { build_tree sanitize && "$tools/fuzz.sh" "$LAZARET_ROOT/build/sanitize"; }

# What waits for a stage that comes later is built meanwhile, when a test leaves a processor idle.
# How that goes is seen and said in its own stage.
beside() {
  local status=0 builder
  # shellcheck disable=SC2086 # a command and its arguments
  idle $1 &
  builder=$!
  "${@:2}" || status=$?
  wait "$builder" || true
  return "$status"
}

idle() {
  chrt --idle --pid 0 "$BASHPID" >&2 || true
  "$@" >"$LOGS/beside.log" 2>&1
}

# No engine runs in a sanitizer's suite. Left out as well: what traces a program, which finds no
# leaks then and says so, the want of descriptors, of which a sanitizer needs some itself, forks of
# a program with threads, whose locks it keeps, what carries 100 MiB of the same bytes for a minute
# or two, and the programs of the corpus and of the standard library: they differ in what is not
# ours.
readonly NOT_HERE='(/|On_)([Dd]ocker|[Pp]odman)|FillingFault|ServeFault|ServePool(Look|Events)'\
'|NativeFault|WeakNa|RefusedNa|Killed|WantOfDescriptors|InAFork|ServesAFork|TakeNobodyElsesPlace'\
'|TakesAllThatAProgramMayShow|MoreThan64Mebibytes'\
'|Corpus|Stdlib'
# What the box does to its program, which none of our threads has a part in; other tests have.
readonly ONE_THREAD='SelftestOn|SelftestAs|NativeIsolation|NativeLimits|NativeMounts'\
'|NetworksAtBestEffort|NativeProfiles|NativeProcesses|CliStatus|BadRequest|SubprocessOn'

# Some of them wait, for their programs and on purpose.
at_once=$((LAZARET_JOBS + 1))

# suite PRESET LEFT_OUT: unit tests and those of the native backend in a sanitizer's tree.
suite() {
  local -a ctest=(setarch -R ctest)
  UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=second_deadlock_stack=1 LAZARET_REQUIRE=native \
    ctest_of "$LAZARET_ROOT/build/$1" \
    --label-regex 'unit|integration' --exclude-regex "$2"
}

logged() { "${@:2}" >"$1" 2>&1; }

# stage NAME: runs it and prints its one line; its tests, if it has any, are added to the count.
stage() {
  local name=$1 log=$LOGS/$1.log start=$SECONDS verdict=ok
  rm -f "$LAZARET_ROOT/build/$name/"{results,again}.xml
  in_group logged "$log" "stage_$name" || verdict=failed
  [[ $verdict == ok ]] || tail -n 60 "$log" >&2
  case $name in
    sanitize | thread | windows)
      count_junit "$LAZARET_ROOT/build/$name" || verdict=failed
      ;;
    languages) count_junit "$LAZARET_ROOT/build/test" || verdict=failed ;;
  esac
  if [[ $verdict == ok ]]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  printf '%-10s %-7s %4d s\n' "$name" "$verdict" $((SECONDS - start))
}

finish() {
  local status=$?
  trap '' INT TERM
  trap - EXIT
  end_worker
  [[ $status -eq 0 ]] || count_failure "ended before all stages had run"
  drop_places || count_failure "something was left behind in $places"
  print_total
  [[ $failed -eq 0 ]] || exit 1
}

main() {
  local name
  trap finish EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  own_places
  ensure_packages "${BUILD_PACKAGES[@]}" "${CHECK_PACKAGES[@]}"
  mkdir -p "$LOGS"
  [[ $# -gt 0 ]] || set -- "${STAGES[@]}"
  for name in "$@"; do
    declare -F "stage_$name" >/dev/null || die "no stage $name; there are: ${STAGES[*]} languages"
    stage "$name"
  done
}

main "$@"
