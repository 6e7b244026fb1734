#!/usr/bin/env bash
trap '' TERM INT HUP
for number in 1 2; do
  ( while true; do sleep 300; done ) &
done
setsid sleep 300 &
echo "three sleepers started"
while true; do
  wait
done
