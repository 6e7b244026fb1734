#!/usr/bin/env bash
moves=0
hanoi() {
  local disks=$1 from=$2 to=$3 spare=$4
  (( disks == 0 )) && return
  hanoi "$(( disks - 1 ))" "$from" "$spare" "$to"
  (( ++moves ))
  [[ -n ${show-} ]] && printf '%s%s ' "$from" "$to"
  hanoi "$(( disks - 1 ))" "$spare" "$to" "$from"
}

show=yes hanoi 3 A C B
echo
moves=0
hanoi 8 A C B
echo "8 disks take $moves moves"

factorial() {
  if (( $1 < 2 )); then echo 1; else echo "$(( $1 * $(factorial "$(( $1 - 1 ))") ))"; fi
}
echo "12! = $(factorial 12)"

declare -A known=([0]=0 [1]=1)
fibonacci() {
  if [[ -z ${known[$1]-} ]]; then
    fibonacci "$(( $1 - 1 ))"
    fibonacci "$(( $1 - 2 ))"
    known[$1]=$(( known[$(( $1 - 1 ))] + known[$(( $1 - 2 ))] ))
  fi
}
fibonacci 60
echo "fibonacci(60) = ${known[60]}"
