#!/usr/bin/env bash
declare -a queue=("first job" "second job" "third")
declare -A size=([small]=1 [medium]=10 [large]=100)

queue+=("fourth")
echo "${#queue[@]} jobs, from '${queue[0]}' to '${queue[-1]}'"
printf '<%s>' "${queue[@]:1:2}"; echo
unset 'queue[1]'
echo "indices: ${!queue[*]}"

for name in $(printf '%s\n' "${!size[@]}" | sort); do
  echo "$name = ${size[$name]}"
done

path=dir/archive.tar.gz
echo "${path##*/} ${path%.*} ${path%%.*} ${path/tar/zip} ${path^^}"
mapfile -t lines < <(printf 'a\nb c\n\nd\n')
echo "${#lines[@]} lines, second is '${lines[1]}', third is '${lines[2]:-empty}'"

total=0
for value in "${size[@]}"; do (( total += value )); done
echo "total $total, hex $(printf '%x' "$total"), power $(( 2 ** 10 )), negative $(( -7 / 2 ))"
[[ "release-2.14" =~ ^([a-z]+)-([0-9]+)\.([0-9]+)$ ]] && echo "${BASH_REMATCH[@]:1}"
