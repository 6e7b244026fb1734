#!/usr/bin/env bash
set -o pipefail
tee copy.txt |
  tr '[:upper:]' '[:lower:]' |
  tr -cs '[:alpha:]' '\n' |
  sort | uniq -c | sort -k1,1nr -k2,2 |
  awk '$1 > 1 { printf "%-6s %s\n", $2, substr("#####", 1, $1) }'
echo "statuses: ${PIPESTATUS[*]}"

number=0
while IFS= read -r line || [ -n "$line" ]; do
  number=$(( number + 1 ))
  printf '%d:%s|%d\n' "$number" "$line" "${#line}"
done < copy.txt
