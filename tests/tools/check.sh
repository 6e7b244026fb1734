#!/usr/bin/env bash
# What must be green before a change lands, stage by stage. `./quickstart check`.
#
#   check.sh [STAGE…]     all stages, or those named
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
stage_clang() { build_tree sanitize; }
stage_sanitize() { build_tree sanitize && suite sanitize; }
stage_thread() { build_tree thread && suite thread; }
stage_tidy() { configure_tree sanitize && "$tools/tidy.py" "$LAZARET_ROOT/build/sanitize" 2; }
stage_layers() { "$LAZARET_ROOT/tests/layers/layers.py" "$LAZARET_ROOT" &&
  "$LAZARET_ROOT/tests/layers/layers_test.py"; }
stage_headers() { LAZARET_JOBS=$LAZARET_JOBS "$tools/headers.sh"; }
stage_windows() { "$tools/windows.sh"; }
stage_fuzz() { build_tree sanitize && "$tools/fuzz.sh" "$LAZARET_ROOT/build/sanitize"; }

# Unit tests and those of the native backend in a sanitizer's tree; no engine runs there. Left out:
# faults, which are those of programs that have no sanitizer, and the want of descriptors, of which
# a sanitizer needs some itself.
suite() {
  local tree=$LAZARET_ROOT/build/$1
  UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=second_deadlock_stack=1 LAZARET_REQUIRE=native \
    setarch -R ctest --test-dir "$tree" --output-junit "$tree/results.xml" --no-tests=error \
    --label-regex 'unit|integration' \
    --exclude-regex '/([Dd]ocker|[Pp]odman)|CorpusEverywhere|NativeFaults|WantOfDescriptors' \
    --parallel "$LAZARET_JOBS" --test-output-size-passed 16384
}

logged() { "${@:2}" >"$1" 2>&1; }

# stage NAME: runs it and prints its one line; its tests, if it has any, are added to the count.
stage() {
  local name=$1 log=$LOGS/$1.log start=$SECONDS verdict=ok
  rm -f "$LAZARET_ROOT/build/$name/results.xml"
  in_group logged "$log" "stage_$name" || verdict=failed
  [[ $verdict == ok ]] || tail -n 60 "$log" >&2
  case $name in
    sanitize | thread | windows)
      count_junit "$LAZARET_ROOT/build/$name/results.xml" || verdict=failed
      ;;
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
  print_total
  [[ $failed -eq 0 ]] || exit 1
}

main() {
  local name
  trap finish EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  ensure_packages "${BUILD_PACKAGES[@]}" "${CHECK_PACKAGES[@]}"
  mkdir -p "$LOGS"
  [[ $# -gt 0 ]] || set -- "${STAGES[@]}"
  for name in "$@"; do
    declare -F "stage_$name" >/dev/null || die "no stage $name; there are: ${STAGES[*]}"
    stage "$name"
  done
}

main "$@"
