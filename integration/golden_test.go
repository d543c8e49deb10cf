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

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/goldencase"
	"github.com/toolresult/toolresult/server/config"
	"github.com/toolresult/toolresult/server/families"
)

var update = flag.Bool("update", false, "write the golden files, and fail")

const (
	goldenDir       = "testdata/golden"
	exampleFamilies = "../docs/examples/acme.binpb"
)

// TestGolden sends every request of the corpus through a running sidecar and
// compares both surfaces, and the receipts after compaction, with the files of
// the case. A case is a directory in the directory of its family:
//
//	request.textproto        a ProjectRequest
//	earlier.textproto        one with the same payloads that is made before it
//	stdout, items.2.result.stderr
//	                         inline bytes of a payload of the family's message,
//	                         by its path, elements counted from 1
//	canonical.json           the canonical result in the RFC's JSON
//	receipt.txt              what the model reads
//	compacted-trimmed.txt    its receipt after Compact to this level
//	compacted-handles.txt    and to this one
//	compacted-line.txt       and to this one
//	error.txt                instead of all of these: the refusal
//
// $STORE stands for the path of the store, which costs the same in every run.
// Compaction is done by a sidecar whose store is in memory.
func TestGolden(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Store: goldencase.StorePath(t), Args: withFamilies(t)})
	inMemory := startSidecar(t, launch{Store: config.MemoryStore, Args: withFamilies(t)})
	cases := goldenCases(t)
	if *update {
		t.Error("-update fails on purpose: review the diff, and run without it")
	}
	for i, c := range cases {
		if raceDetector && i%4 > 0 { // cases of a family run the same code
			continue
		}
		dir := filepath.Dir(c)
		name, _ := filepath.Rel(goldenDir, dir)
		t.Run(name, func(t *testing.T) { golden(t, s, inMemory, dir) })
	}
}

// goldenCases returns the requests of the corpus.
func goldenCases(t *testing.T) []string {
	t.Helper()
	cases, err := filepath.Glob(filepath.Join(goldenDir, "*", "*", "request.textproto"))
	if err != nil || len(cases) < 20 {
		t.Fatalf("the corpus has %d cases, error %v", len(cases), err)
	}
	return cases
}

// withFamilies are the flags that bring the families of the example.
func withFamilies(t *testing.T) []string {
	t.Helper()
	path, err := filepath.Abs(exampleFamilies)
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--families", path}
}

func golden(t *testing.T, s, inMemory *sidecar, dir string) {
	t.Parallel()
	req := readRequest(t, filepath.Join(dir, "request.textproto"))
	got := map[string]string{
		"canonical.json": "", "receipt.txt": "", "compacted-trimmed.txt": "", "compacted-handles.txt": "",
		"compacted-line.txt": "", "error.txt": "",
	}
	if earlier := filepath.Join(dir, "earlier.textproto"); exists(t, earlier) {
		s.project(t, readRequest(t, earlier))
		inMemory.project(t, readRequest(t, earlier))
	}
	resp, err := s.Project(t.Context(), req)
	if err != nil {
		r := refusalOf(t, err)
		got["error.txt"] = fmt.Sprintf("code: %s\nreason: %s\nfields: %s\nmessage: %s",
			r.code, r.reason, strings.Join(r.fields, " "), r.message)
	} else {
		text, err := envelope.ToJSON(resp.GetCanonical())
		if err != nil {
			t.Fatal(err)
		}
		got["canonical.json"], got["receipt.txt"] = string(text), resp.GetReceipt().GetText()
		if !testing.Short() || filepath.Base(dir) == "small" {
			canonical, receipt := projectCLI(t, s, req)
			if diff := cmp.Diff([]string{got["canonical.json"], got["receipt.txt"]}, []string{canonical, receipt}); diff != "" {
				t.Errorf("the command line gives another answer than the call (-call +command line):\n%s", diff)
			}
			checkRendersAgain(t, s, req, canonical, receipt)
		}
		same := inMemory.project(t, req).GetCanonical()
		got["compacted-trimmed.txt"] = inMemory.compact(t, same, trimmed).GetReceipt().GetText()
		got["compacted-handles.txt"] = inMemory.compact(t, same, handles).GetReceipt().GetText()
		got["compacted-line.txt"] = inMemory.compact(t, same, line).GetReceipt().GetText()
	}
	for name, text := range got {
		if text != "" {
			text = strings.ReplaceAll(text, s.Store, "$STORE") + "\n"
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

// readRequest reads a request of a case and fills in its payloads.
func readRequest(t *testing.T, path string) *pb.ProjectRequest {
	t.Helper()
	custom, err := families.LoadCustomFamilies(exampleFamilies)
	if err != nil {
		t.Fatal(err)
	}
	return goldencase.ReadRequest(t, path, custom)
}

// projectCLI projects with the command line, which speaks the RFC's JSON.
func projectCLI(t *testing.T, s *sidecar, req *pb.ProjectRequest) (canonical, receipt string) {
	t.Helper()
	stdin, err := prototext.Marshal(req.GetOutput())
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"project", "--server", "unix://" + s.Socket, "--input=textproto", "--output=json"}, renderFlags(req)...)
	if p := req.GetPolicy(); p != nil && p.HeadPercent != nil {
		args = append(args, fmt.Sprintf("--head-percent=%d", p.GetHeadPercent()))
	}
	if n := req.GetPolicy().GetRender().GetBudget().GetMaxLineBytes(); n > 0 {
		args = append(args, fmt.Sprintf("--max-line-bytes=%d", n))
	}
	if c := req.GetCall(); c != nil {
		args = append(args, "--session="+c.GetSessionId(), "--call="+c.GetCallId())
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

// familyOf is the family of an output, "" of an error.
func familyOf(out *pb.CompleteToolOutput) string {
	if out.GetCustom() != nil {
		return out.GetCustom().GetType()
	}
	m := out.ProtoReflect()
	if f := m.WhichOneof(m.Descriptor().Oneofs().ByName("result")); f != nil {
		return string(f.Name())
	}
	return ""
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
	args := append([]string{"render", "--server", "unix://" + s.Socket, "--family", familyOf(req.GetOutput())}, renderFlags(req)...)
	again := mustCLI(t, environment(t), strings.NewReader(canonical), args...)
	if diff := cmp.Diff(receipt+"\n", again); diff != "" {
		t.Errorf("the RFC's JSON renders differently (-projected +rendered):\n%s", diff)
	}
}

func exists(t *testing.T, path string) bool {
	t.Helper()
	_, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}
