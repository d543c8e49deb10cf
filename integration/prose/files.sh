#!/usr/bin/env bash
# Prints the files that `make prose` checks: no generated code, no test data, and no decisions, which
# keep the words of their time. Still to do: integration and the package server.
set -euo pipefail
git ls-files -- '*.go' 'docs/*.md' README.md CONTRIBUTING.md 'proto/*.proto' ':!gen' ':!docs/adr' ':!*/testdata/*' \
	':!integration' ':(exclude,glob)server/*.go' |
	while read -r file; do [ ! -f "$file" ] || echo "$file"; done
