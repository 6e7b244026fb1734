total=0
for number in "$@"; do
  total=$((total + number))
done
echo "total $total"
[ "$total" -eq 6 ] || exit 1
exit 5
