#!/usr/bin/env bash
# windows.sh [build]: builds what is not Linux's own for Windows and runs its unit tests under Wine.
set -euo pipefail

tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/tools/common.sh
source "$tools/common.sh"

tree=$LAZARET_ROOT/build/windows
export WINEPREFIX=$tree/wine WINEDEBUG=-all DISPLAY=

# Wine's server outlives the programs it served; this one is ours alone by its prefix.
end_wine() { wineserver_of_prefix -k >/dev/null 2>&1 || true; }
wineserver_of_prefix() {
  local server
  server=$(command -v wineserver || echo /usr/lib/wine/wineserver64)
  "$server" "$@"
}

# Libraries and objects, not the programs: what they link to is not packaged for Windows.
build_tree windows lazaret_{base,os,http,runner,policy,engine,backend,core,api} \
  src/CMakeFiles/lazaret_cli_main.dir/main.cpp.obj lazaret_unit_tests
[[ ${1:-} != build ]] || exit 0
trap end_wine EXIT
mkdir -p "$WINEPREFIX"
cd "$tree"
timeout 180 wine "$(find "$tree" -name lazaret_unit_tests.exe -print -quit)" \
  --gtest_output=xml:results.xml
