#!/usr/bin/env bash
# Writes what a package has beside the binary, manual pages and completions, into a directory: files.sh DIR. It is made from the command
# line itself; the date of the pages is SOURCE_DATE_EPOCH, else that of the commit.
set -euo pipefail
out=$1
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
rm -rf "$out"
mkdir -p "$out/completions"
# The tag adds the command that writes pages; everything else is built as for the release, and shared with it.
CGO_ENABLED=0 GOFLAGS=-trimpath ${GO:-go} build -tags man,grpcnotrace,nethttpomithttp2 -o "$out/toolresult" ./cmd/toolresult
# Without the environment of whoever builds: no default may be theirs.
run() { env -i PATH=/usr/bin:/bin HOME=/nonexistent SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" "$out/toolresult" "$@"; }
run man "$out/man"
run completion bash >"$out/completions/toolresult.bash"
run completion zsh >"$out/completions/_toolresult"
run completion fish >"$out/completions/toolresult.fish"
run completion powershell >"$out/completions/toolresult.ps1"
gzip -9 --no-name "$out"/man/*.1
rm "$out/toolresult"
