#!/usr/bin/env bash
to_base() {
  local number=$1 base=$2 digits=0123456789abcdefghijklmnopqrstuvwxyz text=
  while
    text=${digits:number % base:1}$text
    (( number /= base ))
  do :; done
  echo "$text"
}

echo "$(( 16#ff )) $(( 2#101101 )) $(( 8#755 )) $(( 36#zz )) $(( 0x1F )) $(( 010 )) $(( 10#010 ))"
for base in 2 8 16 36; do
  text=$(to_base "$1" "$base")
  echo "$1 in base $base is $text, and back $(( $base#$text ))"
done
printf '%x %X %o %d %#x\n' 48879 48879 493 0x1F 255
printf '%05d|%+d|%-6d|%6.2f|%e\n' 42 42 42 3.14159 12345.678
printf '%d %d %b\n' "'A" "'a" '\x42\103'
echo "$(( -5 >> 1 )) $(( 5 & 3 | 8 ^ 2 )) $(( ~0 )) $(( 1 << 40 ))"
echo "$(( 2 ** 63 - 1 )) and one more is $(( 2 ** 63 ))"
day=09
echo "the day after $day is $(( 10#$day + 1 ))"
echo "$(( day + 1 ))"
