#!/usr/bin/env bash
set -euo pipefail

printf '%s\n' alpha beta gamma > names.txt
grep -q alpha names.txt && echo "found the first"
if ! grep -q delta names.txt; then
  : "a tested failure does not end the script"
fi
grep delta names.txt | sort > found.txt
echo "never printed"
