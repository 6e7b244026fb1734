#!/usr/bin/env bash
set -u

stage=${STAGE:-local}
echo "deploying to $stage"
echo "version $VERSION"
echo "never printed"
