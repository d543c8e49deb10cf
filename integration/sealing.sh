#!/usr/bin/env bash
# Attacks receipts: generated cases, then inputs guided by coverage: `make sealing`. Runs add up in .run/sealing.txt;
# each goes on behind the last case of its seed there.
#
#   sealing.sh CASES SEED FUZZ WORKERS
set -euo pipefail
cases=$1 seed=$2 fuzz=$3 workers=$4 ledger=$PWD/.run/sealing.txt
export GOGC=400
mkdir -p .run
touch "$ledger"
commit=$(git describe --always --dirty)
from=$(sed -n "s/.*\"seed\":$seed,\"from\":\([0-9]*\),\"cases\":\([0-9]*\).*/\1 \2/p" "$ledger" | awk '$1 + $2 > n {n = $1 + $2} END {printf "%d", n}')
if [ "$from" -lt "$cases" ]; then
	go test -count=1 -timeout 0 ./server/families -run '^TestSealing$' -v -sealing.seed "$seed" -sealing.from "$from" \
		-sealing.cases $((cases - from)) -sealing.workers "$workers" -sealing.ledger "$ledger" -sealing.commit "$commit"
fi
go test -timeout 0 ./server/families -run '^$' -fuzz '^FuzzSealing$' -fuzztime "$fuzz" -fuzzminimizetime 20x | tee .run/sealing-fuzz.txt
fuzzed=$(sed -n 's/.*execs: \([0-9]*\).*/\1/p' .run/sealing-fuzz.txt | tail -n 1)
echo "{\"commit\":\"$commit\",\"fuzzed\":${fuzzed:-0}}" >> "$ledger"
go test -count=1 ./server/families -run '^TestSealingLedger$' -v -sealing.ledger "$ledger"
