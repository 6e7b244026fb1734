set -eu

rotate() { tr 'A-Za-z' 'N-ZA-Mn-za-m'; }

secret=$(printf 'Attack at dawn, 7 ships' | rotate)
echo "$secret"
printf '%s\n' "$secret" | rotate

text='the quick brown fox jumps over the lazy dog and runs away'
printf '%s\n' "$text" | fold -s -w 20 | sed 's/ *$//; s/^/| /'
printf '%s\n' "$text" | tr -cd 'aeiou' | fold -w 1 | LC_ALL=C sort | uniq -c |
  while read -r count letter; do
    printf '%s=%d ' "$letter" "$count"
  done
echo
printf 'a\tb\n1\t22\n' | expand -t 6
printf '%s\n' 3 1 2 | sort -n | tac | tr '\n' ' '
echo
printf '%-8s|%5.1f|%03d\n' left 2.25 7 longer-than-eight 10 42
