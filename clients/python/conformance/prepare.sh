#!/usr/bin/env bash
# Installs what the driver needs: prepare.sh DIR makes DIR/driver, and DIR/driver-asyncio of the client for asyncio.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$1
pins="grpcio==1.85.3 protobuf==7.36.2"
if [ "$(cat "$dir/driver.pins" 2>/dev/null)" != "$pins" ]; then
  rm -rf "$dir/driver-venv"
  python3 -m venv "$dir/driver-venv"
  # shellcheck disable=SC2086 # two words
  "$dir/driver-venv/bin/pip" install --quiet --disable-pip-version-check $pins
  echo "$pins" >"$dir/driver.pins"
fi
for form in "" -asyncio; do
  printf '#!/bin/sh\nPYTHONPATH=%q exec %q %q %s\n' "$PWD/src" "$dir/driver-venv/bin/python" "$PWD/conformance/driver.py" "${form:+-$form}" >"$dir/driver$form"
  chmod +x "$dir/driver$form"
done
