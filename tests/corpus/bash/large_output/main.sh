#!/usr/bin/env bash
seq 1 6400 | awk '{ printf "%07d %s\n", $1, "the same twenty-three c" }'
