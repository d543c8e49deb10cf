package integration_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/redacttest"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/integration/sidecartest"
)

// secretive is a text with secrets in some shapes.
type secretive struct {
	text  string
	drawn []redacttest.Drawn
}

// secretTexts returns texts of about a size in which each shape is once, between lines of a log.
func secretTexts(seed uint64, size int) (list []secretive) {
	const line = "2026-01-02T03:04:05Z INFO request served in 12 ms\n"
	var s secretive
	end := func() {
		for len(s.text)+len(line) < size {
			s.text += line
		}
		list, s = append(list, s), secretive{}
	}
	for i, shape := range redacttest.Shapes() {
		d := shape.Draw(seed)
		if len(s.text)+len(d.Text)+2*len(line) > size && s.text != "" {
			end()
		}
		s.text += line + d.Text + "\n"
		s.drawn = append(s.drawn, d)
		if i%40 == 39 {
			s.text += line
		}
	}
	end()
	return list
}

// shownIn fails the test if a secret of a text is in what a model reads.
func (s secretive) shownIn(t *testing.T, where, read string) {
	t.Helper()
	for _, d := range s.drawn {
		if part := d.Shown(read); part != "" {
			at := strings.Index(read, part)
			t.Errorf("%s shows %q of %q: ...%.200s", where, part, d.Text, read[max(0, at-60):])
		}
	}
}

// seeds is how many values are drawn for each shape and way.
func seeds() uint64 {
	if sidecartest.All() {
		return 20
	}
	return 2
}

// TestNoShapeIsShown has commands print secrets in all shapes, in texts of several sizes: what comes through shell and exec has none,
// with a sidecar and without one, and neither have the replies of hooks.
func TestNoShapeIsShown(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	file := filepath.Join(t.TempDir(), "text")
	served := append(environment(t), "TOOLRESULT_ADDRESS=unix://"+s.Socket)
	alone := append(environment(t), "TOOLRESULT_ADDRESS=unix:///dev/null/s")
	for size, most := range map[int]uint64{200: 1, 4000: seeds(), 64 << 10: seeds()} {
		for seed := range most {
			for _, text := range secretTexts(seed, size) {
				if err := os.WriteFile(file, []byte(text.text), 0o600); err != nil {
					t.Fatal(err)
				}
				for name, env := range map[string][]string{"served": served, "alone": alone} {
					for _, args := range [][]string{{"shell", "-c", "cat '" + file + "'"}, {"exec", "--", "cat", file}, {"shell", "-c", "cat '" + file + "' >&2"}} {
						if size == 200 && args[0] == "exec" && name == "served" {
							continue // as with more bytes
						}
						r := cli(t, env, nil, args...)
						if r.code != 0 || !strings.Contains(r.stdout+r.stderr, "redacted:") {
							t.Errorf("%s, %q of %d bytes: code %d, %.200s", name, args[0], size, r.code, r.stderr)
						}
						text.shownIn(t, name+" "+args[0], r.stdout+r.stderr)
					}
				}
				stdout, err := json.Marshal(text.text)
				if err != nil {
					t.Fatal(err)
				}
				payload := fmt.Sprintf(`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"cat"},"tool_response":{"stdout":%s,"stderr":""}}`, stdout)
				if r := cli(t, served, strings.NewReader(payload), "hook", "claude-code"); !strings.Contains(r.stdout, "redacted:") {
					t.Errorf("the hook says %.300s", r.stdout)
				} else {
					text.shownIn(t, "hook", r.stdout)
				}
			}
		}
	}
	// The setting shows everything.
	r := cli(t, append(served, "TOOLRESULT_REDACT=off"), nil, "shell", "-c", "echo DB_PASSWORD=x7Kq92mZp4Lw")
	if r.stdout != "DB_PASSWORD=x7Kq92mZp4Lw\n" {
		t.Errorf("with the patterns off: %q", r.stdout)
	}
}

// TestNoShapeIsProjected puts secrets in all shapes into texts, JSON, YAML, errors, structured content, names of files and command
// lines: no answer has one.
func TestNoShapeIsProjected(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	for size, most := range map[int]uint64{200: 1, 4000: seeds(), 64 << 10: seeds()} {
		for seed := range most {
			for _, text := range secretTexts(seed, size) {
				for name, out := range secretOutputs(t, text) {
					resp, err := s.Project(t.Context(), &pb.ProjectRequest{Output: out, Call: &pb.CallReference{SessionId: "shapes"}})
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					all, err := protojson.Marshal(resp)
					if err != nil {
						t.Fatal(err)
					}
					text.shownIn(t, name, resp.GetReceipt().GetText())
					text.shownIn(t, name, string(all))
				}
			}
		}
	}
}

// secretOutputs returns outputs that have a text at one place each.
func secretOutputs(t *testing.T, text secretive) map[string]*pb.CompleteToolOutput {
	t.Helper()
	quoted, err := json.Marshal(map[string]any{"log": text.text, "n": 1})
	if err != nil {
		t.Fatal(err)
	}
	block := "kind: ConfigMap\ndata:\n  log: |\n    " + strings.ReplaceAll(text.text, "\n", "\n    ") + "\n"
	payload := func(s string) *pb.Payload { return servertest.Inline([]byte(s)) }
	outputs := map[string]*pb.CompleteToolOutput{
		"text":       {Result: &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{Content: payload(text.text)}}},
		"JSON":       {Result: &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{Content: payload(string(quoted))}}},
		"YAML":       {Result: &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{Content: payload(block)}}},
		"command":    {Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{Stdout: payload(text.text), Stderr: payload(text.text)}}},
		"error":      {Error: &pb.CompleteToolError{Kind: "failed", Message: payload(text.text)}},
		"structured": {Result: &pb.CompleteToolOutput_ExternalMcp{ExternalMcp: &pb.ExternalMcpOutput{Server: "s", Result: payload(`{"content":[],"structuredContent":` + string(quoted) + `}`)}}},
		"file":       {Result: &pb.CompleteToolOutput_FileRead{FileRead: &pb.FileReadOutput{Path: "a.log", Content: payload(text.text)}}},
	}
	if len(text.text) <= 4<<10 {
		line := ""
		for _, d := range text.drawn {
			if !strings.Contains(d.Text, "\n") && len(line)+len(d.Text) < 1000 {
				line += d.Text + " "
			}
		}
		outputs["command line"] = &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{CommandLine: text.text, Stdout: payload("x")}}}
		outputs["file name"] = &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_FileRead{FileRead: &pb.FileReadOutput{Path: "/tmp/" + line, Content: payload("x")}}}
	}
	for _, out := range outputs {
		out.ToolName, out.Status = "SomeTool", pb.ToolStatus_TOOL_STATUS_SUCCESS
		if out.GetError() != nil {
			out.Status = pb.ToolStatus_TOOL_STATUS_ERROR
		}
	}
	return outputs
}
