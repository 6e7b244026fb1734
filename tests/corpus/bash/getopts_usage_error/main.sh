#!/usr/bin/env bash
usage() {
  echo "usage: ${0##*/} [-v] -o FILE [WORD...]" >&2
  exit 64
}

verbosity=0 output=
while getopts ':vo:' option; do
  case $option in
    v) (( ++verbosity )) ;;
    o)
      output=$OPTARG
      echo "output goes to $output, verbosity $verbosity"
      ;;
    :)
      echo "option -$OPTARG needs a value" >&2
      usage
      ;;
    \?)
      echo "unknown option -$OPTARG" >&2
      usage
      ;;
  esac
done
[[ -n $output ]] || usage
echo "never printed"
