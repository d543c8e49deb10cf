#!/usr/bin/env bash
# The programs that some tests need beside Go: `setup.sh check` says which are missing and fails, `setup.sh install` installs
# them from Debian. After that word, a program and its package can be named, for one job alone.
set -euo pipefail
missing=()
need() { command -v "$1" > /dev/null || missing+=("$2"); }
if [ $# -eq 3 ]; then
	need "$2" "$3"
else
	need strace strace
	need mkfs.ext4 e2fsprogs
	need mkfs.xfs xfsprogs
	need zstd zstd
	need mount mount
	need unshare util-linux
	compgen -G '/usr/lib/postgresql/*/bin/initdb' > /dev/null || command -v initdb > /dev/null || missing+=(postgresql)
fi
[ ${#missing[@]} -eq 0 ] && exit 0
if [ "${1:-}" != install ]; then
	echo "missing: ${missing[*]}; \`integration/setup.sh install${2:+ $2 $3}\` installs them" >&2
	exit 1
fi
log=$(mktemp)
echo "installing ${missing[*]}"
if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } > "$log" 2>&1; then
	echo "could not install ${missing[*]}:" >&2
	cat "$log" >&2
	exit 1
fi
rm -f "$log"
