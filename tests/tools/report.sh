# shellcheck shell=bash
# Counts for scripts that end with "N passed, N failed, N skipped".

passed=0
failed=0
skipped=0

# Adds up a JUnit file; one that is missing or has no test in it counts as a failure.
count_junit() {
  local counts p f s
  counts=$(python3 "$LAZARET_ROOT/tests/tools/junit.py" "$1") || counts="0 0 0"
  [[ $counts != "0 0 0" ]] || {
    say "no test results in ${1#"$LAZARET_ROOT/"}"
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
