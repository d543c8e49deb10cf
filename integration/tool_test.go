package integration_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/artifactstore/dir"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// toolProvocations has a row for every refusal that tool.proto lists.
func toolProvocations() []provocation {
	const invalid = "INVALID_ARGUMENT"
	definitions := func(p pb.Provider) provoke {
		return func(t *testing.T, s *sidecar) error {
			_, err := pb.NewToolServiceClient(s.conn).GetToolDefinitions(t.Context(), &pb.GetToolDefinitionsRequest{Provider: p})
			return err
		}
	}
	call := func(req *pb.CallToolRequest) provoke {
		return func(t *testing.T, s *sidecar) error {
			_, err := pb.NewToolServiceClient(s.conn).CallTool(t.Context(), req)
			return err
		}
	}
	session := callOf("s", "")
	return []provocation{
		{listed{"GetToolDefinitions", invalid, "FIELD_MISSING"}, "provider", definitions(0)},
		{listed{"GetToolDefinitions", invalid, "ENUM_UNKNOWN"}, "provider", definitions(99)},
		{listed{"CallTool", invalid, "FIELD_MISSING"}, "call.session_id", call(&pb.CallToolRequest{Name: "read_result"})},
		{listed{"CallTool", invalid, "FIELD_MISSING"}, "name", call(&pb.CallToolRequest{Call: session})},
		{listed{"CallTool", invalid, "FIELD_TOO_LONG"}, "call.session_id", call(&pb.CallToolRequest{Name: "read_result", Call: callOf(strings.Repeat("x", 129), "")})},
		{listed{"CallTool", invalid, "NAME_INVALID"}, "call.call_id", call(&pb.CallToolRequest{Name: "read_result", Call: callOf("s", "a "+canary)})},
		{listed{"CallTool", invalid, "FIELD_OUT_OF_BOUNDS"}, "policy.budget.max_tokens", call(&pb.CallToolRequest{
			Name: "read_result", Call: session, Policy: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 1}},
		})},
		{listed{"CallTool", invalid, "ENUM_UNKNOWN"}, "canonical_form", call(&pb.CallToolRequest{Name: "read_result", Call: session, CanonicalForm: 99})},
		{listed{"CallTool", invalid, "BUDGET_TOO_SMALL"}, "", call(&pb.CallToolRequest{
			Name: "read_result", Call: session, Policy: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 16}}, ArgumentsJson: canary,
		})},
		{listed{"CallTool", invalid, "TOOL_UNKNOWN"}, "", call(&pb.CallToolRequest{Name: canary, Call: session})},
		{listed{"CallTool", "DATA_LOSS", "ARTIFACT_CORRUPT"}, "", readByModel(flipped)},
		{listed{"CallTool", "DATA_LOSS", "ARTIFACT_MISSING"}, "", readByModel(os.Remove)},
	}
}

// readByModel reads an artifact of a session that is not what was put any more.
func readByModel(spoil func(path string) error) provoke {
	return func(t *testing.T, _ *sidecar) error {
		s := startSidecar(t, launch{})
		path := keptFor(t, s, "s", strings.Repeat("damaged\n", 9000)).GetPath()
		if err := spoil(path); err != nil {
			t.Fatal(err)
		}
		_, err := pb.NewToolServiceClient(s.conn).CallTool(t.Context(), &pb.CallToolRequest{
			Name: "read_result", ArgumentsJson: fmt.Sprintf(`{"result": %q}`, path), Call: callOf("s", ""),
		})
		return err
	}
}

// flipped changes a byte of an artifact.
func flipped(path string) error {
	content, err := os.ReadFile(path)
	return errors.Join(err, os.Remove(path), os.WriteFile(path, bytes.Replace(content, []byte("damaged"), []byte("Damaged"), 1), 0o400))
}

// keptFor projects a command of a session whose output is cut.
func keptFor(t testing.TB, s *sidecar, session, text string) *pb.ArtifactReference {
	t.Helper()
	req := within(&pb.Budget{MaxTokens: 300}, completed(0, text))
	req.Call = callOf(session, "")
	return s.project(t, req).GetCanonical().GetCommand().GetArtifacts()[0]
}

// modelCalls makes a call of a model, and returns what the model reads.
func modelCalls(ctx context.Context, t *testing.T, s *sidecar, session, arguments string) *pb.CallToolResponse {
	t.Helper()
	resp, err := pb.NewToolServiceClient(s.conn).CallTool(ctx, &pb.CallToolRequest{Name: "read_result", ArgumentsJson: arguments, Call: callOf(session, "")})
	if err != nil {
		t.Fatalf("%s: %v", arguments, err)
	}
	return resp
}

