#!/bin/sh
# Before removal, of a deb (remove) and of an rpm (0): nothing runs any more, and no unit is enabled. An upgrade leaves both.
set -e

case "$1" in
remove | 0) ;;
*) exit 0 ;;
esac

if [ -d /run/systemd/system ]; then
	systemctl disable --now toolresult.socket toolresult.service || true
fi
