# shellcheck shell=bash
# Deno for the tests: Debian has no package of it, npm's registry has its program. Sourced after
# common.sh.

readonly DENO_VERSION=2.9.6
# As `npm view PACKAGE dist.integrity` says it.
readonly -A DENO_SHA512=(
  [x64]=3md4TKLCuzsLDmfOoC5KN7NAZaxSVkMgm64vg6foD00JBADCpYS2/5QqXfzgnP5ZQz3iLP9vBQJtEgc116OAoQ==
  [arm64]=poqhoH9B3nYloigEMPT5t8HY+wBeiuea1An5Q7fqgJzP0SYmWsoS/oUnWO/pEiA4ofzIBy1Elt/in58xKtxEoQ==
)

# Where boxes look for programs.
readonly DENO_PLACE=/usr/local/bin/deno

deno_processor() {
  case $(uname -m) in
    x86_64) echo x64 ;;
    aarch64) echo arm64 ;;
    *) return 1 ;;
  esac
}

# fetch_deno DIR: the program there, or a word why it cannot be had.
fetch_deno() {
  local processor archive sum
  processor=$(deno_processor) || { say "there is no Deno for this processor" && return 1; }
  archive=$1/deno-linux-$processor-glibc-$DENO_VERSION.tgz
  npm pack --silent --cache "$1/npm" --pack-destination "$1" \
    "@deno/linux-$processor-glibc@$DENO_VERSION" >/dev/null ||
    { say "npm could not fetch Deno $DENO_VERSION" && return 1; }
  sum=$(openssl dgst -sha512 -binary "$archive" | base64 -w 0)
  [[ $sum == "${DENO_SHA512[$processor]}" ]] ||
    { say "what npm fetched is not Deno $DENO_VERSION: its hash is $sum" && return 1; }
  tar -xzf "$archive" -C "$1" package/deno
}

# ensure_deno DIR: where boxes find it, if it can be had; what is there stays as it is.
ensure_deno() {
  ! in_a_box deno || return 0
  if [[ $(id -u) -ne 0 ]] || ! command -v npm >/dev/null; then
    say "no Deno, and no root with npm to install it: tests of typescript will be skipped"
    return 0
  fi
  say "installing Deno $DENO_VERSION as $DENO_PLACE"
  { fetch_deno "$1" && install -m 0755 "$1/package/deno" "$DENO_PLACE"; } ||
    say "tests of typescript will be skipped"
}
