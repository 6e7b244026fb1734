#!/usr/bin/env bash
# headers.sh [COMPILER]: compiles each header alone. Those of another platform are left out.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
compiler=${1:-g++}
export compiler

# shellcheck disable=SC2016 # expanded by the shell that xargs starts
find include src -name '*.hpp' -not -path '*/windows/*' -print0 |
  xargs -0 -n 1 -P "${LAZARET_JOBS:-2}" bash -c '
    echo "#include \"${1#*/}\"" |
      "$compiler" -std=c++20 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror \
        -DLAZARET_VERSION=\"0\" -Iinclude -Isrc -fsyntax-only -x c++ - || {
      echo "does not compile alone: $1" >&2
      exit 1
    }' header
