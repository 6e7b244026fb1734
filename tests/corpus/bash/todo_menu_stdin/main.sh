#!/usr/bin/env bash
tasks=()

list() {
  local index
  (( ${#tasks[@]} )) || echo "   nothing to do"
  for index in "${!tasks[@]}"; do
    printf '%3d. %s\n' "$(( index + 1 ))" "${tasks[index]}"
  done
}

finish() {
  local index=$(( $1 - 1 ))
  if (( index < 0 || index >= ${#tasks[@]} )); then
    echo "there is no task $1"
    return 1
  fi
  echo "finished: ${tasks[index]}"
  tasks=("${tasks[@]:0:index}" "${tasks[@]:index + 1}")
}

errors=0
while read -r -p 'choice? ' choice rest; do
  case ${choice,,} in
    a | add) tasks+=("$rest") ;;
    l | list) list ;;
    d | done) [[ $rest == +([0-9]) ]] && finish "$rest" || (( ++errors )) ;;
    q | quit) break ;;
    *) echo "unknown choice '$choice'"; (( ++errors )) ;;
  esac
done
echo "${#tasks[@]} open, $errors errors"
IFS= read -r left && echo "not read by the menu: $left"
