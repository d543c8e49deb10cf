#!/usr/bin/env bash
# Installs the agent hosts of the lock file into a folder: integration/hosts/install.sh FOLDER
set -euo pipefail
mkdir -p "$1"
cp "$(dirname "$0")"/package.json "$(dirname "$0")"/package-lock.json "$1"
cd "$1"
# Not npm ci: it wants the packages of other systems in the lock file, which some registries do not have.
npm install --no-save --ignore-scripts --no-audit --no-fund
# Two hosts put their program into its place by a script. Those of all other packages do not run.
npm rebuild @anthropic-ai/claude-code opencode-ai
