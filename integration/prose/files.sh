#!/usr/bin/env bash
# Prints the files whose words `make prose` checks: not generated code, inputs of tests, and decisions, which keep the
# words of their time. Tests of the whole program, and the package server, are not done yet.
set -euo pipefail
git ls-files -- '*.go' 'docs/*.md' README.md CONTRIBUTING.md 'proto/*.proto' ':!gen' ':!docs/adr' ':!*/testdata/*' \
	':!integration' ':(exclude,glob)server/*.go' |
	while read -r file; do [ ! -f "$file" ] || echo "$file"; done
