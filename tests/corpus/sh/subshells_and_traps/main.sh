trap 'echo "cleanup, status $?"' EXIT

value=outer
( value=inner; cd .. ; exit 6 )
echo "status $?, value $value"

set -- one 'two words' three
for word; do printf '<%s>' "$word"; done
shift
echo " $# left, first '$1'"

old=$IFS
IFS=:
set -- 'a:b c::d'
set -- $1
IFS=$old
echo "$# fields, third is '${3:-empty}'"

printf '3\n4\n5\n' > numbers.txt
sum=0
while read -r number; do sum=$((sum + number)); done < numbers.txt
echo "sum $sum"
printf '3\n4\n' | while read -r number; do sum=$((sum + number)); done
echo "sum $sum: a pipe has a variable of its own"

( exit 11 ) &
wait $!
echo "the job left with $?"
eval 'name=value'; eval "echo \$$name"
exec 3> log.txt; echo "to the log" >&3; exec 3>&-
cat log.txt
exit 4
