#!/usr/bin/env bash
# Deploys a release where a person says. Usage: examples/deploy.sh 42
# Needs a running bridge (handraise start) and a person called alice in its config. Only exit code 0 deploys.
set -euo pipefail

release=${1:?usage: deploy.sh RELEASE}

code=0
target=$(handraise ask "Where does release $release go?" --to alice --option staging --option prod \
  --key "release-$release" --timeout 2h) || code=$?

case $code in
  0) echo "deploying release $release to $target" ;;
  10) echo "release $release: declined" >&2 ;;
  11) echo "release $release: nobody answered in time" >&2 ;;
  14) echo "release $release: still open; run this again to go on waiting" >&2 ;;
  *) echo "release $release: not deployed (exit code $code)" >&2 ;;
esac
exit "$code"
