#!/usr/bin/env bash
# Starts the built sidecar, says how to call it, shows one real receipt and serves until Ctrl-C: `make run`.
set -euo pipefail
binary=$1
mkdir -p .run
rm -f .run/address
"$binary" serve > .run/address &
sidecar=$!
trap 'kill $sidecar 2> /dev/null || true; wait $sidecar' EXIT
until [ -s .run/address ]; do
	kill -0 $sidecar 2> /dev/null || exit 1
	sleep 0.1
done
read -r address < .run/address
cat << END
The sidecar serves $address. Call it with generated clients, or:

  $binary exec -- COMMAND                        run a command, see its receipt
  $binary info                                   see what it is and what it accepts
  make grpcurl && .bin/grpcurl -plaintext $address list   see its services

\$ $binary exec --max-tokens 200 -- go list -deps ./cmd/toolresult
END
"$binary" exec --server "$address" --max-tokens 200 -- go list -deps ./cmd/toolresult
echo
echo "Ctrl-C stops it."
trap 'exit 0' INT TERM
wait $sidecar
