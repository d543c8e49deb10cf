#!/usr/bin/env bash
# Installs the Go client by `go get`, from a module proxy that is a folder with the module as it is committed.
set -euo pipefail
version=v0.0.0-test
proxy=$PWD/proxy/github.com/toolresult/toolresult/@v
mkdir -p "$proxy" module project
git -C "$CLONE" archive HEAD | tar x -C module
folder=$PWD/module
(cd "$CLONE" && go run ./integration/clients/modulezip "$folder" "$version" "$proxy/$version.zip")
cp "$CLONE/go.mod" "$proxy/$version.mod"
printf '{"Version":"%s"}\n' "$version" >"$proxy/$version.info"

# Project: a module of its own
cd project
downloaded=$(go env GOMODCACHE)/cache/download
export GOPROXY="file://${proxy%/github.com*},file://$downloaded" GOSUMDB=off GOMODCACHE="${proxy%/proxy/*}/cache" GOFLAGS="-mod=mod -modcacherw"
go mod init example.com/project 2>/dev/null
go get "github.com/toolresult/toolresult/clients/go@$version" 2>/dev/null
cat >main.go <<'EOF'
package main

import (
	"context"
	"fmt"
	"log"

	toolresult "github.com/toolresult/toolresult/clients/go"
)

func main() {
	ctx := context.Background()
	client, err := toolresult.Connect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	result, err := client.ProjectText(ctx, "echo", "hello\n")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Receipt)
}
EOF
go run .
