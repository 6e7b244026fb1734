#!/usr/bin/env bash
timeout 0.2 sleep 60
status=$?
echo "slow step ended with $status"
exit "$status"
