#!/usr/bin/env bash
cat > text.txt <<'EOT'
naïve café
漢字 かな
שלום עולם
🚀 launch ✅
EOT
while IFS= read -r line; do
  printf '%2d %2d %s\n' "${#line}" "$(printf '%s' "$line" | wc -c)" "$line"
done < text.txt
sed -n 's/é/e/gp' text.txt
grep -c '字' text.txt
word=漢字かな
echo "${word:1:2} ${word: -1}"
printf '\u00e9 \U0001F600\n'
