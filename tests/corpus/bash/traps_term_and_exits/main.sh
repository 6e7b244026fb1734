#!/usr/bin/env bash
reloads=0
trap 'echo "reload $(( ++reloads ))"' HUP
trap '' INT
trap 'echo "asked to stop"; exit 9' TERM
trap 'echo "exit with $?"' EXIT

kill -HUP $$
kill -HUP $$
kill -INT $$
echo "still here after INT"

( trap 'exit 12' USR1; kill -USR1 "$BASHPID"; echo "never printed" )
echo "a subshell left with $?"
echo "it had no trap of ours: $( trap 'echo own' EXIT )"
trap -p HUP

kill -TERM $$
echo "never printed"
