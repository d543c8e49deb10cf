#!/usr/bin/env bash
# Finds the jobs of CI whose inputs changed since they passed (inputs.txt, passed.txt).
#
#   inputs.sh due JOB...        prints the jobs to run; the ledger gets a line for each of the others
#   inputs.sh keep JOB COMMAND  runs a command; if it succeeds, passed.txt gets the digest of the inputs
set -euo pipefail
cd "$(dirname "$0")/../.."
list=integration/ci/inputs.txt passed=integration/ci/passed.txt

# digest prints the digest of the names and contents of a job's inputs, including untracked files.
digest() {
	local paths path
	read -ra paths < <(awk -v job="$1:" '/^[^\t]/ { on = $1 == job } on { sub(job, ""); printf "%s ", $0 }' $list)
	[ ${#paths[@]} -gt 0 ] || { echo "$list has no inputs of $1" >&2; return 1; }
	for path in "${paths[@]}"; do
		[[ $path == :!* ]] || [ -n "$(git ls-files -- "$path")" ] || { echo "$list: $1: no file is $path" >&2; return 1; }
	done
	git ls-files -z -co --exclude-standard --deduplicate -- "${paths[@]}" | LC_ALL=C sort -z |
		while IFS= read -rd '' path; do [ ! -f "$path" ] || printf '%s\0' "$path"; done | xargs -0 sha256sum | sha256sum | cut -c1-32
}

job=${2:?want a job}
case $1 in
due)
	mkdir -p .run
	for job in "${@:2}"; do
		now=$(digest "$job")
		if grep -qx "$job $now" $passed; then
			echo "$job: unchanged since it passed" >&2
			printf '%s\tskipped\t0\t0\t\tunchanged since it passed\n' "$job" >> .run/jobs.txt
		else
			echo "$job"
		fi
	done
	;;
keep)
	before=$(digest "$job")
	"${@:3}"
	if [ "$(digest "$job")" != "$before" ]; then
		echo "$job: its inputs changed while it ran; $passed keeps the old digest"
	elif [ -z "${CI_ONLY_COMPARES:-}" ]; then
		# Empty lines between the jobs let git merge changes of neighbours.
		{ grep -v "^$job \|^$" $passed || true; echo "$job $before"; } | LC_ALL=C sort | sed G > $passed.new
		mv $passed.new $passed
	fi
	;;
esac
