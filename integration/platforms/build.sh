#!/usr/bin/env bash
# Builds what people run on other systems: the program, and on Windows the client. Without a profile, which would make it compile twice.
set -euo pipefail
export CGO_ENABLED=0
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for system in darwin/arm64 linux/arm64; do
	GOOS=${system%/*} GOARCH=${system#*/} go build -pgo=off -o "$out/toolresult" ./cmd/toolresult
	echo "$system: $(stat -c %s "$out/toolresult") bytes"
done
GOOS=windows GOARCH=amd64 go build ./clients/go/... ./gen/...
echo "windows/amd64: the Go client"
