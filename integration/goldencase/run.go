package goldencase

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/policy"
)

// Case is one golden case.
type Case struct {
	Name     string // FAMILY/CASE
	Request  *pb.ProjectRequest
	folder   string
	registry *families.Registry
}

// Load returns all golden cases. root is the folder of the module, as seen from the test.
func Load(t testing.TB, root string) []Case {
	t.Helper()
	custom, err := families.LoadCustomFamilies(filepath.Join(root, "docs", "examples", "acme.binpb"))
	if err != nil {
		t.Fatal(err)
	}
	registry, err := families.NewRegistry(append(families.BuiltIn(), custom...)...)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "integration", "testdata", "golden", "*", "*", "request.textproto"))
	if err != nil || len(files) < 200 {
		t.Fatalf("there are %d cases, error %v", len(files), err)
	}
	cases := make([]Case, 0, len(files))
	for _, file := range files {
		folder := filepath.Dir(file)
		name := filepath.Join(filepath.Base(filepath.Dir(folder)), filepath.Base(folder))
		cases = append(cases, Case{name, ReadRequest(t, file, custom), folder, registry})
	}
	return cases
}

// Run projects every golden case and compares its canonical result and its receipt with the files of the case. Cases that need
// more than a projector and a renderer are left to TestGolden: those with secrets, and those with an earlier call.
func Run(t *testing.T, root string) {
	path := StorePath(t)
	store, err := dir.Open(path, dir.Options{Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	for _, c := range Load(t, root) {
		t.Run(c.Name, func(t *testing.T) {
			want := read(t, filepath.Join(c.folder, "canonical.json"))
			if strings.Contains(want, "[redacted:") || read(t, filepath.Join(c.folder, "earlier.textproto")) != "" {
				return
			}
			made, err := c.Project(t.Context(), nil, store)
			if want == "" {
				if err == nil {
					t.Error("the case is projected, and should be rejected")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			c.registry.Types().WithoutSegments(made.Canonical) // as answers are, unless a request asks for them
			text, err := envelope.ToJSON(made.Canonical)
			if err != nil {
				t.Fatal(err)
			}
			for name, got := range map[string]string{"canonical.json": string(bytes.TrimSpace(text)), "receipt.txt": made.Receipt.Text} {
				got = strings.ReplaceAll(got, path, "$STORE") + "\n"
				if diff := cmp.Diff(read(t, filepath.Join(c.folder, name)), got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

// Project projects a case as the server does, which raises the budget to the limit of the policy where what must be kept needs
// it. A budget in place of that of the case is kept to; nil: none.
func (c Case) Project(ctx context.Context, budget *envelope.Cost, store artifactstore.Sink) (projectors.Projection, error) {
	out := c.Request.GetOutput()
	if err := envelope.ValidateComplete(out); err != nil {
		return projectors.Projection{}, err
	}
	family, err := c.registry.ForOutput(out)
	if err != nil {
		return projectors.Projection{}, err
	}
	resolved, err := policy.NewResolver(nil).Projection(c.Request.GetPolicy(), out.GetToolName(), family.Tokens)
	if err != nil {
		return projectors.Projection{}, err
	}
	in := projectors.Input{Output: out, Policy: resolved.Policy}
	if budget != nil {
		in.Policy.Budget, resolved.Limit = *budget, 0
	}
	made, err := family.Project(ctx, in, resolved.Handle, store)
	if _, short := errors.AsType[*envelope.ShortfallError](err); short && in.Policy.Budget.Tokens < resolved.Limit {
		in.Policy.Budget.Tokens = resolved.Limit
		return family.Project(ctx, in, resolved.Handle, store)
	}
	return made, err
}

// StorePath returns a path for a store that costs a receipt the same in every run: the first of 900 paths of 100 bytes that no
// other test has. They differ by three digits, which are one token. The temporary directory of a test would not do: the
// number in its name is one token more in some runs, and a receipt under a budget of tokens then has a line less.
func StorePath(t testing.TB) string {
	t.Helper()
	for n := 100; n < 1000; n++ {
		if dir := fmt.Sprintf("/tmp/toolresult-golden-%d", n); take(t, dir) {
			path := filepath.Join(dir, "s")
			return path + strings.Repeat("s", 100-len(path))
		}
	}
	t.Fatal("no path for a store is free: see /tmp/toolresult-golden-*")
	return ""
}

// take makes a directory this test's own until it ends. A lock says that a directory is taken: what a killed test has left is
// free again.
func take(t testing.TB, dir string) bool {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		t.Fatal(err)
	}
	lock, err := os.Open(dir)
	if err != nil { // another user's, or removed since
		return false
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil || !isStill(lock, dir) || empty(dir) != nil {
		_ = lock.Close()
		return false
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
		_ = lock.Close()
	})
	return true
}

// isStill reports whether an open directory is still the one of a name.
func isStill(opened *os.File, name string) bool {
	a, err := opened.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(name)
	return err == nil && os.SameFile(a, b)
}

// empty removes what is in a directory.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}

// read reads a file of a case; it is empty if the case has none.
func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}
