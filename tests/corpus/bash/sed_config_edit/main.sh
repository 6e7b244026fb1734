#!/usr/bin/env bash
set -eu

cat > app.conf <<'EOT'
# main settings
[main]
port = 8080
debug = on   # remove in production

[cache]
size = 64
EOT
cp app.conf app.conf.orig

sed -i -E \
  -e 's/^(port = ).*/\19090/' \
  -e 's/^(debug = )on.*/\1off/' \
  -e '/^\[cache\]/,$ s/[0-9]+/128/' \
  -e '/^#/d' app.conf

diff -u app.conf.orig app.conf | tail -n +3 || true
echo "changed lines: $(diff app.conf.orig app.conf | grep -c '^<')"
echo "sections: $(sed -n 's/^\[\(.*\)\]$/\1/p' app.conf | paste -sd' ')"
