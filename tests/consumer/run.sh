#!/usr/bin/env bash
# run.sh BUILD_DIR [CMAKE]: installs the build into a temporary prefix, builds the program here
# against it and runs it in the native backend.
set -euo pipefail

build=$1
cmake=${2:-cmake}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$cmake" --install "$build" --prefix "$scratch/prefix" >/dev/null
"$cmake" -S "$here" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix"
"$cmake" --build "$scratch/build"
output=$(env -u SANDBOX_TYPE "$scratch/build/consumer")
echo "$output"
[[ $output == "seen by a consumer
seen in a session by a consumer" ]]
