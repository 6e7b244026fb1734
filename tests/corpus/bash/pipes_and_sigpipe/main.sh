#!/usr/bin/env bash
yes "tick" | head -n 3
echo "statuses: ${PIPESTATUS[*]}"

seq 1 100000 | { read -r first; read -r second; echo "$first $second"; }
exec 3< <(seq 5 -1 1)
read -r -u 3 line; echo "fd 3 said $line"
exec 3<&-

mkfifo channel
( for word in red green blue; do echo "$word"; done > channel ) &
while read -r word; do echo "got $word"; done < channel
wait

sort -n <<< $'10\n9\n2' | paste -sd,
{ echo "to stderr, merged" >&2; } 2>&1 | sed 's/^/sed saw: /'
