#!/usr/bin/env bash
# Prints the seconds of each job of a CI (.run/jobs.txt), and fails if a named job has no line.
#
#   table.sh JOB...         prints a table
#   table.sh -page FILE     writes it into a page, in place of the lines that begin with a bar
#   table.sh -run FILE COMMAND...  runs a job, and writes its line into a page of long runs
set -euo pipefail
ledger=.run/jobs.txt
case ${1:-} in
-page)
	awk -F'\t' '
		FNR == NR { rows = rows sprintf("| %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6); wall += $3; cpu += $4; next }
		!/^\|/ || /^\| (job|---)/ { print }
		/^\| ---/ { printf "%s| all | | %d | %d | | |\n", rows, wall, cpu }' $ledger "$2" > "$2.new"
	mv "$2.new" "$2"
	;;
-run)
	status=0
	"${@:3}" || status=$?
	tail -n 1 $ledger | awk -F'\t' -v day="$(date -u +%F)" -v commit="$(git describe --always --dirty)" '
		FNR == NR { job = "| `" $1 "` |"; row = sprintf("%s %s | %s | %.0f | %s | %s |", job, day, commit, $3 / 60, $2, $5); next }
		index($0, job) != 1 { print }
		/^\| ---/ { print row }' - "$2" > "$2.new"
	mv "$2.new" "$2"
	exit $status
	;;
*)
	awk -F'\t' -v jobs="$*" '
		BEGIN { row("job", "state", "seconds", "of CPU", "tests", "") }
		function row(a, b, c, d, e, f) { printf "%-18s %-8s %8s %8s  %-24s %s\n", a, b, c, d, e, f }
		{ row($1, $2, $3, $4, $5, $6); wall += $3; cpu += $4; name = $1; ran[name] = 1
		  while (sub(/-[^-]*$/, "", name)) ran[name] = 1 }
		END {
			row("all", "", wall, cpu, "", "")
			count = split(jobs, names, " ")
			for (i = 1; i <= count; i++) if (!(names[i] in ran)) { row(names[i], "MISSING", "", "", "", "did not run"); bad = 1 }
			exit bad
		}' $ledger
	;;
esac
