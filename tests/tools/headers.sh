#!/usr/bin/env bash
# headers.sh [COMPILER]: compiles each header alone. Those of another platform are left out.
set -euo pipefail

tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/tools/common.sh
source "$tools/common.sh"

cd "$LAZARET_ROOT"
use_ccache
export compiler=${1:-g++} launcher=${CMAKE_CXX_COMPILER_LAUNCHER:-} built=build/headers

# Objects, though nobody links them: what only checks the syntax no compiler cache remembers.
alone() {
  local source=$built/${1//\//_}.cpp
  echo "#include \"${1#*/}\"" >"$source.new"
  cmp -s "$source.new" "$source" || mv "$source.new" "$source"
  # shellcheck disable=SC2086 # no launcher is no word
  $launcher "$compiler" -std=c++20 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror \
    -DLAZARET_VERSION='"0"' -Iinclude -Isrc -c -o "$source.o" "$source" || {
    echo "does not compile alone: $1" >&2
    return 1
  }
}
export -f alone

mkdir -p "$built"
# shellcheck disable=SC2016 # expanded by the shell that xargs starts
find include src -name '*.hpp' -not -path '*/windows/*' -print0 |
  xargs -0 -n 1 -P "$LAZARET_JOBS" bash -c 'alone "$1"' header
