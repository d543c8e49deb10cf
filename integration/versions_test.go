package integration_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// TestStoresOfOtherVersions is M01 and M02: a store of an earlier or a later version is rejected before anything of it is
// written, and the error names the version and the way out.
func TestStoresOfOtherVersions(t *testing.T) {
	t.Parallel()
	for version, format := range map[string]string{
		"1": "toolresult-artifacts 1\nblake3\n", "3": "toolresult-artifacts 3\nblake3\n", "99": "toolresult-artifacts 99\nblake3\nmore\n",
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			store := filepath.Join(t.TempDir(), "store")
			err := errors.Join(os.Mkdir(store, 0o700), os.WriteFile(filepath.Join(store, "FORMAT"), []byte(format), 0o400),
				os.WriteFile(filepath.Join(store, "books.db"), []byte("of that version"), 0o600))
			if err != nil {
				t.Fatal(err)
			}
			before := contents(t, store)
			stderr := refusedStart(t, launch{Store: store})
			wantIn(t, stderr, "version "+version+", this program knows 4; use another directory")
			if after := contents(t, store); !maps.Equal(before, after) {
				t.Errorf("there was %q and is %q", before, after)
			}
		})
	}
}

// contents returns the files of a store.
func contents(t *testing.T, store string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for name, mode := range inStore(t, store) {
		if mode.IsRegular() {
			found[name] = string(readFile(t, filepath.Join(store, name)))
		}
	}
	return found
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
