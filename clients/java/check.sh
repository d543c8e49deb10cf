#!/usr/bin/env bash
# Checks the Java client: builds and lints it, runs its tests, and looks at what the example prints. TOOLRESULT_BINARY is the sidecar.
# Everything is built below .run; offline once Maven has the dependencies.
set -euo pipefail
cd "$(dirname "$0")"
: "${TOOLRESULT_BINARY:?names the built sidecar}"
export TOOLRESULT_BINARY
dir=$(realpath -m ../../.run/clients/java)

bash conformance/prepare.sh "$dir"
classpath=$dir/target/toolresult-client-0.1.0.jar:$dir/lib/*
example=src/main/java/io/github/toolresult/example
rm -rf "$dir/lint"
javac -Xlint:all -Werror --release 17 -cp "$classpath" -d "$dir/lint/classes" "$example"/*.java
javadoc -quiet -Xdoclint:all,-missing -Werror --release 17 -cp "$classpath" -d "$dir/lint/javadoc" "$example"/*.java

mvn --quiet --batch-mode -Dtoolresult.build="$dir/target" test

# The example finds no sidecar, and starts one.
home=$(mktemp -d)
end() {
	kill "$(grep -o '"pid":[0-9]*' "$home/toolresult/address" | cut -d: -f2)" 2>/dev/null || true
	rm -rf "$home"
}
trap end EXIT
env -i PATH="$PATH" HOME="$home" XDG_RUNTIME_DIR="$home" TOOLRESULT_VOLATILE=true TOOLRESULT_BINARY="$TOOLRESULT_BINARY" \
	java -cp "$classpath" io.github.toolresult.example.Example >"$home/out" 2>"$home/err" || { cat "$home/err" && exit 1; }
while IFS= read -r line; do
	grep -qxF -- "$line" "$home/out" || { cat "$home/out" && echo "the example does not print: $line" && exit 1; }
done <example.txt
if [[ -s $home/err ]]; then
	cat "$home/err" && echo "the example is not quiet" && exit 1
fi
echo "the Java client is good"
