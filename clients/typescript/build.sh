#!/usr/bin/env bash
# Builds the package, its driver and its tests in a copy: build.sh DIR makes DIR/package. It does nothing if nothing changed.
set -euo pipefail
cd "$(dirname "$0")"
dir=$1
mkdir -p "$dir/package"
exec 9>"$dir/building"
flock 9 # of several at once, one builds
contract=$(realpath ../../proto)
sources=(src conformance test examples package.json package-lock.json .npmrc buf.gen.yaml tsconfig*.json LICENSE README.md build.sh)
state=$(find "${sources[@]}" "$contract" -type f -not -path 'src/gen/*' -print0 | sort -z | xargs -0 sha256sum | sha256sum)
if [ "$(cat "$dir/built" 2>/dev/null)" = "$state" ]; then
  exit 0
fi
rm -f "$dir/built"
find "$dir/package" -mindepth 1 -maxdepth 1 ! -name node_modules -exec rm -rf {} +
cp -R "${sources[@]}" "$dir/package"
cd "$dir/package"
if [ "$(cat node_modules/.lock 2>/dev/null)" != "$(sha256sum package-lock.json)" ]; then
  npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error >&2
  sha256sum package-lock.json >node_modules/.lock
fi
npm exec -- buf generate "$contract" >&2
npm run --silent compile >&2
node_modules/.bin/tsc -p tsconfig.programs.json >&2
echo "$state" >"$dir/built"
