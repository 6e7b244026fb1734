#!/usr/bin/env bash
connect() { return 255; }

for attempt in 1 2 3; do
  echo "attempt $attempt"
  connect && exit 0
done
status=$?
echo "giving up after $attempt attempts" >&2
exit "$status"
