kind() {
  case $1 in
    '') echo empty ;;
    -[0-9]* | [0-9]*)
      case ${1#-} in
        *[!0-9]*) echo "almost a number" ;;
        *) echo "an integer" ;;
      esac
      ;;
    --?*=*) name=${1%%=*}; echo "option ${name#--} with '${1#*=}'" ;;
    --?*) echo "option ${1#--}" ;;
    *.tar.gz | *.tgz) echo "an archive called ${1%.t*}" ;;
    [!a-z]*) echo "no small letter first" ;;
    '*') echo "never printed: the pattern before has it" ;;
    ???) echo "three letters" ;;
    *) echo "${#1} letters" ;;
  esac
}

for word; do
  printf '%s: ' "$word"
  kind "$word"
done

path=usr/share/doc/readme.old.txt
echo "${path##*/} ${path%/*} ${path#*/} ${path%%.*} ${path##*.}"
[ "$#" -eq 10 ] && [ "${10}" = last ] || exit 1
