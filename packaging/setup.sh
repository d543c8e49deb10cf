#!/usr/bin/env bash
# The programs that `make packages` needs beside Go: `setup.sh` says which are missing and fails, `setup.sh install` installs them from
# Debian.
set -euo pipefail
missing=()
need() { command -v "$1" >/dev/null || missing+=("$2"); }
need mmdebstrap mmdebstrap
need rpm rpm
need dpkg-deb dpkg
need systemd-analyze systemd
need mandoc mandoc
need zsh zsh
need fish fish
need git git
[ ${#missing[@]} -eq 0 ] && exit 0
if [ "${1:-}" != install ]; then
	echo "missing: ${missing[*]}; \`packaging/setup.sh install\` installs them" >&2
	exit 1
fi
echo "installing ${missing[*]}"
log=$(mktemp)
if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
	echo "could not install ${missing[*]}:" >&2
	cat "$log" >&2
	exit 1
fi
rm -f "$log"