// TestModelReadsWhatWasCut goes the way of a model: from a receipt through the call that it names to every line of the output,
// with nothing but what it reads.
func TestModelReadsWhatWasCut(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	text := counted(30_000)
	req := within(&pb.Budget{MaxTokens: 300}, completed(0, text))
	req.Call, req.Policy.Render.Handles = callOf("s", "c"), pb.HandleForm_HANDLE_FORM_CALL
	receipt := s.project(t, req).GetReceipt().GetText()
	handle := regexp.MustCompile(`all: read_result\(result="([^"]+)"\)\n`).FindStringSubmatch(receipt)
	if handle == nil || strings.Contains(receipt, s.Store) {
		t.Fatal(receipt)
	}
	arguments := map[string]any{"result": handle[1]}
	var got strings.Builder
	for pages := 0; ; pages++ {
		encoded, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		answer := modelCalls(t.Context(), t, s, "s", string(encoded)).GetReceipt()
		if answer.GetTokens() > 4000 || pages > 100 {
			t.Fatalf("page %d has %d tokens", pages, answer.GetTokens())
		}
		_, body, ok := strings.Cut(answer.GetText(), "\nTool output:\n")
		if !ok {
			t.Fatal(answer.GetText())
		}
		got.WriteString(body + "\n")
		next := regexp.MustCompile(`\nNext page: (\S+)\n`).FindStringSubmatch(answer.GetText())
		if next == nil {
			break
		}
		if answer.GetTokens() < 3600 {
			t.Errorf("page %d has only %d tokens", pages, answer.GetTokens())
		}
		arguments["page"] = next[1]
	}
	if got.String() != text {
		t.Errorf("%d bytes were read, want %d", got.Len(), len(text))
	}
	audit := pb.NewAuditServiceClient(s.conn)
	records, err := audit.ListRecords(t.Context(), &pb.ListRecordsRequest{SessionId: "s", Kinds: []pb.AuditKind{pb.AuditKind_AUDIT_KIND_TOOL_CALL}})
	if err != nil || len(records.GetRecords()) < 10 {
		t.Fatalf("%d records, %v", len(records.GetRecords()), err)
	}
	verified, err := audit.VerifyRecord(t.Context(), &pb.VerifyRecordRequest{Sequence: records.GetRecords()[0].GetSequence()})
	if err != nil || !verified.GetHolds() || !verified.GetComplete() {
		t.Errorf("%v, %v", verified, err)
	}
}

// TestModelOfASession holds the call of a confined caller to its session.
func TestModelOfASession(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	own, foreign := keptFor(t, s, "a", counted(9000)).GetPath(), keptFor(t, s, "b", counted(9001)).GetPath()
	ctx := confinedTo(t, s, "a")
	for path, want := range map[string]pb.ToolStatus{own: pb.ToolStatus_TOOL_STATUS_SUCCESS, foreign: pb.ToolStatus_TOOL_STATUS_ERROR, s.Store + "/000/123456": pb.ToolStatus_TOOL_STATUS_ERROR} {
		resp := modelCalls(ctx, t, s, "", fmt.Sprintf(`{"result": %q, "tail": 1}`, path))
		if resp.GetCanonical().GetStatus() != want || strings.Contains(resp.GetReceipt().GetText(), "9001") {
			t.Errorf("%s: %s", path, resp.GetReceipt().GetText())
		}
	}
	unknown := modelCalls(ctx, t, s, "a", `{"result": "12345678"}`).GetReceipt().GetText()
	name, ok := dir.ParseName(strings.TrimPrefix(foreign, s.Store+"/"))
	if !ok {
		t.Fatal(foreign)
	}
	if got := modelCalls(ctx, t, s, "a", fmt.Sprintf(`{"result": %q}`, name)).GetReceipt().GetText(); got != strings.ReplaceAll(unknown, "12345678", name) {
		t.Errorf("what another session has is told apart: %s", got)
	}
}

// TestToolCommand is the same on the command line.
func TestToolCommand(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	env, server := environment(t), "--server=unix://"+s.Socket
	path := keptFor(t, s, "s", counted(9000)).GetPath()
	for _, c := range []struct {
		args []string
		code int
		want string // a regular expression
	}{
		{[]string{"definitions", "--provider=anthropic"}, 0, `^\{"name":"read_result",.*"input_schema":.*\}\n$`},
		{[]string{"definitions", "--provider=openai"}, 125, `^$`},
		{[]string{"call", "read_result", fmt.Sprintf(`{"result":%q,"lines":[8,"9"]}`, path), "--session=s"}, 0, `^Tool answered: lines 8-9 of 9000\nTool output:\n8\n9\n$`},
		{[]string{"call", "read_result", `{}`, "--session=s", "--output=json"}, 1, `^\{"tool_name":"read_result","status":"error",.*\}\n$`},
		{[]string{"call", "read_result", `{}`}, 125, `^$`},
	} {
		r := cli(t, env, nil, append(append([]string{"tool"}, c.args...), server)...)
		if r.code != c.code || !regexp.MustCompile(c.want).MatchString(r.stdout) || (c.code == 125) != (r.stderr != "") {
			t.Errorf("%q: code %d\n%s%s", c.args, r.code, r.stdout, r.stderr)
		}
	}
}
