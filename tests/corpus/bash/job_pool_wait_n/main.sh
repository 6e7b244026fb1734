#!/usr/bin/env bash
most=3

square_sum() {
  local first=$1 last=$2 sum=0 number
  for (( number = first; number <= last; ++number )); do
    (( sum += number * number ))
  done
  echo "$sum" > "part.$first"
  (( sum % 2 ))
}

for (( first = 1; first <= 800; first += 100 )); do
  while (( $(jobs -rp | wc -l) >= most )); do wait -n; done
  square_sum "$first" "$(( first + 99 ))" &
done
wait

total=0
for part in part.*; do
  read -r sum < "$part"
  (( total += sum ))
done
parts=(part.*)
echo "${#parts[@]} parts, sum of squares $total"
echo "by formula $(( 800 * 801 * 1601 / 6 ))"
