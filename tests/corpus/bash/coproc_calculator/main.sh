#!/usr/bin/env bash
coproc CALC {
  answered=0
  while read -r left operator right; do
    case $operator in
      [-+%]) echo "$(( left $operator right ))" ;;
      x) echo "$(( left * right ))" ;;
      '^') echo "$(( left ** right ))" ;;
      *) echo "what is $operator?" ;;
    esac
    (( ++answered ))
  done
  exit "$answered"
}
from=${CALC[0]} to=${CALC[1]} child=$CALC_PID

ask() {
  echo "$*" >&"$to"
  local answer
  read -r answer <&"$from"
  echo "$* = $answer"
}

ask 6 x 7
ask 2 ^ 40
ask 3 - 10
ask 17 % 5
ask 1 plus 1

exec {to}>&-
wait "$child"
echo "the coprocess answered $? times"
