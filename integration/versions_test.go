package integration_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/config"
)

// keepAll are the flags of a sidecar that deletes nothing, whatever the date is by now.
var keepAll = []string{"--keep-for=0s", "--session-lease=0s", "--gc-interval=0s"}

// unpacked is a store that a build of an earlier day made, with the modes that it gave. Such a store is made anew
// for every format, and never changed.
func unpacked(t *testing.T, name string) (store string) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "stores", name+".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // read-only
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	store = filepath.Join(t.TempDir(), "store")
	for files := tar.NewReader(z); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return store
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(store, h.Name)
		switch h.Typeflag {
		case tar.TypeDir:
			err = os.Mkdir(path, 0o700)
		case tar.TypeSymlink:
			err = os.Symlink(h.Linkname, path)
		default:
			var content []byte
			if content, err = io.ReadAll(files); err == nil {
				err = os.WriteFile(path, content, h.FileInfo().Mode())
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestEarlierStores is M01: a store of each earlier format is served with all that it has, and is served again
// after its upgrade.
func TestEarlierStores(t *testing.T) {
	t.Parallel()
	lines := func(line string, n int) string { return strings.Repeat(line+"\n", n) }
	for name, c := range map[string]struct {
		artifacts map[string]string // by path in the store
		uses      string            // of session s1, the newest first
		expired   string
	}{
		"format-1": {artifacts: map[string]string{
			"b00/7e99e3": lines("a line of the first format", 3000), "d78/9b3bb0": lines("an error of the first format", 2000),
		}},
		"format-1-books": {artifacts: map[string]string{
			"ce8/b0a01d": lines("a line beside books", 3000), "7e0/1dd3cc": lines("an error beside books", 2000),
		}, uses: "c2 c1"},
		"format-2": {artifacts: map[string]string{
			"460/0fed5f": lines("a line that was compressed", 9000), "b00/3841a9": lines("a line of format 2", 3000),
			"a70/5f8b74": lines("a line of a finished log", 3000), "live/159cde0106e486a521c83878e3d3394c": lines("a line of a finished log", 3000),
		}, uses: "c3 c2 c1", expired: "268/c354a5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := unpacked(t, name)
			for _, start := range []string{"first", "second"} {
				t.Run(start, func(t *testing.T) {
					s := startSidecar(t, launch{Store: store, Args: keepAll})
					reader := pb.NewArtifactServiceClient(s.conn)
					for path, want := range c.artifacts {
						if got, _ := readAll(t, reader, &pb.ReadArtifactRequest{Path: filepath.Join(store, path)}); got != want {
							t.Errorf("%s has %d bytes, want %d", path, len(got), len(want))
						}
					}
					list, err := reader.ListArtifacts(t.Context(), &pb.ListArtifactsRequest{SessionId: "s1"})
					var uses []string
					for _, e := range list.GetArtifacts() {
						uses = append(uses, e.GetCallId())
					}
					if got := strings.Join(uses, " "); err != nil || got != c.uses {
						t.Errorf("the session has the calls %q, want %q: %v", got, c.uses, err)
					}
					if c.expired != "" {
						_, err := reader.ReadArtifact(t.Context(), &pb.ReadArtifactRequest{Path: filepath.Join(store, c.expired)})
						wantRefusal(t, err, codes.FailedPrecondition, "ARTIFACT_EXPIRED", "")
					}
					wantSound(t, reader)
					s.project(t, completed(0, numbered(2000)))
				})
			}
		})
	}
}

// wantSound verifies every artifact of a store.
func wantSound(t *testing.T, c pb.ArtifactServiceClient) {
	t.Helper()
	call, err := c.VerifyArtifacts(t.Context(), &pb.VerifyArtifactsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for {
		answer, err := call.Recv()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil || answer.GetCorrupt() != nil || answer.GetCounts() != nil && answer.GetCounts().GetIntact() == 0 {
			t.Fatalf("%v, %v", answer, err)
		}
	}
}

// TestLaterStores is M02: a store of a later version is refused before anything of it is written.
func TestLaterStores(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(t *testing.T, store string)
		want   string
	}{
		"of a later format": {func(t *testing.T, store string) {
			rewrite(t, filepath.Join(store, "FORMAT"), func([]byte) []byte { return []byte("toolresult-artifacts 99\nblake3\nmore\n") })
		}, "version 99, this program knows"},
		"with later books": {func(t *testing.T, store string) {
			rewrite(t, filepath.Join(store, "books.db"), func(books []byte) []byte {
				books[63] = 99 // the last byte of what PRAGMA user_version sets
				return books
			})
		}, "version 99, this program knows"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := unpacked(t, "format-2")
			c.change(t, store)
			before := contents(t, store)
			stderr := refusedStart(t, launch{Store: store})
			wantIn(t, stderr, c.want)
			if after := contents(t, store); !maps.Equal(before, after) {
				t.Errorf("there was %q and is %q", before, after)
			}
		})
	}
}

