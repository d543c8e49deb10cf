#!/usr/bin/env bash
# Installs the generators of the clients' code, pinned: install.sh DIR. `make generate` and `make check-generated` need them, and
# with them Python, Node, Rust and Java; `go build` and `go test` do not.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dir=$1
rm -rf "$dir"
mkdir -p "$dir/java"
dir=$(cd "$dir" && pwd)

python3 -m venv "$dir/python"
"$dir/python/bin/pip" install --quiet --no-deps --requirement "$here/requirements.txt"

cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$dir/"
(cd "$dir" && npm ci --silent --no-audit --no-fund)

cargo install --quiet --locked --root "$dir" protoc-gen-prost@0.5.0 protoc-gen-tonic@0.5.0

case $(uname -m) in
x86_64) platform=linux-x86_64 ;;
aarch64 | arm64) platform=linux-aarch_64 ;;
*) echo "no protoc for $(uname -m)" >&2 && exit 1 ;;
esac
for program in com.google.protobuf:protoc:4.33.0 io.grpc:protoc-gen-grpc-java:1.76.0; do
	IFS=: read -r _ name _ <<<"$program"
	mvn --quiet --batch-mode org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
		-Dartifact="$program:exe:$platform" -DoutputDirectory="$dir/java" -Dmdep.stripVersion=true
	mv "$dir/java/$name-$platform.exe" "$dir/java/$name"
	chmod +x "$dir/java/$name"
done
