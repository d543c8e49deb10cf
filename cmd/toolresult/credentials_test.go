package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTokensLeaveTheMachineOverTLSOnly(t *testing.T) {
	t.Setenv("TOOLRESULT_TOKEN", strings.Repeat("t", 43))
	for address, want := range map[string]error{
		"127.0.0.1:1": nil, "localhost:1": nil, "[::1]:1": nil, "unix:///s": nil, "192.0.2.1:1": errTokenInClear, "example.com:1": errTokenInClear,
		"localhost": errTokenInClear,
	} {
		if _, err := (&credentialFlags{}).options(address); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", address, err, want)
		}
	}
	for _, onMachine := range []bool{false, true} {
		b := bearer{"secret", onMachine}
		metadata, err := b.GetRequestMetadata(t.Context())
		if err != nil || metadata["authorization"] != "Bearer secret" || b.RequireTransportSecurity() == onMachine {
			t.Errorf("%v, TLS %v, %v", metadata, b.RequireTransportSecurity(), err)
		}
	}
}

func TestCredentialFilesMustBeGood(t *testing.T) {
	t.Parallel()
	text := writeFile(t, "text", "no certificate")
	none := filepath.Join(t.TempDir(), "none")
	for name, f := range map[string]credentialFlags{
		"no token file": {tokenFile: none}, "no authority": {ca: none}, "text for an authority": {ca: text},
	} {
		_, err := f.options("192.0.2.1:1")
		if err == nil || strings.HasPrefix(name, "no") && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := (&credentialFlags{ca: none}).options("unix:///s"); err != nil {
		t.Errorf("a Unix socket needs no TLS: %v", err)
	}
}

// TestSessionToken confines a client to a session.
func TestSessionToken(t *testing.T) {
	t.Parallel()
	token := toolresult(t, "", "session-token", "mine").want(0)
	file := writeFile(t, "token", token.out)
	toolresult(t, "", "exec", "--session", "other", "--artifacts", "always", "--", "echo", "secret").want(0)
	toolresult(t, "", "artifacts", "list", "--session-token-file", file, "--session", "other").want(codeFailed, "! PermissionDenied")
	toolresult(t, "", "artifacts", "list", "--session-token-file", file, "--session", "mine").want(0)
	if err := os.WriteFile(file, []byte(strings.Repeat("x", len(token.out)-1)), 0o600); err != nil {
		t.Fatal(err)
	}
	toolresult(t, "", "artifacts", "list", "--session-token-file", file, "--session", "mine").want(codeFailed, "! Unauthenticated")
}

// TestSessionTokensAreTakenBack issues two tokens of a session, and takes one back by its id and the other with the session.
func TestSessionTokensAreTakenBack(t *testing.T) {
	t.Parallel()
	list := func(token string) *outcome {
		return toolresult(t, "", "artifacts", "list", "--session-token-file", writeFile(t, "token", token))
	}
	var first struct {
		Token     string
		TokenID   string `json:"token_id"`
		ExpiresAt string `json:"expires_at"`
	}
	issued := toolresult(t, "", "session-token", "--output", "json", "--lifetime", "1h", "leaving").want(0)
	if err := json.Unmarshal([]byte(issued.out), &first); err != nil || first.ExpiresAt == "" {
		t.Fatalf("%s: %v", issued.out, err)
	}
	second := toolresult(t, "", "session-token", "leaving").want(0)
	list(first.Token).want(0)
	toolresult(t, "", "session-token", "--revoke-id", first.TokenID).want(0)
	list(first.Token).want(codeFailed, "! TOKEN_EXPIRED")
	list(second.out).want(0)
	toolresult(t, "", "session-token", "--revoke", "leaving").want(0)
	list(second.out).want(codeFailed, "! TOKEN_EXPIRED")
	toolresult(t, "", "session-token", "--revoke-id", "00000000-1").want(codeFailed, "! TOKEN_UNKNOWN")
	for _, args := range [][]string{{}, {"--revoke"}, {"--revoke-id", "x", "s"}, {"--revoke", "--lifetime", "1h", "s"}, {"--output", "xml", "s"}} {
		toolresult(t, "", append([]string{"session-token"}, args...)...).want(codeFailed)
	}
}
