#!/usr/bin/env bash
# Builds the driver: prepare.sh DIR makes DIR/driver, and what it needs below DIR. It does nothing if no source has changed:
# the generated code takes half a minute to compile.
set -euo pipefail
mkdir -p "$1"
dir=$(cd "$1" && pwd)
exec 9>"$dir/lock"
flock 9 # of those who prepare at once, one builds
cd "$(dirname "$0")/.."

sources=$({ find pom.xml src/build src/main conformance ../../proto -type f | LC_ALL=C sort | xargs sha256sum; javac -version; } | sha256sum)
if [[ -x $dir/driver && $(cat "$dir/sources" 2>/dev/null) == "$sources" ]]; then
	exit 0
fi
rm -rf "$dir/driver" "$dir/lib" "$dir/classes"
mvn --quiet --batch-mode -Dtoolresult.build="$dir/target" -Dmaven.test.skip=true package \
	dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$dir/lib"
client=$dir/target/toolresult-client-0.1.0.jar
javac -Xlint:all -Werror --release 17 -cp "$client:$dir/lib/*" -d "$dir/classes" conformance/*.java

cat >"$dir/driver" <<END
#!/usr/bin/env bash
exec java -XX:+UseSerialGC -cp "$dir/classes:$client:$dir/lib/*" io.github.toolresult.conformance.Driver
END
chmod +x "$dir/driver"
echo "$sources" >"$dir/sources"
