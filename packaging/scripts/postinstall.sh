#!/bin/sh
# After installation, of a deb (configure) and of an rpm (1, or 2 for an upgrade): the user of the system unit. No unit is enabled.
set -e

case "$1" in
configure | 1 | 2) ;;
*) exit 0 ;;
esac

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
fi
