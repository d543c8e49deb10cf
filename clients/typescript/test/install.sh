#!/usr/bin/env bash
# Packs the package that build.sh made in DIR, and installs it as users do, in a project of modules and in one of require(): install.sh DIR.
# Each project checks its types by all ways that TypeScript finds packages, connects, and projects.
set -euo pipefail
dir=$1
rm -rf "$dir/install"
mkdir -p "$dir/install/esm" "$dir/install/cjs"
cd "$dir/install"
npm pack --silent --ignore-scripts --pack-destination . "$dir/package" >/dev/null
tarball=$(realpath toolresult-*.tgz)
tar -tzf "$tarball" | grep -vE '^package/(dist/|package.json$|LICENSE$|README.md$)' && { echo "the package has files that are not its own" >&2; exit 1; }

program='const client = await connect({ start: true });
const result: Result = await client.projectText("echo", "hello\n", { maxTokens: 100 });
const counts = { tokens: result.tokens, canonical: toJson(CanonicalToolResultSchema, create(CanonicalToolResultSchema, result.canonical)) };
console.log(`${result.receipt.split("\n")[1]}, ${counts.tokens > 0}, ${JSON.stringify(counts.canonical).includes("echo")}`);
client.close();'
imports='import { connect, type Result } from "toolresult";
import { CanonicalToolResultSchema } from "toolresult/v1";
import { create, toJson } from "@bufbuild/protobuf";'
printf '%s\n%s\n' "$imports" "$program" >esm/main.ts
printf '%s\nasync function main() {\n%s\n}\nvoid main();\n' "$imports" "$program" >cjs/main.ts
echo '{"name": "esm", "private": true, "type": "module"}' >esm/package.json
echo '{"name": "cjs", "private": true}' >cjs/package.json

home=$(mktemp -d)
end() {
  pid=$(sed -n 's/.*"pid":\([0-9]*\).*/\1/p' "$home/toolresult/address" 2>/dev/null || true)
  [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
  rm -rf "$home"
}
trap end EXIT
for kind in esm cjs; do
  (
    cd "$kind"
    npm install --no-audit --no-fund --prefer-offline --loglevel=error "$tarball" @bufbuild/protobuf@2.17.0 >/dev/null
    npm install --no-audit --no-fund --prefer-offline --loglevel=error --save-dev typescript@5.9.3 @types/node@20.19.9 >/dev/null
    tsc() { node_modules/.bin/tsc --strict --target es2022 --types node "$@" main.ts; }
    tsc --module preserve --moduleResolution bundler --noEmit
    [ "$kind" = esm ] || tsc --module commonjs --moduleResolution node10 --noEmit # of projects from before package.json had exports
    tsc --module node16 --moduleResolution node16 --skipLibCheck false
    got=$(env -u TOOLRESULT_ADDRESS -u TOOLRESULT_SOCKET HOME="$home" XDG_RUNTIME_DIR="$home" TOOLRESULT_VOLATILE=true node main.js)
    [ "$got" = "hello, true, true" ] || { echo "$kind: $got" >&2; exit 1; }
  )
done
