#!/bin/sh
# Before removal, of a deb (remove) and of an rpm (0): no unit runs any more, and none is enabled, of the
# machine and of users who are logged in. An upgrade leaves both.
set -e

case "$1" in
remove | 0) ;;
*) exit 0 ;;
esac

# for_users has the manager of each user who is logged in do something. It waits for none that hangs.
for_users() {
	systemctl list-units --plain --no-legend 'user@*.service' | sed -n 's/^user@\([0-9]*\)\.service .*/\1/p' | while read -r uid; do
		timeout 60 runuser -u "$(id -nu "$uid")" -- env -i PATH="$PATH" XDG_RUNTIME_DIR="/run/user/$uid" systemctl --user "$@" </dev/null || true
	done
}

if [ -d /run/systemd/system ]; then
	systemctl disable --now toolresult.socket toolresult.service || true
	for_users disable --now toolresult.socket toolresult.service
fi
