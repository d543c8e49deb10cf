package integration_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// pathFaults are group I: names, paths and links.
func pathFaults() []fault {
	return []fault{
		{id: "I01", what: "names that look like paths never become one", run: namesLikePaths, alone: true},
		{id: "I03", what: "a link planted in the store is not followed", run: plantedLinks, alone: true},
		{id: "I07", what: "names in the store are lower-case hex", run: hexNames, alone: true},
		{id: "I08", what: "the path of a store cannot be printed on one line", run: unprintableStores, alone: true},
		{id: "I09", what: "a store that power-off would lose needs a word", run: volatileStores, alone: true},
		{id: "I10", what: "a store that others control is refused", run: unsafeStores, alone: true},
		{id: "I11", what: "the umask has no say in the modes of a store", run: anyUmask, alone: true},
	}
}

// inStore lists what a store holds, relative to its root, with modes.
func inStore(t *testing.T, store string) map[string]fs.FileMode {
	t.Helper()
	found := map[string]fs.FileMode{}
	err := filepath.WalkDir(store, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(store, path)
		found[name] = info.Mode()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// storedName is how files of a store are called.
var storedName = regexp.MustCompile(`^(\.|FORMAT|LOCK|PLACES|tmp|(catalog|records)\.db(-wal|-shm)?|journal(/OPEN|/HEAD|/segments(/[0-9]{10}\.segment(\.tmp)?)?|/(records|catalog)(/[0-9]{20}-[0-9]{20}\.zst)?)?|[0-9a-f]{3}|[0-9a-f]{3}/[0-9a-f]{5,61})$`)

func checkNames(t *testing.T, store string) {
	t.Helper()
	for name := range inStore(t, store) {
		if !storedName.MatchString(name) {
			t.Errorf("the store has %q", name)
		}
	}
}

func namesLikePaths(t *testing.T, _ *sidecar) {
	s := startSidecar(t, launch{})
	for _, name := range []string{"../etc/passwd", "/etc/passwd", "..", "-rf", "C:\\x", "a\x00b", strings.Repeat("n", 300), "con in"} {
		req := completed(0, canary)
		req.Output.ToolName = name
		if _, err := s.Project(t.Context(), req); err == nil {
			t.Errorf("the tool name %q is accepted", name)
		}
		task := completed(0, canary)
		task.Output.GetCommand().TaskHandle = &pb.TaskHandle{TaskId: name}
		if got := s.project(t, task).GetCanonical().GetCommand(); len(got.GetArtifacts()) > 0 { // it is text of a runtime, and names no file
			t.Errorf("the task id %q has the artifacts %v", name, got.GetArtifacts())
		}
	}
	for _, name := range []string{"a/../../../x", "CON", "nul.txt", "c:/windows", "_/.ssh"} {
		req := completed(0, numbered(2000)+name)
		req.Output.ToolName = name
		req.Output.GetCommand().TaskHandle = &pb.TaskHandle{TaskId: name, Kind: name, Status: name}
		path := s.project(t, req).GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
		if in, err := filepath.Rel(s.Store, path); err != nil || !storedName.MatchString(in) {
			t.Errorf("the tool %q got the artifact %s", name, path)
		}
	}
	checkNames(t, s.Store)
}

// plantedLinks puts links to a foreign directory and file where the store is
// about to write.
func plantedLinks(t *testing.T, s *sidecar) {
	payload := numbered(3000)
	req := completed(0, payload)
	path := s.project(t, req).GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
	name, err := filepath.Rel(s.Store, path)
	if err != nil {
		t.Fatal(err)
	}
	for where, plant := range map[string]func(store, outside string) error{
		"at the shard": func(store, outside string) error {
			return os.Symlink(outside, filepath.Join(store, filepath.Dir(name)))
		},
		"at the name": func(store, outside string) error {
			if err := os.Mkdir(filepath.Join(store, filepath.Dir(name)), 0o700); err != nil {
				return err
			}
			return os.Symlink(filepath.Join(outside, "victim"), filepath.Join(store, name))
		},
		"at tmp": func(store, outside string) error {
			if err := os.Remove(filepath.Join(store, "tmp")); err != nil {
				return err
			}
			return os.Symlink(outside, filepath.Join(store, "tmp"))
		},
	} {
		t.Run(where, func(t *testing.T) {
			s := startSidecar(t, launch{})
			outside := t.TempDir()
			if err := os.WriteFile(filepath.Join(outside, "victim"), []byte("theirs"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := plant(s.Store, outside); err != nil {
				t.Fatal(err)
			}
			checkAfterLink(t, s, req, payload)
			entries, err := os.ReadDir(outside)
			if err != nil || len(entries) != 1 {
				t.Errorf("the foreign directory has %v, error %v", entries, err)
			}
			if victim, err := os.ReadFile(filepath.Join(outside, "victim")); err != nil || string(victim) != "theirs" {
				t.Errorf("the foreign file has %q, error %v", victim, err)
			}
		})
	}
}

// checkAfterLink expects a fault of the store or, where another name was to be
// had, an artifact that is a plain file with the payload.
func checkAfterLink(t *testing.T, s *sidecar, req *pb.ProjectRequest, payload string) {
	t.Helper()
	resp, err := s.Project(t.Context(), req)
	if err != nil {
		wantRefusal(t, err, codes.Internal, "STORE_FAILED", "")
		return
	}
	path := resp.GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the artifact is %v, error %v", info, err)
	}
	if kept, err := os.ReadFile(path); err != nil || string(kept) != payload {
		t.Errorf("the artifact has %d bytes of %d, error %v", len(kept), len(payload), err)
	}
}

func hexNames(t *testing.T, _ *sidecar) {
	s := startSidecar(t, launch{})
	for i := range 20 {
		s.project(t, completed(0, numbered(2000+i)))
	}
	checkNames(t, s.Store)
}

func unprintableStores(t *testing.T, _ *sidecar) {
	good := filepath.Join(t.TempDir(), `with spaces, 'quotes' and "more", ünïcode`)
	s := startSidecar(t, launch{Store: good})
	resp := s.project(t, completed(0, numbered(2000)))
	path := resp.GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
	if !strings.HasPrefix(path, good+"/") {
		t.Errorf("the artifact is %s", path)
	}
	wantIn(t, resp.GetReceipt().GetText(), "; all: "+path+"\n")
	for _, bad := range []string{"new\nline", "esc\x1b[31m", "bell\x07", "not utf8 \xff", "bidi\u202e"} {
		store := filepath.Join(t.TempDir(), bad)
		stderr := refusedStart(t, launch{Store: store})
		wantIn(t, stderr, "store")
		if strings.Count(stderr, "\n") > 1 || strings.Contains(stderr, "\x1b") {
			t.Errorf("the refusal of %q is %q", bad, stderr)
		}
		if _, err := os.Lstat(store); err == nil {
			t.Errorf("the store %q was made", bad)
		}
	}
}

func volatileStores(t *testing.T, _ *sidecar) {
	at := mountTmpfs(t, "size=16m,mode=0700")
	t.Run("refused", func(t *testing.T) {
		stderr := refusedStart(t, launch{Store: filepath.Join(at, "store")})
		wantIn(t, stderr, "tmpfs")
	})
	t.Run("allowed", func(t *testing.T) {
		s := startSidecar(t, launch{Store: filepath.Join(at, "store"), Args: []string{"--volatile"}})
		if d := s.project(t, completed(0, "x")).GetDurability(); d != pb.StoreDurability_STORE_DURABILITY_VOLATILE {
			t.Errorf("the answer says %v", d)
		}
	})
}

func unsafeStores(t *testing.T, _ *sidecar) {
	cases := map[string]func(dir string) (store string, err error){
		"a link": func(dir string) (string, error) {
			store := filepath.Join(dir, "link")
			return store, os.Symlink(t.TempDir(), store)
		},
		"writable by everyone": func(dir string) (string, error) {
			store := filepath.Join(dir, "open")
			if err := os.Mkdir(store, 0o700); err != nil {
				return "", err
			}
			return store, os.Chmod(store, 0o777)
		},
		"below a directory that everyone can write to": func(dir string) (string, error) {
			return filepath.Join(dir, "store"), os.Chmod(dir, 0o777)
		},
		"a file": func(dir string) (string, error) {
			store := filepath.Join(dir, "file")
			return store, os.WriteFile(store, nil, 0o600)
		},
	}
	foreign := map[string]func(dir string) (store string, err error){
		"of another user": func(dir string) (string, error) {
			store := filepath.Join(dir, "foreign")
			if err := os.Mkdir(store, 0o700); err != nil {
				return "", err
			}
			return store, os.Chown(store, 65534, 65534)
		},
		"below a directory of another user": func(dir string) (string, error) {
			return filepath.Join(dir, "store"), os.Chown(dir, 65534, 65534)
		},
	}
	maps.Copy(cases, foreign)
	for name, prepare := range cases {
		t.Run(name, func(t *testing.T) {
			leg(t, foreign[name] == nil || os.Geteuid() == 0, "needs root")
			store, err := prepare(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			stderr := refusedStart(t, launch{Store: store})
			wantIn(t, stderr, "unsafe store root")
		})
	}
}

// anyUmask starts a sidecar under every umask that matters, and looks at the
// modes of everything that it made.
func anyUmask(t *testing.T, _ *sidecar) {
	for _, umask := range []string{"0", "022", "077", "0777"} {
		t.Run(umask, func(t *testing.T) {
			s := startSidecar(t, launch{Shell: "umask " + umask})
			s.project(t, completed(0, numbered(2000)))
			artifacts := 0
			for name, mode := range inStore(t, s.Store) {
				want := fs.FileMode(0o600)
				switch {
				case mode.IsDir():
					want = 0o700
				case name == "FORMAT", name == "journal/OPEN", strings.HasSuffix(name, ".zst"):
					want = 0o400
				case strings.HasPrefix(name, "journal/"):
				case strings.Contains(name, "/"):
					want, artifacts = 0o400, artifacts+1
				}
				if mode.Perm() != want {
					t.Errorf("%s has mode %04o, want %04o", name, mode.Perm(), want)
				}
			}
			if artifacts != 1 {
				t.Errorf("there are %d artifacts", artifacts)
			}
			for path, want := range map[string]fs.FileMode{s.Socket: 0o600, filepath.Dir(s.Socket): 0o700} {
				if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
					t.Errorf("%s: %v, error %v; want mode %04o", path, info.Mode(), err, want)
				}
			}
		})
	}
}
