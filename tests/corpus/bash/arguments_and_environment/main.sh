#!/usr/bin/env bash
verbose=no count=1
while getopts 'vn:' option; do
  case $option in
    v) verbose=yes ;;
    n) count=$OPTARG ;;
    *) exit 64 ;;
  esac
done
shift $(( OPTIND - 1 ))

echo "${0##*/} verbose=$verbose count=$count left=$#"
for argument in "$@"; do
  printf '[%s]\n' "$argument"
done
echo "hello $NAME, ${#NAME} letters, $(printf %s "$NAME" | wc -c) bytes"
echo "$MULTI" | nl -ba -w1 -s' '
echo "${UNSET-not given} $LANG $TZ"
[ "$HOME" = "$PWD" ] && echo "home is here"
