#!/usr/bin/env bash
set -euo pipefail

quoted() {
  local text=$1
  text=${text//\\/\\\\}
  text=${text//\"/\\\"}
  printf '"%s"' "$text"
}

typed() {
  case $1 in
    '') printf null ;;
    true | false) printf '%s' "$1" ;;
    *[!0-9.-]*) quoted "$1" ;;
    *) printf '%s' "$1" ;;
  esac
}

IFS=, read -r -a heads
heads[-1]=${heads[-1]%$'\r'}
separator='['
while IFS= read -r line; do
  IFS=, read -r -a cells <<< "${line%$'\r'},"
  printf '%s{' "$separator"
  for index in "${!heads[@]}"; do
    (( index )) && printf ', '
    printf '%s: %s' "$(quoted "${heads[index]}")" "$(typed "${cells[index]-}")"
  done
  printf '}'
  separator=$',\n '
done
printf ']\n'
