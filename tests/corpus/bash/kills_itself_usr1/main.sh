#!/usr/bin/env bash
trap 'echo "trapped USR1"' USR1
kill -USR1 $$
trap - USR1
echo "back to the default"
kill -USR1 $$
echo "never printed"
