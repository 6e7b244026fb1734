#!/usr/bin/env bash
# run.sh BUILD_DIR [CMAKE]: installs the build into a temporary prefix, builds the program here and
# the one that the README shows against it, and runs both in the native backend.
set -euo pipefail

build=$1
cmake=${2:-cmake}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset SANDBOX_TYPE

# make SOURCES: in a directory of that name in the scratch one.
make() {
  "$cmake" -S "$1" -B "$scratch/build/${1##*/}" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix"
  "$cmake" --build "$scratch/build/${1##*/}"
}

# The README's blocks of this language, one after the other.
readme() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/ { /^\`\`\`/! p }" "$here/../../README.md"; }

write_readme_program() {
  mkdir "$scratch/readme"
  {
    readme cpp | grep '^#include'
    echo 'int main() {'
    readme cpp | grep -v '^#include'
    printf '%s\n' 'return result.stdout_text == "42\n" && result.success() ? 0 : 1; }'
  } >"$scratch/readme/main.cpp"
  {
    echo 'cmake_minimum_required(VERSION 3.22)'
    echo 'project(App LANGUAGES CXX)'
    echo 'set(CMAKE_CXX_STANDARD 20)'
    echo 'set(CMAKE_CXX_FLAGS -Werror)'
    echo 'add_executable(app main.cpp)'
    readme cmake
  } >"$scratch/readme/CMakeLists.txt"
}

"$cmake" --install "$build" --prefix "$scratch/prefix" >/dev/null
make "$here"
output=$("$scratch/build/consumer/consumer")
echo "$output"
[[ $output == "seen by a consumer
seen in a session by a consumer" ]]

write_readme_program
make "$scratch/readme"
cd "$scratch"
build/readme/app
[[ $(cat results/data.csv results/out.txt) == $'1,2\n1,2' ]]
