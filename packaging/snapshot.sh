#!/usr/bin/env bash
# Builds all of a release of this commit into .bin/dist, twice, and fails unless every file of it has the same bytes: snapshot.sh [linux].
# What only a release can do is skipped: the signature, the image and what is published.
set -euo pipefail
PATH=$PWD/.bin:$PATH
export GOTOOLCHAIN=local
unset GOFLAGS
if [ "${1:-}" = linux ]; then export TOOLRESULT_ONLY_LINUX=yes; fi

build() {
	goreleaser release --snapshot --clean --timeout 90m --skip=sign,docker,publish
	# checksums.txt has the packages, the archives and the bills of materials; these two are beside them.
	(cd .bin/dist && cat checksums.txt && sha256sum checksums.txt homebrew/Formula/*.rb)
}

goreleaser check
build | tee .bin/snapshot.first
# The second time somebody builds who has not what the first one left.
rm -rf .bin/dist .bin/packaging
build >.bin/snapshot.second
diff .bin/snapshot.first .bin/snapshot.second
(cd .bin/dist && sha256sum --check --quiet checksums.txt)
sed -n 's/^[0-9a-f]*  /same bytes twice: /p' .bin/snapshot.second
