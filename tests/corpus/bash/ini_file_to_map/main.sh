#!/usr/bin/env bash
declare -A settings
section=main number=0

while IFS= read -r line || [[ -n $line ]]; do
  (( ++number ))
  line=${line%%[;#]*}
  [[ $line =~ ^[[:space:]]*$ ]] && continue
  if [[ $line =~ ^[[:space:]]*\[([^]]+)\] ]]; then
    section=${BASH_REMATCH[1]}
  elif [[ $line =~ ^' '*([A-Za-z_]+)' '*=' '*(.*[^ ])?' '*$ ]]; then
    settings[$section.${BASH_REMATCH[1]}]=${BASH_REMATCH[2]}
  else
    echo "line $number: cannot read '$line'" >&2
    failed=65
  fi
done

for key in "${!settings[@]}"; do
  printf '%s => <%s>\n' "$key" "${settings[$key]}"
done | LC_ALL=C sort
echo "${#settings[@]} settings"
exit "${failed:-0}"
