package integration_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

var update = flag.Bool("update", false, "write the golden files, and fail")

const goldenDir = "testdata/golden"

// TestGolden sends every request of the corpus through a running sidecar and
// compares both surfaces, and the receipts after compaction, with the files of
// the case. A case is a directory:
//
//	request.textproto        a ProjectRequest
//	stdout, item-2.stderr    inline bytes of a payload, where given
//	canonical.json           the canonical result in the RFC's JSON
//	receipt.txt              what the model reads
//	compacted-trimmed.txt    its receipt after Compact to this level
//	compacted-handles.txt    and to this one
//	error.txt                instead of all of these: the refusal
//
// $STORE stands for the path of the store, which has the same length in every
// run. What it costs in tokens differs, so budgets that cut are in lines or
// bytes; the calibration of the token counter has tests of its own.
func TestGolden(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{store: goldenStore(t)})
	cases, err := filepath.Glob(filepath.Join(goldenDir, "*", "request.textproto"))
	if err != nil || len(cases) < 20 {
		t.Fatalf("the corpus has %d cases, error %v", len(cases), err)
	}
	if *update {
		t.Error("-update fails on purpose: review the diff, and run without it")
	}
	for _, c := range cases {
		dir := filepath.Dir(c)
		t.Run(filepath.Base(dir), func(t *testing.T) { golden(t, s, dir) })
	}
}

// goldenStore is a path of 100 bytes.
func goldenStore(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	if len(path) > 100 {
		t.Fatalf("the temporary directory has a long name: %s", path)
	}
	return path + strings.Repeat("s", 100-len(path))
}

func golden(t *testing.T, s *sidecar, dir string) {
	t.Parallel()
	req := readRequest(t, dir)
	got := map[string]string{
		"canonical.json": "", "receipt.txt": "", "compacted-trimmed.txt": "", "compacted-handles.txt": "", "error.txt": "",
	}
	resp, err := s.Project(t.Context(), req)
	if err != nil {
		r := refusalOf(t, err)
		got["error.txt"] = fmt.Sprintf("code: %s\nreason: %s\nfields: %s\nmessage: %s",
			r.code, r.reason, strings.Join(r.fields, " "), r.message)
	} else {
		canonical, receipt := projectCLI(t, s, req)
		if diff := cmp.Diff(resp.GetReceipt().GetText(), receipt); diff != "" {
			t.Errorf("the command line gives another receipt than the call (-call +command line):\n%s", diff)
		}
		checkRendersAgain(t, s, req, canonical, receipt)
		got["canonical.json"], got["receipt.txt"] = canonical, receipt
		got["compacted-trimmed.txt"] = s.compact(t, resp.GetCanonical(), trimmed).GetReceipt().GetText()
		got["compacted-handles.txt"] = s.compact(t, resp.GetCanonical(), handles).GetReceipt().GetText()
	}
	for name, text := range got {
		if text != "" {
			text = strings.ReplaceAll(text, s.store, "$STORE") + "\n"
		}
		compare(t, filepath.Join(dir, name), text)
	}
}

// compare compares a golden file, or writes it.
func compare(t *testing.T, path, got string) {
	t.Helper()
	want, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if string(want) == got {
		return
	}
	if !*update {
		t.Errorf("%s (-want +got):\n%s", path, cmp.Diff(string(want), got))
		return
	}
	if got == "" {
		err = os.Remove(path)
	} else {
		err = os.WriteFile(path, []byte(got), 0o644)
	}
	t.Errorf("%s was written anew, error %v; review it", path, err)
}

// readRequest reads the request of a case and fills in its payloads.
func readRequest(t *testing.T, dir string) *pb.ProjectRequest {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "request.textproto"))
	if err != nil {
		t.Fatal(err)
	}
	req := fromText(t, string(text), &pb.ProjectRequest{})
	fill(t, dir, "", req.GetOutput().GetCommand())
	for i, item := range req.GetOutput().GetCommandBatch().GetItems() {
		fill(t, dir, fmt.Sprintf("item-%d.", i+1), item.GetResult())
	}
	return req
}

// fill takes the inline bytes of a command's payloads from files.
func fill(t *testing.T, dir, prefix string, c *pb.CommandOutput) {
	t.Helper()
	if c == nil {
		return
	}
	m := c.ProtoReflect()
	for _, name := range []protoreflect.Name{"stdout", "stderr", "combined_output", "initial_output"} {
		content, err := os.ReadFile(filepath.Join(dir, prefix+string(name)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := m.Mutable(m.Descriptor().Fields().ByName(name)).Message().Interface().(*pb.Payload); ok {
			p.Source = &pb.Payload_Inline{Inline: content}
		}
	}
}

// projectCLI projects with the command line, which speaks the RFC's JSON.
func projectCLI(t *testing.T, s *sidecar, req *pb.ProjectRequest) (canonical, receipt string) {
	t.Helper()
	stdin, err := prototext.Marshal(req.GetOutput())
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"project", "--server", "unix://" + s.socket, "--input=textproto", "--output=json"}, renderFlags(req)...)
	if p := req.GetPolicy(); p != nil && p.HeadPercent != nil {
		args = append(args, fmt.Sprintf("--head-percent=%d", p.GetHeadPercent()))
	}
	if n := req.GetPolicy().GetRender().GetBudget().GetMaxLineBytes(); n > 0 {
		args = append(args, fmt.Sprintf("--max-line-bytes=%d", n))
	}
	if req.GetPolicy().GetArtifactPolicy() == pb.ArtifactPolicy_ARTIFACT_POLICY_ALWAYS {
		args = append(args, "--artifacts=always")
	}
	text := mustCLI(t, environment(t), strings.NewReader(string(stdin)), args...)
	var pair struct {
		Canonical json.RawMessage
		Receipt   struct{ Text string }
	}
	if err := json.Unmarshal([]byte(text), &pair); err != nil {
		t.Fatal(err)
	}
	// The value stands two columns in; alone it stands at none.
	return strings.ReplaceAll(string(pair.Canonical), "\n  ", "\n"), pair.Receipt.Text
}

func renderFlags(req *pb.ProjectRequest) []string {
	b := req.GetPolicy().GetRender().GetBudget()
	return []string{
		fmt.Sprintf("--max-tokens=%d", b.GetMaxTokens()), fmt.Sprintf("--max-lines=%d", b.GetMaxLines()),
		fmt.Sprintf("--max-bytes=%d", b.GetMaxBytes()),
	}
}

// checkRendersAgain renders the RFC's JSON: a runtime that keeps nothing else
// gets the same receipt from it.
func checkRendersAgain(t *testing.T, s *sidecar, req *pb.ProjectRequest, canonical, receipt string) {
	t.Helper()
	args := append([]string{"render", "--server", "unix://" + s.socket}, renderFlags(req)...)
	again := mustCLI(t, environment(t), strings.NewReader(canonical), args...)
	if diff := cmp.Diff(receipt+"\n", again); diff != "" {
		t.Errorf("the RFC's JSON renders differently (-projected +rendered):\n%s", diff)
	}
}
