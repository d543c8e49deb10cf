#!/bin/sh
# After removal. A deb keeps the store, its user and the configuration until it is purged; an rpm keeps the store, with its user, for as
# long as there is one.
set -e

# gone removes what installation and units have made.
gone() {
	rm -rf /run/toolresult /etc/systemd/system/toolresult.service.d /etc/systemd/system/toolresult.socket.d
	if getent passwd toolresult >/dev/null; then
		userdel toolresult
	fi
	if getent group toolresult >/dev/null; then
		groupdel toolresult
	fi
}

case "$1" in
purge)
	rm -rf /var/lib/toolresult
	gone
	rmdir /etc/toolresult 2>/dev/null || true
	;;
0)
	if [ ! -e /var/lib/toolresult ]; then
		gone
		rmdir /etc/toolresult 2>/dev/null || true
	fi
	;;
esac

if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
fi
