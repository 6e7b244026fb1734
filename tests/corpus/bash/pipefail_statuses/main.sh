#!/usr/bin/env bash
false | true
echo "the last counts: $?"
false | true | ( exit 4 ) | true
echo "each has one: ${PIPESTATUS[*]}"

set -o pipefail
( exit 3 ) | ( exit 5 ) | true
echo "the last failure: $?"
! false | true
echo "negated: $?"

count=$(printf 'x\ny\n' | grep -c z) || echo "count $count, status $?"
show() {
  local hidden=$(exit 9)
  echo "local hides it: $?"
  hidden=$(exit 9)
  echo "an assignment keeps it: $?"
  return 7
}
show
echo "returned $?"

set -e
if ! show > /dev/null | cat; then
  echo "a condition ends nothing"
fi
( exit 2 ) | cat
echo "never printed"
