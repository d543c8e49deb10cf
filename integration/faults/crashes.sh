#!/usr/bin/env bash
# Kills and power cuts in runs that add up in a ledger, until there are enough: `make faults-crashes`. A run that is
# broken off counts what it finished.
#
#   crashes.sh LEDGER KILLS CUTS   run until the ledger has so many
#   crashes.sh LEDGER              print the sums of each test; integration/faults/README.md has those of the last run together
set -euo pipefail
ledger=$(realpath -m "$1")
sums='$1 == "leg" {n[$2]++; for (i = 3; i < NF; i += 2) {by[$2, $i] += $(i + 1); all[$i] += $(i + 1)}}'

totals() {
	echo '| leg | kills | cuts | artifacts | records | lost | torn | minutes |'
	echo '| --- | --- | --- | --- | --- | --- | --- | --- |'
	awk -F '[ =]' "$sums"'
		function row(name, v) {printf "| %s | %d | %d | %d | %d | %d | %d | %.0f |\n", name, v["kills"], v["cuts"], v["artifacts"], v["records"], v["lost"], v["torn"], v["seconds"] / 60}
		END {for (leg in n) {split("", v); for (k in all) v[k] = by[leg, k]; row("`" leg "`", v)} row("together", all)}' "$ledger" | sort
}

if [ $# -eq 1 ]; then
	totals
	exit
fi
mkdir -p "$(dirname "$ledger")"
touch "$ledger"
work=$(dirname "$ledger")
go test -c -o "$work/crashes.test" ./integration/faults
while :; do
	read -r kills cuts < <(awk -F '[ =]' "$sums"' END {print all["kills"] + 0, all["cuts"] + 0}' "$ledger")
	tests=
	[ "$kills" -ge "$2" ] || tests=Killed
	[ "$cuts" -ge "$3" ] || tests=${tests:+$tests|}PowerCuts
	[ -n "$tests" ] || break
	(cd integration/faults && TOOLRESULT_LEGS=all TOOLRESULT_FAULTS_ROUNDS=500 TOOLRESULT_FAULTS_CUTS=150 TOOLRESULT_FAULTS_TOTALS=$ledger \
		"$work/crashes.test" -test.timeout 3h -test.run "^Test(Sidecar)?($tests)" -test.skip EverySystemCall) > "$work/crashes.log" 2>&1 ||
		{ cat "$work/crashes.log"; exit 1; }
done
totals
