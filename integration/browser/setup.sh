#!/usr/bin/env bash
# The browser of these tests: `setup.sh` fails if it is missing, `setup.sh install` installs it from Debian.
set -euo pipefail
command -v chromium > /dev/null && command -v npm > /dev/null && exit 0
if [ "${1:-}" != install ]; then
	echo "missing: chromium or npm; \`integration/browser/setup.sh install\` installs them" >&2
	exit 1
fi
log=$(mktemp)
echo "installing chromium"
packages=(chromium fonts-dejavu-core)
command -v npm > /dev/null || packages+=(npm)
if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${packages[@]}"; } > "$log" 2>&1; then
	echo "could not install ${packages[*]}:" >&2
	cat "$log" >&2
	exit 1
fi
rm -f "$log"
