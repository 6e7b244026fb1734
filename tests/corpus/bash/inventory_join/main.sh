#!/usr/bin/env bash
set -euo pipefail
export LC_ALL=C

printf '%s\n' 'date 7' 'apple 10' 'cherry 25' 'banana 0' | sort > stock.txt
printf '%s\n' 'cherry 0.05' 'elder 4.00' 'apple 0.30' 'date 1.20' | sort > price.txt

join stock.txt price.txt | awk '
  { value = $2 * $3; total += value; printf "%-7s|%4d|%6.2f\n", $1, $2, value }
  END { printf "%-7s|%4s|%6.2f\n", "total", "", total }'

names() { cut -d' ' -f1 "$1"; }
echo "without a price: $(comm -23 <(names stock.txt) <(names price.txt))"
echo "without a stock: $(comm -13 <(names stock.txt) <(names price.txt))"
echo "in both: $(comm -12 <(names stock.txt) <(names price.txt) | paste -sd+)"

join -a 1 -a 2 -e none -o 0,1.2,2.2 stock.txt price.txt | tail -n 2
paste -d: <(names stock.txt) <(seq 10 10 40) | paste -d' ' - -
