package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// aMessage returns the schema of a message, as printJSON prints it or, with every false, with the fields alone that have a value.
func aMessage(m proto.Message, every bool) func(*schemas) *jsonschema.Schema {
	return func(s *schemas) *jsonschema.Schema { return s.message(descriptor(m), every) }
}

// aValue returns the schema of values of this program: of one of them, if there are several.
func aValue(t *testing.T, values ...any) func(*schemas) *jsonschema.Schema {
	return func(s *schemas) *jsonschema.Schema {
		if len(values) == 1 {
			return s.of(t, values[0])
		}
		one := &jsonschema.Schema{}
		for _, v := range values {
			if m, ok := v.(proto.Message); ok {
				one.AnyOf = append(one.AnyOf, s.message(descriptor(m), true))
			} else {
				one.AnyOf = append(one.AnyOf, s.of(t, v))
			}
		}
		return one
	}
}

// canonicalResult is the schema of a canonical result in the RFC's JSON. Its result is that of one of the families, which an
// operator may add to.
func canonicalResult(s *schemas) *jsonschema.Schema {
	s.defs["CanonicalResult"] = &jsonschema.Schema{
		Type: "object", Required: []string{"tool_name", "status", "summary_text", "result", "error"},
		Properties: map[string]*jsonschema.Schema{
			"tool_name": {Type: "string"}, "status": {Type: "string", Examples: []any{"success", "error"}}, "summary_text": {Type: "string"},
			"result": {Types: []string{"object", "null"}, Description: "the payload of the family"}, "error": {Types: []string{"object", "null"}},
		},
		PropertyOrder: []string{"tool_name", "status", "summary_text", "result", "error"},
	}
	return &jsonschema.Schema{Ref: "#/$defs/CanonicalResult"}
}

// projectedResult is the schema of a result with its receipt. compact prints further members as it has read them.
func projectedResult(s *schemas) *jsonschema.Schema {
	s.defs["ProjectedResult"] = &jsonschema.Schema{
		Type: "object", Required: []string{"canonical", "receipt"}, PropertyOrder: []string{"canonical", "receipt"},
		Properties: map[string]*jsonschema.Schema{"canonical": canonicalResult(s), "receipt": s.message(descriptor(&pb.Receipt{}), false)},
	}
	return &jsonschema.Schema{Ref: "#/$defs/ProjectedResult"}
}

// settingsSchema is the schema of `config print`: a member for each setting.
func settingsSchema(s *schemas) *jsonschema.Schema {
	s.defs["Settings"] = &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{
		Type: "object", Required: []string{"value", "origin"}, PropertyOrder: []string{"value", "origin"},
		Properties: map[string]*jsonschema.Schema{"value": {}, "origin": {Type: "string", Examples: []any{"default", "file PATH:LINE", "env NAME", "flag --NAME"}}},
	}}
	return &jsonschema.Schema{Ref: "#/$defs/Settings"}
}

// fixed returns arguments that need nothing.
func fixed(args ...string) func(*testing.T) []string {
	return func(*testing.T) []string { return args }
}

// anArtifact returns the path of an artifact.
func anArtifact(t *testing.T) []string { return []string{storeLines(t, newSession())} }

// damagedStore returns the flag of a store with a record that is damaged, and a directory for what is whole of it.
func damagedStore(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	store := filepath.Join(dir, "store")
	for _, word := range []string{"alpha", "bravo", "charlie"} {
		toolresult(t, "", "exec", "--store", store, "--session", "s", "--", "echo", word).want(0)
	}
	segment := filepath.Join(store, "journal", "segments", "0000000001.segment")
	content, err := os.ReadFile(segment)
	if err != nil {
		t.Fatal(err)
	}
	content[strings.Index(string(content), "bravo")] ^= 1
	if err := os.WriteFile(segment, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"--store", store, filepath.Join(dir, "whole")}
}

