package integration_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// otherFaults are those of the other groups that need nothing but a client.
func otherFaults() []fault {
	return []fault{
		{id: "B12", what: "the path of a socket is long, odd or taken", run: badSockets, alone: true},
		{id: "E04", what: "an empty stream is not an absent one", run: emptyOrAbsent},
		{id: "E05", what: "a budget is exactly met, or missed by one", run: exactBudgets},
		{id: "E14", what: "both streams are huge and the budget is tiny", run: bothHuge},
		{id: "J16", what: "a file in the store is not ours", run: foreignFile, alone: true},
	}
}

func badSockets(t *testing.T, _ *sidecar) {
	dir := shortDir(t)
	file := filepath.Join(dir, "run", "file")
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(dir, "open")
	if err := os.Mkdir(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	pad := func(n int) string { return filepath.Join(dir, strings.Repeat("d", n-len(dir)-3), "s") }
	for name, c := range map[string]struct{ socket, want string }{
		"108 bytes":                         {pad(108), "107"},
		"a newline":                         {filepath.Join(dir, "a\nb", "s"), "control character"},
		"a relative path":                   {"run/s", "absolute"},
		"a directory that others can enter": {filepath.Join(open, "s"), "mode 0777"},
		"a file that is no socket":          {file, "no socket"},
	} {
		t.Run(name, func(t *testing.T) {
			stderr := refusedStart(t, launch{Socket: c.socket})
			wantIn(t, stderr, c.want)
		})
	}
	if content, err := os.ReadFile(file); err != nil || string(content) != "mine" {
		t.Errorf("the file has %q, error %v", content, err)
	}
	t.Run("107 bytes are served", func(t *testing.T) { startSidecar(t, launch{Socket: pad(107)}) })
}

func emptyOrAbsent(t *testing.T, s *sidecar) {
	empty, absent := completed(0, ""), completed(0, "")
	absent.Output.GetCommand().Stdout = nil
	wantReceipt(t, s.receipt(t, empty), "Process exited with code 0", "Output: none")
	wantReceipt(t, s.receipt(t, absent), "Process exited with code 0", "Output: not captured")
	if c := s.project(t, empty).GetCanonical().GetCommand(); c.StdoutPreview == nil || c.StderrPreview != nil {
		t.Errorf("the canonical result is %v", c)
	}
}

// exactBudgets gives a receipt exactly what it costs, and one less.
func exactBudgets(t *testing.T, s *sidecar) {
	req := completed(0, numbered(60))
	resp := s.project(t, req)
	text := resp.GetReceipt().GetText()
	for unit, b := range map[string]func(less uint32) *pb.Budget{
		"tokens": func(less uint32) *pb.Budget { return &pb.Budget{MaxTokens: resp.GetReceipt().GetTokens() - less} },
		"lines": func(less uint32) *pb.Budget {
			return &pb.Budget{MaxLines: uint32(strings.Count(text, "\n")) + 1 - less}
		},
		"bytes": func(less uint32) *pb.Budget { return &pb.Budget{MaxBytes: uint32(len(text)) - less} },
	} {
		if got := s.receipt(t, within(b(0), req)); got != text {
			t.Errorf("with exactly the %s that it needs the receipt is\n%s", unit, got)
		}
		if got := s.project(t, within(b(1), req)); !got.GetCanonical().GetCommand().GetTruncated() {
			t.Errorf("with one of the %s less nothing is cut", unit)
		}
		_, err := s.Render(t.Context(), &pb.RenderRequest{
			Result: &pb.RenderRequest_Canonical{Canonical: resp.GetCanonical()}, Policy: &pb.RenderPolicy{Budget: b(1)},
		})
		if r := wantRefusal(t, err, codes.InvalidArgument, "BUDGET_TOO_SMALL", ""); r.metadata["unit"] != unit || r.metadata["shortfall"] != "1" {
			t.Errorf("the metadata is %v", r.metadata)
		}
	}
}

func bothHuge(t *testing.T, s *sidecar) {
	req := within(&pb.Budget{MaxTokens: 400}, completed(7, numbered(20_000)))
	req.Output.GetCommand().Stderr = inline(strings.ReplaceAll(numbered(20_000), "line", "warn"))
	resp := s.project(t, req)
	text := resp.GetReceipt().GetText()
	if strings.Count(text, " of 20000 lines; all: ") != 2 || resp.GetReceipt().GetTokens() > 400 {
		t.Errorf("the receipt costs %d tokens:\n%s", resp.GetReceipt().GetTokens(), text)
	}
	out, err := resp.GetCanonical().GetCommand().GetStdoutSource().GetShownLines(), resp.GetCanonical().GetCommand().GetStderrSource().GetShownLines()
	if out < 3 || err < 3 || out > 2*err || err > 2*out {
		t.Errorf("%d lines of stdout and %d of stderr are shown", out, err)
	}
}

func foreignFile(t *testing.T, _ *sidecar) {
	store := filepath.Join(t.TempDir(), "store")
	t.Run("the store is made", func(t *testing.T) { startSidecar(t, launch{Store: store}) })
	files := []string{"notes.txt", "tmp/notes.txt", "abc"}
	for _, name := range files {
		if err := os.WriteFile(filepath.Join(store, name), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := startSidecar(t, launch{Store: store})
	s.project(t, completed(0, numbered(2000)))
	for _, name := range files {
		if content, err := os.ReadFile(filepath.Join(store, name)); err != nil || string(content) != "mine" {
			t.Errorf("%s has %q, error %v", name, content, err)
		}
	}
}
