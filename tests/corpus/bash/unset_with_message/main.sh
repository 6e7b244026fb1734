#!/usr/bin/env bash
: "${REGION:=eu-west}"
echo "region $REGION, stage ${STAGE:-none}, empty ${EMPTY+is set}"
trap 'echo "leaving with $?"' EXIT

deploy() {
  local target=${1:?no target given}
  echo "deployed to $target"
}

deploy production
deploy
echo "never printed"