// aSequence returns the sequence of a record.
func aSequence(t *testing.T) []string {
	t.Helper()
	session := newSession()
	toolresult(t, "", "exec", "--session", session, "--", "echo").want(0)
	sequence, _, _ := strings.Cut(toolresult(t, "", "audit", "list", "--session", session).want(0).out, " ")
	return []string{sequence}
}

// profileDir returns a directory with a profile.
func profileDir(t *testing.T) []string {
	return []string{filepath.Dir(writeFile(t, "mine.yaml", "name: mine\nmatch: [my-tool]\n"))}
}

const (
	aTurn   = `{"totalTokens": 1000, "outputs": [{"output": ` + output + `}]}`
	aBody   = `data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	anEntry = `{"provider": "PROVIDER_OPENAI_CHAT", "user_text": "hi"}`
	orphans = `[{"role": "user", "content": "x"}, {"role": "tool", "tool_call_id": "a", "content": "y"}]`
)

// everyOutput returns what each command prints. A command that prints several things has one row for each.
func everyOutput(t *testing.T) []printed {
	many := strings.Repeat("a long line of some output\n", 400)
	return []printed{
		{command: "artifacts append", args: func(*testing.T) []string { return []string{"--session", newSession(), "--call", "c"} }, stdin: many, schema: aMessage(&pb.AppendLogResponse{}, true), about: "the log, as an artifact"},
		{command: "artifacts gc", args: fixed("--dry-run"), schema: aMessage(&pb.CollectGarbageResponse{}, true), about: "what was deleted, or would be"},
		{command: "artifacts lease", args: fixed("json", "1h"), schema: aMessage(&pb.LeaseSessionResponse{}, true), about: "the end of the lease; none: no member"},
		{command: "artifacts list", args: func(t *testing.T) []string {
			anArtifact(t)
			s := newSession()
			storeLines(t, s)
			return []string{"--session", s}
		}, lines: true,
			schema: aMessage(&pb.ArtifactEntry{}, true), about: "artifacts"},
		{command: "artifacts read", args: anArtifact, lines: true, schema: aMessage(&pb.ReadArtifactResponse{}, true), about: "pages, their bytes in base64"},
		{command: "artifacts verify", args: anArtifact, lines: true, schema: aMessage(&pb.VerifyArtifactsResponse{}, true), about: "`corrupt` artifacts; last the `counts`"},
		{command: "audit export", args: fixed("--limit", "20"), lines: true, schema: aMessage(&pb.AuditRecord{}, false), about: "records, whole"},
		{command: "audit list", args: fixed("--limit", "20"), lines: true, schema: aMessage(&pb.AuditRecord{}, false), about: "records, in short"},
		{command: "audit salvage", args: damagedStore, code: 1, lines: true, schema: aValue(t, salvageLine{}), about: "what is `left`; last what was `written`"},
		{command: "audit show", args: aSequence, schema: aMessage(&pb.AuditRecord{}, true), about: "a record"},
		{command: "audit verify", args: aSequence, lines: true, schema: aValue(t, verifiedRecord{}, &pb.VerifyLogResponse{}),
			about: "of a sequence: the `record`; of the log: what is `inconsistent`, and last what is `verified`"},
		{command: "compact", stdin: projected1(t), args: fixed(), schema: projectedResult, about: "results one after the other, with the members that each had"},
		{command: "compact --dry-run", stdin: projected1(t), args: fixed(), schema: aMessage(&pb.CompactionPlan{}, true), about: "the plan"},
		{command: "compact --overview", stdin: projected1(t), args: fixed("--level", "line"), schema: aMessage(&pb.Receipt{}, true), about: "the receipt over all"},
		{command: "config print", args: fixed(), schema: settingsSchema, about: "each setting with its origin; secrets are `(set)`"},
		{command: "doctor", args: fixed("pi"), code: 1, schema: aValue(t, doctorReport{}), about: "findings"},
		{command: "ensure", args: fixed(), schema: aValue(t, ensured{}), about: "the address"},
		{command: "exec", args: fixed("--", "echo", "hi"), schema: projectedResult, about: "the result and its receipt"},
		{command: "families", args: fixed(), schema: aValue(t, familyList{}), about: "families"},
		{command: "info", args: fixed(), schema: aMessage(&pb.GetServerInfoResponse{}, true), about: "the running sidecar"},
		{command: "install", args: fixed("pi", "--dry-run"), schema: aValue(t, hostChanges{}), about: "what is written"},
		{command: "profile check", args: profileDir, schema: aValue(t, profileChecks{}), about: "problems, by directory"},
		{command: "profile explain", args: fixed("--exit", "1", "--text", "-", "--", "grep", "x", "y"), stdin: "a\nerror: b\n", schema: aValue(t, explainedProfile{}), about: "the profile, and why"},
		{command: "profile list", args: fixed(), schema: aValue(t, profileList{}), about: "profiles"},
		{command: "project", stdin: output, args: fixed(), schema: projectedResult, about: "the result and its receipt"},
		{command: "project-turn", stdin: aTurn, args: fixed(), schema: projectedResult, about: "results one after the other"},
		{command: "render", stdin: projected1(t), args: fixed(), schema: aMessage(&pb.RenderResponse{}, true), about: "the receipt"},
		{command: "session-token", args: fixed("json"), schema: aMessage(&pb.IssueSessionTokenResponse{}, true), about: "the token, its id and its end"},
		{command: "tool call", args: fixed("read_result", `{"result": "ffffffff"}`, "--session", "json"), code: 1, schema: canonicalResult, about: "the canonical result"},
		{command: "tool definitions", args: fixed("--provider", "openai-chat"), schema: aMessage(&pb.GetToolDefinitionsResponse{}, true), about: "definitions as JSON in texts"},
		{command: "transport assemble", stdin: aBody, args: fixed("--provider", "openai-chat"), schema: aMessage(&pb.AssembleToolCallsResponse{}, true), about: "the calls of a response"},
		{command: "transport encode", stdin: anEntry, args: fixed(), schema: aMessage(&pb.EncodeTurnResponse{}, true), about: "messages as JSON in texts"},
		{command: "transport lint", stdin: orphans, args: fixed("--provider", "openai-chat"), code: 1, schema: aMessage(&pb.LintTranscriptResponse{}, true), about: "findings"},
		{command: "uninstall", args: fixed("pi", "--dry-run"), schema: aValue(t, hostChanges{}), about: "what is written"},
		{command: "version", args: fixed(), schema: aValue(t, buildInfo{}), about: "this binary"},
	}
}

// projected1 returns one projected result as JSON.
func projected1(t *testing.T) string {
	t.Helper()
	return toolresult(t, output, "project", "--output", "json").want(0).out
}

// outputPage returns the page with the table of all commands between its marks.
func outputPage(t *testing.T, path string, list []printed) string {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- commands -->\n", "<!-- end of commands -->"
	before, rest, _ := strings.Cut(string(page), begin)
	_, after, found := strings.Cut(rest, end)
	if !found {
		t.Fatalf("%s has no marks", path)
	}
	var b strings.Builder
	b.WriteString("| command | prints | of |\n| --- | --- | --- |\n")
	document := describe(list)
	for _, p := range list {
		form := "an object"
		switch {
		case p.lines:
			form = "an object on each line"
		case strings.Contains(p.about, "one after the other"):
			form = "objects"
		}
		var names []string
		s := document.Defs[p.command]
		for _, one := range append(s.AnyOf, s) {
			if one.Ref != "" {
				names = append(names, "`"+strings.TrimPrefix(one.Ref, "#/$defs/")+"`")
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s: %s | %s |\n", p.command, form, p.about, strings.Join(names, ", "))
	}
	return before + begin + b.String() + end + after
}