// rewrite changes a file that is not to be written to.
func rewrite(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	content := change(readFile(t, path))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// contents are the files of a store, without the note of who has its lock.
func contents(t *testing.T, store string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for name, mode := range inStore(t, store) {
		if mode.IsRegular() && name != "LOCK" {
			found[name] = string(readFile(t, filepath.Join(store, name)))
		}
	}
	return found
}

// recordLevels are the levels to which records are compacted, by the files of a record.
var recordLevels = map[string]pb.CompactionLevel{"trimmed": trimmed, "handles": handles, "line": line}

// TestEarlierRecords is M07: the canonical JSON of results that earlier builds answered with is read, and compacts
// to the bytes that were written down for it. A record is a directory:
//
//	canonical.json           as it was answered; it never changes
//	compacted-LEVEL.json     the canonical JSON after Compact to this level
//
// Records of a day are in a directory, and in one for each family there.
func TestEarlierRecords(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Store: config.MemoryStore})
	records, err := filepath.Glob(filepath.Join("testdata", "records", "*", "*", "*", "canonical.json"))
	if err != nil || len(records) < 15 {
		t.Fatalf("there are %d records, error %v", len(records), err)
	}
	for _, path := range records {
		dir := filepath.Dir(path)
		t.Run(strings.TrimPrefix(dir, "testdata/records/"), func(t *testing.T) {
			text := readFile(t, path)
			record, err := envelope.FromJSON(text, filepath.Base(filepath.Dir(dir)))
			if err != nil {
				t.Fatal(err)
			}
			if again := canonicalJSON(t, record); again != string(text) {
				t.Errorf("it is written again as\n%s", again)
			}
			for name, level := range recordLevels {
				compare(t, filepath.Join(dir, "compacted-"+name+".json"), canonicalJSON(t, s.compact(t, record, level).GetCanonical()))
			}
		})
	}
}

// canonicalJSON is a result as the command line writes it.
func canonicalJSON(t *testing.T, r *pb.CanonicalToolResult) string {
	t.Helper()
	text, err := envelope.ToJSON(r)
	if err != nil {
		t.Fatal(err)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, text, "", "  "); err != nil {
		t.Fatal(err)
	}
	return indented.String() + "\n"
}

// TestRendererVersion is M05: a build has one grammar of receipts, and says which with every receipt.
func TestRendererVersion(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	info, err := s.GetServerInfo(t.Context(), &pb.GetServerInfoRequest{})
	if err != nil || info.GetRendererVersion() == 0 {
		t.Fatalf("%v, %v", info, err)
	}
	projected := s.project(t, completed(0, "x\n"))
	rendered, err := s.Render(t.Context(), &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: projected.GetCanonical()}})
	if err != nil {
		t.Fatal(err)
	}
	for name, receipt := range map[string]*pb.Receipt{
		"Project": projected.GetReceipt(), "Render": rendered.GetReceipt(), "Compact": s.compact(t, projected.GetCanonical(), line).GetReceipt(),
	} {
		if got := receipt.GetRendererVersion(); got != info.GetRendererVersion() {
			t.Errorf("%s has the version %d, the server says %d", name, got, info.GetRendererVersion())
		}
	}
}
