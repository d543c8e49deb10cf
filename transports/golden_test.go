package transports_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports"
	"github.com/toolresult/toolresult/transports/internal/turntest"
)

var update = flag.Bool("update", false, "write golden files")

// TestTurns encodes every turn in testdata/turns for every provider, natively and as text. changes.txt has what was
// changed on the way.
func TestTurns(t *testing.T) {
	t.Parallel()
	cases, err := filepath.Glob("testdata/turns/*")
	if err != nil || len(cases) < 10 {
		t.Fatalf("only %d cases, %v", len(cases), err)
	}
	for _, dir := range cases {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			files := map[string]string{}
			var changes []string
			for _, provider := range turntest.Providers() {
				for _, format := range []pb.ToolCallFormat{pb.ToolCallFormat_TOOL_CALL_FORMAT_UNSPECIFIED, pb.ToolCallFormat_TOOL_CALL_FORMAT_TEXT} {
					name := strings.ToLower(strings.TrimPrefix(provider.String(), "PROVIDER_"))
					if format == pb.ToolCallFormat_TOOL_CALL_FORMAT_TEXT {
						name += ".text"
					}
					resp := encodeFile(t, filepath.Join(dir, "request.json"), provider, format)
					files[name+".json"] = "[\n" + strings.Join(resp.GetMessagesJson(), ",\n") + "\n]\n"
					for _, n := range resp.GetChanges() {
						changes = append(changes, name+": "+strings.TrimPrefix(n.GetChange().String(), "TURN_CHANGE_")+": "+n.GetDetail())
					}
				}
			}
			slices.Sort(changes)
			files["changes.txt"] = strings.Join(append(changes, ""), "\n")
			for name, text := range files {
				checkGolden(t, filepath.Join(dir, name), text)
			}
		})
	}
}

func encodeFile(t *testing.T, path string, provider pb.Provider, format pb.ToolCallFormat) *pb.EncodeTurnResponse {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	req := &pb.EncodeTurnRequest{}
	if err := protojson.Unmarshal(text, req); err != nil {
		t.Fatal(err)
	}
	req.Provider, req.Format = provider, format
	resp, err := transports.EncodeTurn(req, folder(filepath.Join(filepath.Dir(path), "artifacts")), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// folder is a store of files, whose paths begin with "/store/".
type folder string

// Load reads a file.
func (f folder) Load(path string, limit int) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(string(f), strings.TrimPrefix(path, "/store/")))
	switch {
	case err != nil:
		return nil, transports.ErrGone
	case len(data) > limit:
		return nil, transports.ErrTooLarge
	}
	return data, nil
}

func checkGolden(t *testing.T, path, now string) {
	t.Helper()
	was, err := os.ReadFile(path)
	if err == nil && string(was) == now {
		return
	}
	if *update {
		err = os.WriteFile(path, []byte(now), 0o644)
	}
	t.Errorf("%s (-golden +now), %v:\n%s", path, err, cmp.Diff(string(was), now))
}
