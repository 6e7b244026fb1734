#!/usr/bin/env bash
IFS= read -r first
echo "first: $first"
echo "rest ignored"
