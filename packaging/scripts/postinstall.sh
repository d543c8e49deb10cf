#!/bin/sh
# After installation, of a deb (configure) and of an rpm (1, or 2 for an upgrade): the user of the system unit. No unit is enabled.
set -e

case "$1" in
configure | 1 | 2) ;;
*) exit 0 ;;
esac

# for_users has the manager of each user who is logged in do something. It waits for none that hangs.
for_users() {
	systemctl list-units --plain --no-legend 'user@*.service' | sed -n 's/^user@\([0-9]*\)\.service .*/\1/p' | while read -r uid; do
		timeout 60 runuser -u "$(id -nu "$uid")" -- env -i PATH="$PATH" XDG_RUNTIME_DIR="/run/user/$uid" systemctl --user "$@" </dev/null || true
	done
}

if ! getent group toolresult >/dev/null; then
	groupadd --system toolresult
fi
if ! getent passwd toolresult >/dev/null; then
	useradd --system --gid toolresult --no-create-home --home-dir /var/lib/toolresult --shell /usr/sbin/nologin \
		--comment "tool-result sidecar" toolresult
fi
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
	# After an upgrade what runs is the old binary until then.
	systemctl try-restart toolresult.service || true
	for_users daemon-reload
	for_users try-restart toolresult.service
fi
