#!/usr/bin/env bash
# fuzz.sh BUILD_DIR: every fuzzer for LAZARET_FUZZ_SECONDS (60), LAZARET_JOBS at a time.
#
# New inputs stay in BUILD_DIR/fuzz/corpus and are the next run's start.
set -euo pipefail

build=$(cd "$1" && pwd)
export build seconds=${LAZARET_FUZZ_SECONDS:-60}

fuzzers=$(find "$build/fuzz" -maxdepth 1 -name '*_fuzz' -type f -executable 2>/dev/null | sort)
[[ -n $fuzzers ]] || {
  echo "fuzz: no fuzzers in $build/fuzz" >&2
  exit 1
}

# One of them; its output is shown only when it has found something.
fuzz() {
  local name=${1##*/} corpus log
  corpus=$build/fuzz/corpus/$name
  log=$build/fuzz/$name.log
  mkdir -p "$corpus"
  if (cd "$build/fuzz" && "$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -max_len=65536 -artifact_prefix="$build/fuzz/$name-" "$corpus" >"$log" 2>&1); then
    echo "fuzz: $name: $(grep -c . <(find "$corpus" -type f)) inputs, nothing found"
    return 0
  fi
  tail -n 80 "$log"
  echo "fuzz: $name found something; the input is $build/fuzz/$name-*"
  return 1
}
export -f fuzz

# shellcheck disable=SC2016 # expanded by the shell that xargs starts
xargs -n 1 -P "${LAZARET_JOBS:-2}" bash -c 'fuzz "$1"' fuzz <<<"$fuzzers"
