# shellcheck shell=bash
# Counts for scripts that end with "N passed, N failed, N skipped".

passed=0
failed=0
skipped=0

# More than that fail for a reason that they share.
readonly MOST_AGAIN=3

readonly NOT_FIFTIETH='^ *([0-9]*([0-9][1-9]|[1-46-9]0)|[1-9])\/[0-9]+'

# Tests at the same time.
at_once=$LAZARET_JOBS

# Its words before the arguments.
ctest=(ctest)

# ctest_of TREE ARGUMENT…: ctest, with its results in TREE/results.xml. The few that fail are run
# once more, alone, to tell who depends on what else the machine does; they have failed anyway.
ctest_of() {
  local tree=$1 failed_names=$1/Testing/Temporary/LastTestsFailed.log count
  shift
  rm -f "$tree"/{results,again}.xml "$tree/ctest.log" "$failed_names"
  run_ctest "$tree" results.xml --parallel "$at_once" "$@" && return 0
  [[ -f $failed_names ]] || return 1
  count=$(wc -l <"$failed_names")
  ((count <= MOST_AGAIN)) || return 1
  say "once more, alone: $(cut -d : -f 2 "$failed_names" | tr '\n' ' ')"
  run_ctest "$tree" again.xml "$@" -R "$(any_of_names <"$failed_names")" || true
  return 1
}

# any_of_names <LIST: one regular expression for ctest's list of failures ("12:Suite.Name"). By
# their names: it would number all its tests anew, with those that an option has left out.
any_of_names() {
  cut -d : -f 2- | sed -E 's/[][().*+?^$|\\]/\\&/g; s/.*/(&)/' | paste -s -d '|' | sed 's/.*/^(&)$/'
}

# run_ctest TREE RESULTS ARGUMENT…: all it says is in TREE/ctest.log; of the tests that pass each
# fiftieth is told here, because some thousands of lines hide the few that matter; of one that fails
# all it has said, at once.
run_ctest() {
  local tree=$1 results=$2
  shift 2
  "${ctest[@]}" --test-dir "$tree" --resource-spec-file "$tree/places.json" \
    --output-junit "$tree/$results" --no-tests=error --output-on-failure \
    --test-output-size-passed 16384 "$@" 2>&1 |
    tee -a "$tree/ctest.log" |
    sed -uE "/^ *Start +[0-9]+: /d; /$NOT_FIFTIETH Test .* Passed +[0-9.]+ sec/d; s/\.{4,}/.../"
}

# count_junit TREE: adds up its results.xml; one that is missing or empty counts as a failure.
count_junit() {
  local counts p f s files=("$1/results.xml")
  [[ ! -f $1/again.xml ]] || files+=("$1/again.xml")
  counts=$(python3 "$LAZARET_ROOT/tests/tools/junit.py" "${files[@]}") || counts="0 0 0"
  [[ $counts != "0 0 0" ]] || {
    say "no test results in ${1#"$LAZARET_ROOT/"}/results.xml"
    counts="0 1 0"
  }
  read -r p f s <<<"$counts"
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  [[ $f -eq 0 ]]
}

# count_failure WHAT: a failure that no test file tells of.
count_failure() {
  say "FAILED: $1"
  failed=$((failed + 1))
}

print_total() { echo "$passed passed, $failed failed, $skipped skipped"; }
