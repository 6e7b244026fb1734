#!/usr/bin/env bash
set -Ee

scratch=$(mktemp -d ./scratch.XXXXXX)
cleanup() {
  rm -rf "$scratch"
  [[ -e $scratch ]] && echo "cleaned up: no" || echo "cleaned up: yes"
}
trap cleanup EXIT
trap 'echo "line $LINENO failed with $?"' ERR

echo "working in ${scratch:2:7}"
( exit 3 )
echo "never printed"
