#!/usr/bin/env bash
set -euo pipefail
export LC_ALL=C

cat > access.log <<'LOG'
10.0.0.5 - - [12/Mar/2024:08:00:01] "GET /index.html HTTP/1.1" 200 5120
10.0.0.9 - - [12/Mar/2024:08:00:04] "GET /missing HTTP/1.1" 404 310
10.0.0.5 - - [12/Mar/2024:08:01:17] "POST /login HTTP/1.1" 302 0
10.0.0.7 - - [12/Mar/2024:08:02:40] "GET /index.html HTTP/1.1" 200 5120
10.0.0.5 - - [12/Mar/2024:09:10:09] "GET /report HTTP/1.1" 500 87
10.0.0.7 - - [12/Mar/2024:09:12:30] "GET /missing HTTP/1.1" 404 310
10.0.0.5 - - [12/Mar/2024:09:15:55] "GET /index.html HTTP/1.1" 200 5120
LOG

awk '{ print $(NF - 1) }' access.log | sort | uniq -c | sort -k1,1nr -k2,2 |
  while read -r count status; do
    echo "status $status: $count"
  done

read -r count address < <(cut -d' ' -f1 access.log | sort | uniq -c | sort -rn)
echo "$address asked most, $count times"

cut -d: -f2 access.log | sort | uniq -c | awk '{ printf "%sh %d\n", $2, $1 }'
echo "pages: $(cut -d'"' -f2 access.log | cut -d' ' -f2 | sort -u | paste -sd' ')"
echo "errors: $(grep -cE '" [45][0-9]{2} ' access.log) of $(wc -l < access.log)"
echo "bytes: $(awk '{ sum += $NF } END { print sum }' access.log)"
