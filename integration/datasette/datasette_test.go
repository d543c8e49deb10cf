// Package datasette_test asks the questions of docs/examples/datasette.yml, in Datasette, of the index of a log that a sidecar wrote.
package datasette_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/sidecartest"
)

// questions is the file that the guide names.
const questions = "../../docs/examples/datasette.yml"

var binary string

func TestMain(m *testing.M) { os.Exit(sidecartest.Main(m, &binary)) }

// datasette returns the program, installed in a virtual environment that is named after the pins and stays below .run.
func datasette(t *testing.T) string {
	t.Helper()
	if os.Getenv("TOOLRESULT_FRAMEWORKS") == "" {
		t.Skip("skipped: it installs packages of Python; make frameworks runs it")
	}
	_, err := exec.LookPath("python3")
	sidecartest.Need(t, err == nil, "there is no python3")
	pins, err := os.ReadFile("requirements.txt")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(append(pins, run(t, "python3", "--version")...))
	dir, err := filepath.Abs("../../.run/datasette/python-" + hex.EncodeToString(sum[:6]))
	if err != nil {
		t.Fatal(err)
	}
	program, ready := filepath.Join(dir, "bin", "datasette"), filepath.Join(dir, "ready")
	if _, err := os.Stat(ready); err == nil {
		return program
	}
	run(t, "python3", "-m", "venv", "--clear", dir)
	run(t, filepath.Join(dir, "bin", "python"), "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--requirement", "requirements.txt")
	if err := os.WriteFile(ready, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return program
}

// run runs a program, and returns what it prints on standard output.
func run(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return out
}

func TestQuestionsAreAnswered(t *testing.T) {
	program := datasette(t)
	s := sidecartest.Start(t, sidecartest.Options{Binary: binary})
	client := pb.NewToolResultServiceClient(sidecartest.Dial(t, s.Target()))
	const sessions, calls = 3, 7
	for i := range sessions * calls {
		out := &pb.CompleteToolOutput{ToolName: fmt.Sprint("tool", i%2), Result: &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{
			Content: &pb.Payload{Source: &pb.Payload_Inline{Inline: fmt.Appendf(nil, "answer %d\n", i)}},
		}}}
		call := &pb.CallReference{SessionId: fmt.Sprint("session", i%sessions), CallId: fmt.Sprint("call", i)}
		if _, err := client.Project(context.Background(), &pb.ProjectRequest{Output: out, Call: call}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := client.Project(context.Background(), &pb.ProjectRequest{}); err == nil {
		t.Fatal("an empty request is answered")
	}
	if code := s.Terminate(); code != 0 { // the index has all of it then
		t.Fatal(code)
	}
	// Rows that each question must have, and one value in them.
	want := map[string]struct {
		rows   int
		column string
		value  float64
	}{
		"sessions": {sessions, "calls", calls}, "tokens_by_tool": {2, "", 0}, "slow": {sessions*calls + 1, "", 0}, "rejected": {1, "calls", 1},
	}
	text, err := os.ReadFile(questions)
	if err != nil {
		t.Fatal(err)
	}
	var metadata struct {
		Databases map[string]struct{ Queries map[string]any }
	}
	if err := yaml.Unmarshal(text, &metadata); err != nil {
		t.Fatal(err)
	}
	asked := metadata.Databases["records"].Queries
	if len(asked) != len(want) {
		t.Errorf("%d questions are asked, and %d answers are known", len(asked), len(want))
	}
	for name := range asked {
		answer := run(t, program, filepath.Join(s.Store, "records.db"), "--metadata", questions, "--get", "/records/"+name+".json?_shape=array")
		var rows []map[string]any
		if err := json.Unmarshal(answer, &rows); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, answer)
		}
		w := want[name]
		if len(rows) != w.rows || w.column != "" && rows[0][w.column] != w.value {
			t.Errorf("%s: %s", name, answer)
		}
	}
}
