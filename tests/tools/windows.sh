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

# Whatever is not Linux's own has been compiled.
every_source_is_there() {
  local source
  while read -r source; do
    grep -qE "(/src/|\")${source#src/}" "$tree"/src/united/*.cpp "$tree/build.ninja" && continue
    echo "not compiled for Windows: $source" >&2
    return 1
  done < <(cd "$LAZARET_ROOT" && find src -name '*.cpp' -not -path '*/linux/*')
}

# Libraries and objects, not the programs: what they link to is not packaged for Windows.
build_tree windows \
  lazaret_{base,os,journal,http,runner,runner_program,policy,engine,backend,pool,core,api,rest} \
  src/CMakeFiles/lazaret_cli_main.dir/main.cpp.obj \
  src/CMakeFiles/lazaret_serve_main.dir/serve_main.cpp.obj lazaret_unit_tests
[[ ${1:-} != build ]] || exit 0
every_source_is_there
trap end_wine EXIT
mkdir -p "$WINEPREFIX"
cd "$tree"
timeout 180 wine "$(find "$tree" -name lazaret_unit_tests.exe -print -quit)" \
  --gtest_output=xml:results.xml
