#!/usr/bin/env bash
# without_a_compiler.sh LAZARET: what ./quickstart does where nothing can be installed or built, on
# a system that is neither Debian nor Ubuntu, with the build that is there and without one.
set -euo pipefail

lazaret=$(realpath "$1")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

mkdir -p "$scratch"/{bin,tests/tools,build/release/bin}
cp "$root/quickstart" "$scratch/"
cp "$root/tests/tools/common.sh" "$scratch/tests/tools/"
for tool in bash cat dirname env find grep id mkdir nproc sed sh; do
  ln -s "$(type -P "$tool")" "$scratch/bin/$tool"
done
ln -s /usr/bin/python3 "$scratch/bin/python3"

quickstart() { env -u SANDBOX_TYPE PATH="$scratch/bin" "$scratch/quickstart" "$@"; }
fail() {
  echo "$1" >&2
  exit 1
}
# has TEXT WORDS
has() { [[ $1 == *"$2"* ]] || fail "no \"$2\" in: $1"; }

said=$(quickstart 2>&1) && fail "without a build it has gone on: $said"
has "$said" "not a Debian or Ubuntu machine"
has "$said" "g++ is not installed; needed are the equivalents of: "
has "$said" "libseccomp-dev"

ln -s "$lazaret" "$scratch/build/release/bin/lazaret"
said=$(quickstart 2>&1) || fail "with a build it has failed: $said"
has "$said" "going on with the build that is there"
has "$said" "hello from CPython as uid"
has "$said" "value       5050"
has "$said" "cause       exited"
has "$said" "held by     native"
[[ $(grep -c ' enforced ' <<<"$said") -ge 15 ]] || fail "little was enforced: $said"

[[ $(quickstart run -q -c 'print(6 * 7)' 2>/dev/null) == 42 ]] || fail "arguments are not passed on"
status=0
quickstart run -q -c 'raise SystemExit(7)' 2>/dev/null || status=$?
[[ $status -eq 7 ]] || fail "the status was $status, not the program's"
has "$(quickstart --help)" "./quickstart test"
