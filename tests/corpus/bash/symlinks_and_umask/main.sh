#!/usr/bin/env bash
set -euo pipefail
export LC_ALL=C

for mask in 022 027 077; do
  umask "$mask"
  : > "file.$mask"
  mkdir "dir.$mask"
done
stat -c '%a %n' file.* dir.*
umask -S

mkdir -p data/2024
echo "report" > data/2024/march.txt
ln -s 2024/march.txt data/latest
ln -s nowhere dangling
ln data/2024/march.txt same
echo "latest is $(readlink data/latest), reads '$(cat data/latest)'"
echo "links to the file: $(stat -c %h same)"
[[ data/latest -ef same ]] && echo "one and the same file"
[[ -L dangling && ! -e dangling ]] && echo "dangling"
find . -type l | sort

ln -sfn 2024/april.txt data/latest
find . -xtype l | sort | paste -sd' '
chmod u=r,go= same
if ! { echo more >> same; } 2> refused.txt; then
  echo "refused: $(sed 's/.*: //' refused.txt)"
fi
