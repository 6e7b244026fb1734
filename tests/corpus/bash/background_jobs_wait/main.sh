#!/usr/bin/env bash
work() {
  sleep "0.0$1"
  echo "job $1 done" > "job.$1"
  return "$(( $1 % 3 ))"
}

pids=()
for number in 1 2 3 4; do
  work "$number" &
  pids+=($!)
done

failed=0
for index in "${!pids[@]}"; do
  if wait "${pids[$index]}"; then
    echo "job $(( index + 1 )): ok"
  else
    echo "job $(( index + 1 )): status $?"
    (( ++failed ))
  fi
done
cat job.*
echo "failed: $failed, still running: $(jobs -r | wc -l)"
