#!/usr/bin/env bash
set -euo pipefail
export LC_ALL=C

mkdir box
names=('two words' $'line\nbreak' '-rf' '*star*' 'quo"te' ' led by a space')
for name in "${names[@]}"; do
  printf '%s' "$name" > "box/$name"
done

find box -type f -print0 | sort -z | while IFS= read -r -d '' path; do
  printf '%q is %d bytes\n' "$path" "$(wc -c < "$path")"
done

find box -type f -print0 | sort -z | xargs -0 cat -- | tr '\n' '/'
echo
find box -name '* *' -exec bash -c 'for path; do mv -- "$path" "${path// /_}"; done' rename {} +

cd box
rm -- -rf
for name in *; do echo "${name@Q}"; done
count=0
while IFS= read -r -d '' _; do (( ++count )); done < <(find . -type f -print0)
echo "$count left"
