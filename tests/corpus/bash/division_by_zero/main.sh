#!/usr/bin/env bash
average() {
  local sum=0 number
  for number in "$@"; do (( sum += number )); done
  echo "average $(( sum / $# ))"
  echo "of $# numbers"
}

average 4 8 15
average
echo "status $?"
if (( 5 / 0 )); then echo "never printed"; else echo "no number is false"; fi
remainder=$(( 7 % 0 ))
