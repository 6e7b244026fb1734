#!/usr/bin/env bash
set -euo pipefail

cat > sales.csv <<'CSV'
date,region,units,price
2024-01-03,north,12,9.99
2024-01-04,south,3,24.50
2024-01-04,north,7,24.50
2024-01-05,east,20,9.99
CSV

awk -F, '
  NR > 1 { units[$2] += $3; revenue[$2] += $3 * $4 }
  END { for (region in units) printf "%s %d %.2f\n", region, units[region], revenue[region] }
' sales.csv | sort -k3,3 -rn | while read -r region units revenue; do
  printf '%-8s %4d %10s\n' "${region^}" "$units" "$revenue"
done

echo "rows: $(tail -n +2 sales.csv | wc -l)"
echo "best day: $(tail -n +2 sales.csv | sort -t, -k3,3nr | head -n 1 | cut -d, -f1)"
