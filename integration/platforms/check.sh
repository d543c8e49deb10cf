#!/usr/bin/env bash
# Checks the types of the module, with its tests, for other systems.
set -euo pipefail
checker=$(mktemp)
trap 'rm -f "$checker"' EXIT
go build -o "$checker" ./integration/platforms
for system in darwin/arm64 darwin/amd64 linux/arm64; do "$checker" $system ./...; done
"$checker" windows/amd64 ./clients/go/... ./gen/...
