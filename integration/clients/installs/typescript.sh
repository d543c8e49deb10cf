#!/usr/bin/env bash
# Installs the tarball of the TypeScript client into a project of ES modules, one of CommonJS, and one of TypeScript.
set -euo pipefail
mkdir clone
git -C "$CLONE" ls-files -z proto clients/typescript | (cd "$CLONE" && xargs -0 cp --parents -t "$OLDPWD/clone")
(cd clone/clients/typescript && npm ci --silent --no-audit --no-fund && npm pack --silent --pack-destination "$OLDPWD") >/dev/null
tarball=$(echo "$PWD"/toolresult-*.tgz)

install() { # a project of its own in the folder $1, of the type $2
	mkdir "$1"
	cd "$1"
	printf '{"private": true, "type": "%s"}\n' "$2" >package.json
	npm install --silent --no-audit --no-fund "$tarball" "${@:3}"
}

# Project: ES modules
(
	install esm module
	cat >main.js <<'EOF'
import { connect } from "toolresult";

const client = await connect();
console.log((await client.projectText("echo", "hello\n")).receipt);
client.close();
EOF
	node main.js
)

# Project: CommonJS
(
	install cjs commonjs
	cat >main.js <<'EOF'
const { connect } = require("toolresult");

connect().then(async (client) => {
  console.log((await client.projectText("echo", "hello\n")).receipt);
  client.close();
});
EOF
	node main.js
)

# Project: TypeScript, checked strictly
(
	install ts module typescript@5.9.3 @types/node@20.19.25
	cat >main.ts <<'EOF'
import { connect, ToolResultError } from "toolresult";

const client = await connect();
try {
  const receipt: string = (await client.projectText("echo", "hello\n")).receipt;
  console.log(receipt);
} catch (error) {
  if (!(error instanceof ToolResultError)) throw error;
  console.log(error.hint);
} finally {
  client.close();
}
EOF
	npx tsc --strict --target es2022 --module nodenext --types node main.ts
	node main.js
)
