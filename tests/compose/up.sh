#!/usr/bin/env bash
# up.sh PROGRAMS: runs the daemon by compose/compose.yaml beside the engine of LAZARET_TEST_DOCKER,
# as docs/serve.md says, and a program by it. No registry is asked: the image is made here, of what
# its Dockerfile names and of the programs in that directory. Nothing of it stays.
set -euo pipefail

programs=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly SKIP=77 IMAGE=lazaret/serve:latest PROJECT=lazaret-test

unavailable() {
  echo "compose: $*"
  [[ ,${LAZARET_REQUIRE:-}, != *,compose,* ]] || exit 1
  exit "$SKIP"
}

check_host() {
  local tool
  [[ ${LAZARET_TEST_DOCKER:-} == unix://* ]] || unavailable "no Docker is named"
  for tool in docker docker-compose mmdebstrap; do
    command -v "$tool" >/dev/null || unavailable "$tool is not installed"
  done
}

compose() { docker-compose -p "$PROJECT" -f "$root/compose/compose.yaml" "$@"; }

inside() { compose exec -T lazaret /usr/bin/lazaret "$@"; }

finish() {
  local status=$?
  trap '' INT TERM
  compose down -v --timeout 20 || status=1
  docker image rm --force "$IMAGE" >/dev/null || status=1
  exit "$status"
}

# As the Dockerfile makes it. What lies in /run goes with mmdebstrap's end, so that comes after it.
make_image() {
  local packages
  packages=$(sed -n '/apt-get install/{n;s/[ \\]\+/ /g;p}' "$root/compose/Dockerfile" | xargs)
  # shellcheck disable=SC2016  # an argument of the hook's
  mmdebstrap --quiet --variant=minbase --format=tar \
    --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr --include="usr-is-merged,${packages// /,}" \
    --dpkgopt=path-exclude='/usr/share/doc/*' --dpkgopt=path-exclude='/usr/share/man/*' \
    --dpkgopt=force-unsafe-io \
    --customize-hook='chroot "$1" find / -xdev -type f -perm /6000 -exec chmod ug-s {} +' \
    --customize-hook="copy-in $programs/lazaret $programs/lazaret-serve /usr/bin" bookworm - |
    docker import - "$IMAGE" >/dev/null
  docker build --quiet --network none --tag "$IMAGE" - <<EOF
FROM $IMAGE
RUN $(grep -o 'install -d .*' "$root/compose/Dockerfile")
$(grep -E '^(USER|ENTRYPOINT) ' "$root/compose/Dockerfile")
EOF
}

# The daemon answers, by a box of the engine beside its own container, and reports as much.
use_it() {
  local answer
  compose up -d --no-build
  for _ in {1..50}; do
    ! inside session ls >/dev/null 2>&1 || break
    sleep 0.2
  done
  inside session ls
  answer=$(inside run --json -c 'print(6 * 7)')
  echo "$answer"
  python3 - "$answer" <<'PY'
import json, sys
result = json.loads(sys.argv[1])
assert result["stdout"] == "42\n", result
assert result["meta"]["backend"] == "docker", result["meta"]
assert result["meta"].get("fallback") is None, result["meta"]
PY
}

check_host
export DOCKER_HOST=$LAZARET_TEST_DOCKER ENGINE_SOCKET=${LAZARET_TEST_DOCKER#unix://}
ENGINE_GID=$(stat -c %g "$ENGINE_SOCKET")
export ENGINE_GID
trap finish EXIT
make_image
use_it
