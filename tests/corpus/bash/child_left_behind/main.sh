#!/usr/bin/env bash
# The child keeps standard output open: only the end of the main process ends the run.
sleep 300 &
echo "server started"
disown
echo "main is done"
exit 0
