package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestAuditCommands lists, shows, verifies and exports the records of a session.
func TestAuditCommands(t *testing.T) {
	t.Parallel()
	session := newSession()
	for _, call := range []string{"c1", "c2"} {
		toolresult(t, "", "exec", "--session", session, "--call", call, "--", "echo", call).want(0)
	}
	list := toolresult(t, "", "audit", "list", "--session", session, "--since", "1h", "--kind", "projection").want(0, "ExecCommand", "tokens")
	lines := strings.Split(strings.TrimSpace(list.out), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "c2") || !strings.Contains(lines[1], "c1") {
		t.Fatalf("not the newest first: %s", list.out)
	}
	if one := toolresult(t, "", "audit", "list", "--session", session, "--limit", "1").want(0); one.out != lines[0]+"\n" {
		t.Errorf("the newest alone: %s", one.out)
	}
	sequence, _, _ := strings.Cut(lines[1], " ")
	toolresult(t, "", "audit", "show", "-o", "receipt", sequence).wantOut("Process exited with code 0\nstdout:\nc1\n")
	toolresult(t, "", "audit", "show", sequence).want(0, `"kind": "AUDIT_KIND_PROJECTION"`)
	toolresult(t, "", "audit", "verify", sequence).wantOut("record " + sequence + ": holds\n")
	export := toolresult(t, "", "audit", "export", "--session", session).want(0)
	for line := range strings.Lines(export.out) {
		var record struct {
			Call struct {
				SessionID string `json:"session_id"`
			}
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil || record.Call.SessionID != session {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestAuditVerifyFollowsTheChain verifies the log against heads that were kept.
func TestAuditVerifyFollowsTheChain(t *testing.T) {
	t.Parallel()
	toolresult(t, "", "exec", "--session", "chain", "--", "echo").want(0)
	out := toolresult(t, "", "audit", "verify").want(0, " records hold, 0 do not; head: ").out
	_, head, _ := strings.Cut(strings.TrimSpace(out), "head: ")
	toolresult(t, "", "audit", "verify", "--head", head).want(0)
	parts := strings.Fields(head)
	forged := parts[0] + " " + parts[1] + " blake3:" + strings.Repeat("0", 64)
	toolresult(t, "", "audit", "verify", "--head", forged).want(1, "record "+parts[1]+": ", "1 do not")
}

func TestAuditMistakes(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"! no sequence":       {"show", "0"},
		"! \"x\" is no seq":   {"verify", "x"},
		"! NotFound":          {"show", "9999999"},
		"! LOG SEQUENCE HASH": {"verify", "--head", "log 1"},
		"! \"one\" is no":     {"verify", "--head", "log one hash"},
		"! --kind gossip":     {"list", "--kind", "gossip"},
	} {
		toolresult(t, "", append([]string{"audit"}, args...)...).want(codeFailed, want)
	}
}
