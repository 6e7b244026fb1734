#!/usr/bin/env bash
for (( value = 0; value < 256; value++ )); do
  printf "\\x$(printf %02x "$value")"
done
echo "wrote $value byte values" >&2
printf 'caf\xc3 \xe6\xbc \xff\n'
