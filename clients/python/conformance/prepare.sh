#!/usr/bin/env bash
# Installs what the driver needs: prepare.sh DIR makes DIR/driver, and DIR/driver-asyncio of the client for asyncio.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$1
state=$(find pyproject.toml hatch_build.py requirements/newest.txt ../../proto -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)
if [ ! -d src/toolresult/v1 ] || [ "$(cat "$dir/driver.state" 2>/dev/null)" != "$state" ]; then
  rm -rf "$dir/driver-venv"
  python3 -m venv "$dir/driver-venv"
  "$dir/driver-venv/bin/pip" install --quiet --disable-pip-version-check --requirement requirements/newest.txt --editable .
  echo "$state" >"$dir/driver.state"
fi
for form in "" -asyncio; do
  printf '#!/bin/sh\nexec %q %q %s\n' "$dir/driver-venv/bin/python" "$PWD/conformance/driver.py" "${form:+-$form}" >"$dir/driver$form"
  chmod +x "$dir/driver$form"
done
