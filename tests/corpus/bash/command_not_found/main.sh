#!/usr/bin/env bash
frobnicate --all
missing=$?
echo "status $missing"

echo "just text" > plain.txt
./plain.txt
echo "status $?"
exit "$missing"
