#!/bin/sh
# After removal. A deb keeps the store, its user and the configuration until it is purged; an rpm keeps the store, with its user, for as
# long as there is one.
set -e

# try does one step. What cannot be removed, because somebody uses it, stays, and is named; the package goes.
try() {
	"$@" || echo "toolresult: not done: $*" >&2
}

# gone removes what installation and units have made.
gone() {
	try rm -rf /run/toolresult
	if getent passwd toolresult >/dev/null; then
		try userdel toolresult
	fi
	if getent group toolresult >/dev/null; then
		try groupdel toolresult
	fi
}

case "$1" in
purge)
	try rm -rf /var/lib/toolresult
	# What an administrator has added to the units.
	try rm -rf /etc/systemd/system/toolresult.service.d /etc/systemd/system/toolresult.socket.d
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
