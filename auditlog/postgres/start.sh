#!/usr/bin/env bash
# Runs a command with a PostgreSQL server of its own: a throw-away cluster in a temporary folder, on a Unix socket.
#
#   start.sh run COMMAND...   the command finds the server by TOOLRESULT_POSTGRES
#   start.sh again            starts it again after it was killed; for the command
#
# It takes whichever PostgreSQL is there. A server does not run as root, so it runs as postgres or nobody.
set -euo pipefail

find_programs() {
	local dir
	for dir in /usr/lib/postgresql/*/bin /usr/pgsql-*/bin "$(dirname "$(readlink -f "$(command -v initdb || echo /nowhere/initdb)")")"; do
		if [ -x "$dir/initdb" ] && [ -x "$dir/postgres" ]; then
			programs=$dir
			return 0
		fi
	done
	return 1
}

as_owner() {
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid="$owner" --regid="$(id -g "$owner")" --clear-groups -- "$@"
	else
		"$@"
	fi
}

start() {
	as_owner env -i PATH="$PATH" LC_ALL=C "$programs/pg_ctl" -D "$place/data" -l "$place/log" -w -t 60 \
		-o "-c listen_addresses= -c unix_socket_directories=$place -c shared_buffers=32MB -c max_connections=60" start > /dev/null
}

owner=$(id -un)
if [ "$(id -u)" -eq 0 ]; then
	owner=nobody
	if id postgres > /dev/null 2>&1; then owner=postgres; fi
fi
if ! find_programs; then
	echo "there is no PostgreSQL: integration/setup.sh install installs the one that Debian has" >&2
	exit 1
fi

case ${1:-} in
again)
	place=$TOOLRESULT_POSTGRES_PLACE
	start
	;;
run)
	shift
	place=$(mktemp -d /tmp/trpg.XXXXXX)
	stop() {
		as_owner env -i PATH="$PATH" "$programs/pg_ctl" -D "$place/data" -m immediate -w stop > /dev/null 2>&1 || true
		rm -rf "$place"
	}
	trap stop EXIT
	trap 'exit 130' INT TERM
	chmod 0755 "$place"
	mkdir "$place/data"
	if [ "$(id -u)" -eq 0 ]; then chown "$owner" "$place" "$place/data"; fi
	as_owner env -i PATH="$PATH" LC_ALL=C "$programs/initdb" -D "$place/data" -U audit -A trust -E UTF8 --no-locale > "$place.initdb" 2>&1 ||
		{ cat "$place.initdb" >&2; rm -f "$place.initdb"; exit 1; }
	rm -f "$place.initdb"
	start || { cat "$place/log" >&2; exit 1; }
	TOOLRESULT_POSTGRES="host=$place user=audit dbname=postgres" TOOLRESULT_POSTGRES_PLACE=$place \
		TOOLRESULT_POSTGRES_START=$(readlink -f "$0") "$@"
	;;
*)
	echo "usage: $0 run COMMAND..." >&2
	exit 2
	;;
esac
