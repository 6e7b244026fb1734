#!/usr/bin/env bash
stop() {
  echo "stopped by TERM"
  kill "$child" 2> /dev/null
  exit 3
}
trap stop TERM

echo "polling"
sleep 600 &
child=$!
while true; do
  wait "$child"
done
