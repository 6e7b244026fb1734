#!/usr/bin/env bash
set -eu

declare -A values=(
  [customer]="Ada & Sons"
  [order]="A-17"
  [amount]=$(printf '%.2f' 1249.5)
  [city]=$CITY
)

render() {
  local line name
  while IFS= read -r line; do
    while [[ $line =~ \{\{([a-z_]+)\}\} ]]; do
      name=${BASH_REMATCH[1]}
      line=${line/"{{$name}}"/"${values[$name]-<$name?>}"}
    done
    printf '%s\n' "$line"
  done
}

render <<'TEMPLATE'
Dear {{customer}},
  your order {{order}} of {{amount}} EUR goes to {{city}} on {{day}}.
$CITY and `date` are no fields. {{customer}}!
TEMPLATE

cat <<LETTER
${CITY^^} has ${#CITY} letters, \$CITY begins with "${CITY:0:1}",
and twice seven is $(( 2 * 7 )).
LETTER
cat <<< "one line only"
