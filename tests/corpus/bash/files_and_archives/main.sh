#!/usr/bin/env bash
set -euo pipefail

mkdir -p tree/{a,b}/deep
for name in a/one.txt a/deep/two.log 'b/three words.txt' b/deep/four.txt; do
  printf 'content of %s\n' "$name" > "tree/$name"
done

find tree -name '*.txt' -print0 | sort -z | xargs -0 -n 1 basename
tar -C tree -czf tree.tgz --sort=name a b
mkdir copy && tar -C copy -xzf tree.tgz
diff -r tree copy && echo "identical"
( cd tree && find . -type f | sort | tr '\n' '\0' | xargs -0 sha256sum ) > sums.txt
( cd copy && sha256sum --quiet -c ../sums.txt ) && echo "checksums hold"

printf 'damaged' > copy/a/one.txt
( cd copy && sha256sum -c ../sums.txt 2> /dev/null || true ) | grep -c ': OK$'
head -c 100000 /dev/zero | gzip -9 | gunzip | wc -c
echo "aGVsbG8sIHdvcmxkCg==" | base64 -d
chmod 640 sums.txt && stat -c '%a' sums.txt
