#!/usr/bin/env bash
set -eu
start=$(date -u -d '2024-02-28 12:00' +%s)
for days in 0 1 2; do
  date -u -d "@$(( start + days * 86400 ))" '+%F %a week %V day %j'
done
printf '%(%Y-%m-%dT%H:%M:%SZ)T\n' 1000000000

is_prime() {
  local n=$1 d
  (( n > 1 )) || return 1
  for (( d = 2; d * d <= n; d++ )); do
    (( n % d )) || return 1
  done
}
primes=()
for (( n = 0; n < 50; n++ )); do is_prime "$n" && primes+=("$n"); done
echo "${primes[*]}"

printf '%05d|%-6s|%+.2f|%x|%o|%q\n' 42 left 3.14159 255 8 "it's"
awk 'BEGIN { printf "%.4f %d\n", atan2(0, -1), int(7 / 2) }'
