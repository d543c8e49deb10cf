#!/usr/bin/env bash
# Builds the driver: prepare.sh DIR makes DIR/driver.
set -euo pipefail
cd "$(dirname "$0")"
go build -o "$1/driver" .
