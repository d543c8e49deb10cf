#!/usr/bin/env bash
# Prints the tests of a list as a regular expression for `go test -skip`. Lines are a name, two spaces or more, and a reason.
set -euo pipefail
sed -nE 's/^([A-Z][A-Za-z0-9_]*)  +.*/\1/p' "$1" | paste -sd'|' | sed -E 's/.+/^(&)$/'
