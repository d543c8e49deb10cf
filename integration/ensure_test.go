package integration_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// ensured is a user with a home and a runtime directory of the test's own, in which `ensure` starts sidecars.
type ensured struct {
	testing.TB
	home string
	env  []string
}

// newEnsured ends, after the test, the sidecar that then runs.
func newEnsured(t testing.TB, more ...string) *ensured {
	t.Helper()
	// A machine with more to do than these tests answers late, and that is not what they are about.
	env := append(environment(t), append([]string{"TOOLRESULT_PATIENCE=5s"}, more...)...)
	u := &ensured{t, "", env}
	for _, variable := range env {
		if home, ok := strings.CutPrefix(variable, "HOME="); ok {
			u.home = home
		}
	}
	t.Cleanup(func() {
		for _, pid := range u.sidecars() {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended meanwhile
		}
	})
	return u
}

func (u *ensured) dir() string    { return filepath.Join(u.home, "toolresult") }
func (u *ensured) socket() string { return filepath.Join(u.dir(), "toolresult.sock") }
func (u *ensured) ensure(args ...string) ran {
	u.Helper()
	return cli(u, u.env, nil, append([]string{"ensure", "--wait=30s"}, args...)...)
}

// must ensures a sidecar, and returns the number of its process.
func (u *ensured) must(args ...string) (pid int) {
	u.Helper()
	u.mustPrint(args...)
	return u.address().PID
}

// mustPrint ensures a sidecar, which may have begun to end.
func (u *ensured) mustPrint(args ...string) {
	u.Helper()
	r := u.ensure(args...)
	if r.code != 0 || r.stdout != "unix://"+u.socket()+"\n" || r.stderr != "" {
		u.Fatalf("exit code %d: %q %q", r.code, r.stdout, r.stderr)
	}
}

// addressFile is the content of an address file, as a client in another language reads it.
type addressFile struct {
	Address, TCP, Version string
	PID                   int
}

func (u *ensured) address() addressFile {
	u.Helper()
	a, err := u.readAddress()
	if err != nil {
		u.Fatal(err)
	}
	return a
}

// readAddress fails when there is no address file.
func (u *ensured) readAddress() (a addressFile, err error) {
	text, err := os.ReadFile(filepath.Join(u.dir(), "address"))
	if err == nil {
		err = json.Unmarshal(text, &a)
	}
	return a, err
}

// sidecars returns the processes that serve with this home: those of their environment that name it.
func (u *ensured) sidecars() (pids []int) {
	u.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		u.Fatal(err)
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		args, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline")) // a process may end meanwhile
		env, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "environ"))
		if strings.Contains(string(args), "\x00serve\x00") && strings.Contains("\x00"+string(env), "\x00HOME="+u.home+"\x00") {
			pids = append(pids, pid)
		}
	}
	return pids
}

// gone reports whether a process has ended; one that nobody has waited for has.
func gone(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(stat), ") ")
	return err != nil || strings.HasPrefix(state, "Z")
}

// TestManyEnsureOneSidecar runs two and twenty `ensure` at once: one sidecar runs then, all have printed its address, and it serves.
func TestManyEnsureOneSidecar(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 20} {
		u := newEnsured(t)
		var all sync.WaitGroup
		for range n {
			all.Go(func() {
				if r := u.ensure(); r.code != 0 || r.stdout != "unix://"+u.socket()+"\n" {
					t.Errorf("%d at once: exit code %d: %q %q", n, r.code, r.stdout, r.stderr)
				}
			})
		}
		all.Wait()
		pids := u.sidecars()
		if len(pids) != 1 || pids[0] != u.address().PID {
			t.Errorf("%d at once: processes %v, and the address file has %d", n, pids, u.address().PID)
		}
		wantServing(t, u.address().Address)
		if again := u.must(); again != pids[0] {
			t.Errorf("a later one: process %d, not %d", again, pids[0])
		}
	}
}

// wantServing makes a call at an address.
func wantServing(t testing.TB, address string) {
	t.Helper()
	if _, err := pb.NewToolResultServiceClient(dial(t, address)).Project(t.Context(), completed(0, "hello\n")); err != nil {
		t.Error(err)
	}
}

// TestEnsuredSidecarIsFound calls commands without an address, and with the printed one.
func TestEnsuredSidecarIsFound(t *testing.T) {
	t.Parallel()
	u := newEnsured(t)
	pid := u.must()
	address := "unix://" + u.socket()
	mustCLI(t, u.env, nil, "exec", "--session=s", "--call=c", "--artifacts=always", "--", "echo", "hello")
	for _, env := range [][]string{u.env, append(environment(t), "TOOLRESULT_ADDRESS="+address)} {
		if out := mustCLI(t, env, nil, "artifacts", "list", "--session=s"); !strings.Contains(out, "6 B") {
			t.Errorf("the artifacts are %s", out)
		}
	}
	// Names that are stronger than what is found.
	elsewhere := append(environment(t), "TOOLRESULT_ADDRESS=unix:///nonexistent/s")
	if r := cli(t, elsewhere, nil, "info"); r.code != 125 || !strings.Contains(r.stderr, "Unavailable") {
		t.Errorf("TOOLRESULT_ADDRESS names another: exit code %d: %s", r.code, r.stderr)
	}
	if r := cli(t, elsewhere, nil, "ensure", "--patience=300ms"); r.code != 125 || !strings.Contains(r.stderr, "(TOOLRESULT_ADDRESS)") {
		t.Errorf("ensure of another: exit code %d: %s", r.code, r.stderr)
	}
	if a := u.address(); a.Address != address || a.PID != pid {
		t.Errorf("the address file is %+v", a)
	}
	wantMode(t, filepath.Join(u.dir(), "address"), 0o600)
	wantMode(t, u.dir(), 0o700)
}

func wantMode(t testing.TB, path string, mode os.FileMode) {
	t.Helper()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
		t.Errorf("%s: %v, %v", path, info, err)
	}
}

// TestKilledSidecarIsReplaced kills a sidecar, which leaves its socket and its address file. Commands do without one until the next
// `ensure`.
func TestKilledSidecarIsReplaced(t *testing.T) {
	t.Parallel()
	u := newEnsured(t)
	first := u.must()
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "its end", func() bool { return gone(first) })
	if a := u.address(); a.PID != first {
		t.Fatalf("the address file is %+v", a)
	}
	mustCLI(t, u.env, nil, "exec", "--", "true")
	second := u.must()
	if second == first || gone(second) {
		t.Errorf("process %d after %d", second, first)
	}
	wantServing(t, "unix://"+u.socket())
}

// TestSidecarThatEndsIsReplaced has `ensure` come while a sidecar ends: its socket is gone, and its store is not free yet.
func TestSidecarThatEndsIsReplaced(t *testing.T) {
	t.Parallel()
	u := newEnsured(t)
	for range 5 {
		pid := u.must()
		if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		u.mustPrint()
		if a, err := u.readAddress(); err != nil || a.PID == pid {
			// It was not at its end yet when it answered, and may have removed its file since.
			waitFor(t, "its end", func() bool { return gone(pid) })
		}
	}
}

// TestFrozenSidecarIsReported stops a sidecar: `ensure` says so within the patience, starts no other, and finds it once it goes on.
func TestFrozenSidecarIsReported(t *testing.T) {
	t.Parallel()
	u := newEnsured(t)
	pid := u.must()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for state := ""; !strings.HasPrefix(state, "T"); { // its other threads may go on for a moment
		out, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
		if err != nil {
			t.Fatal(err)
		}
		state = strings.TrimSpace(string(out))
	}
	r := u.ensure("--patience=750ms")
	if r.code != 125 || r.stdout != "" || !strings.Contains(r.stderr, fmt.Sprintf("process %d, which is stopped) does not answer within 750ms", pid)) {
		t.Errorf("exit code %d: %q %q", r.code, r.stdout, r.stderr)
	}
	if pids := u.sidecars(); len(pids) != 1 {
		t.Errorf("processes %v", pids)
	}
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if again := u.must(); again != pid {
		t.Errorf("process %d, not %d", again, pid)
	}
}

// TestIdleSidecarEnds waits for the end of a sidecar that nobody calls. A stream that waits keeps it, and checks of its health do
// for a while only; its address file and its socket are gone then.
func TestIdleSidecarEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: it waits for 15 s; `make integration` runs it")
	}
	t.Parallel()
	u := newEnsured(t)
	const idle = 4 * time.Second // a busy machine needs as long between two calls
	pid := u.must("--idle-exit=" + idle.String())
	conn := dial(t, "unix://"+u.socket())
	stream, err := pb.NewToolResultServiceClient(conn).ProjectStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(5 * idle / 2)
	if gone(pid) {
		t.Fatal("it ended with a stream in flight")
	}
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	_, _ = stream.Recv() // the stream was empty: an error
	began := time.Now()
	health := healthpb.NewHealthClient(conn)
	waitFor(t, "the end of an unused sidecar", func() bool {
		_, _ = health.Check(t.Context(), &healthpb.HealthCheckRequest{})
		return gone(pid)
	})
	if took := time.Since(began); took < idle {
		t.Errorf("it ended after %v", took)
	}
	for _, name := range []string{"address", "toolresult.sock"} {
		if _, err := os.Lstat(filepath.Join(u.dir(), name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if next := u.must(); next == pid {
		t.Errorf("process %d again", next)
	}
}

// TestRestrictedSidecarRemovesItsAddressFile ends one that has given up its right to other files.
func TestRestrictedSidecarRemovesItsAddressFile(t *testing.T) {
	t.Parallel()
	legLandlock(t)
	u := newEnsured(t, "TOOLRESULT_LANDLOCK=true")
	pid := u.must()
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "its end", func() bool { return gone(pid) })
	if _, err := os.Lstat(filepath.Join(u.dir(), "address")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the address file: %v", err)
	}
}

// TestEnsuredSidecarOutlivesItsHost has a host that runs `ensure` in a process group of its own, with an open pipe, and kills the
// group: the pipe is at its end at once, and the sidecar serves on, also after the signals of a terminal that closes.
func TestEnsuredSidecarOutlivesItsHost(t *testing.T) {
	t.Parallel()
	u := newEnsured(t)
	ours, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ours.Close() }()
	// The descriptor is open in the shell and in `ensure`, where it is 9.
	cmd := exec.Command("sh", "-c", `exec 9>&3; "$0" ensure --wait=30s; kill -9 -$$`, binary)
	cmd.Env, cmd.ExtraFiles, cmd.SysProcAttr = u.env, []*os.File{theirs}, &syscall.SysProcAttr{Setpgid: true}
	out, _ := cmd.Output() // it is killed
	_ = theirs.Close()
	if string(out) != "unix://"+u.socket()+"\n" {
		t.Fatalf("printed %q", out)
	}
	if err := ours.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if n, err := ours.Read(make([]byte, 1)); n != 0 || err == nil || os.IsTimeout(err) {
		t.Errorf("the pipe: %d bytes, %v", n, err)
	}
	pid := u.address().PID
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGPIPE} {
		if err := syscall.Kill(pid, sig); err != nil {
			t.Fatal(err)
		}
	}
	if session, err := syscall.Getpgid(pid); err != nil || session != pid {
		t.Errorf("its process group is %d, %v", session, err)
	}
	wantServing(t, "unix://"+u.socket())
}

// TestSettingsOfAnEnsuredSidecar has them in a file and in variables: they are those of `serve`, and the address file leads to a socket
// that only the file names.
func TestSettingsOfAnEnsuredSidecar(t *testing.T) {
	t.Parallel()
	u := newEnsured(t)
	dir := shortDir(t)
	file := filepath.Join(dir, "c.yaml")
	if err := os.WriteFile(file, []byte("socket: "+dir+"/run/own\nidle_exit: 5s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	plain := u.env
	u.env = append(plain[:len(plain):len(plain)], "TOOLRESULT_CONFIG="+file, "TOOLRESULT_ADDRESS_FILE="+u.dir()+"/address", "TOOLRESULT_TCP=127.0.0.1:0", "TOOLRESULT_TOKEN="+secret)
	if r := u.ensure(); r.code != 0 || r.stdout != "unix://"+dir+"/run/own\n" {
		t.Fatalf("exit code %d: %q %q", r.code, r.stdout, r.stderr)
	}
	a := u.address()
	if a.Address != "unix://"+dir+"/run/own" || !strings.HasPrefix(a.TCP, "127.0.0.1:") {
		t.Errorf("the address file is %+v", a)
	}
	if out := mustCLI(t, plain, nil, "ensure"); out != a.Address+"\n" { // by the address file alone
		t.Errorf("printed %q", out)
	}
	waitFor(t, "the end of an unused sidecar", func() bool { return gone(a.PID) })
	u.env = append(u.env, "TOOLRESULT_GC_INTERVAL=often")
	if r := u.ensure(); r.code != 125 || !strings.Contains(r.stderr, "gc_interval") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
}

// TestRuntimeDirectoryIsRemoved does what the end of a user's last session does to a sidecar that outlives it. Nobody can reach that one
// any more, and it has the store: it ends, so that the next `ensure` starts another one.
func TestRuntimeDirectoryIsRemoved(t *testing.T) {
	t.Parallel()
	u := newEnsured(t)
	first := u.must()
	if err := os.RemoveAll(u.dir()); err != nil {
		t.Fatal(err)
	}
	if next := u.must(); next == first || !gone(first) {
		t.Errorf("the sidecar is %d, after %d", next, first)
	}
	wantServing(t, "unix://"+u.socket())
}

// TestStoreOfAnotherIsReported has a sidecar elsewhere that has the store, and does not end in time.
func TestStoreOfAnotherIsReported(t *testing.T) {
	t.Parallel()
	other := startSidecar(t, launch{})
	u := newEnsured(t, "TOOLRESULT_STORE="+other.Store)
	if r := cli(t, u.env, nil, "ensure", "--wait=8s"); r.code != 125 || !strings.Contains(r.stderr, fmt.Sprintf("locked by process %d", other.PID())) {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
}

// TestReadOnlyDirectoriesAreReported has a home, and a runtime directory, in which nobody can write. For root they are a matter of
// another user.
func TestReadOnlyDirectoriesAreReported(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	readOnly, writable := filepath.Join(dir, "ro"), filepath.Join(dir, "rw")
	if err := errors.Join(os.Mkdir(readOnly, 0o555), os.Mkdir(writable, 0o700), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	program, as := binary, []string(nil)
	if os.Geteuid() == 0 {
		legTool(t, "setpriv")
		if err := os.Chown(writable, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		program, as = executable(t), []string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"}
	}
	for name, c := range map[string]struct{ home, runtime, want string }{
		"runtime directory": {writable, readOnly, "runtime directory: mkdir " + readOnly + "/toolresult: permission denied; XDG_RUNTIME_DIR names another"},
		"home":              {readOnly, writable, "artifact store " + readOnly + "/.local/state/toolresult: create store directory: permission denied"},
	} {
		env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.home, "XDG_RUNTIME_DIR=" + c.runtime, "GORACE=atexit_sleep_ms=0"}
		args := append(append([]string(nil), as...), program, "ensure")
		r := run(t, env, nil, args[0], args[1:]...)
		if r.code != 125 || r.stdout != "" || !strings.Contains(r.stderr, c.want) || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d: %q %q", name, r.code, r.stdout, r.stderr)
		}
	}
}

// TestSocketOfAnotherUserIsNotFollowed has an address file that leads to a sidecar of another user. Commands do not call it, also
// where that one would take the call, and `ensure` starts one of this user.
func TestSocketOfAnotherUserIsNotFollowed(t *testing.T) {
	t.Parallel()
	legTool(t, "setpriv")
	dir := shortDir(t)
	if err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(filepath.Join(dir, "nobody"), 0o700), os.Chown(filepath.Join(dir, "nobody"), 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "nobody", "run", "s")
	cmd := exec.Command("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
		executable(t), "serve", "--socket", socket, "--store", "memory", "--volatile", "--allow-uids=0")
	cmd.Env = append(environment(t), "HOME="+filepath.Join(dir, "nobody"), "GORACE=atexit_sleep_ms=0")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }()
	conn := dial(t, "unix://"+socket, grpc.WithDefaultCallOptions(grpc.WaitForReady(true)))
	if _, err := pb.NewToolResultServiceClient(conn).GetServerInfo(t.Context(), &pb.GetServerInfoRequest{}); err != nil {
		t.Fatal("it would take the call:", err)
	}
	u := newEnsured(t)
	if err := os.Mkdir(u.dir(), 0o700); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"address":"unix://%s","pid":%d}`, socket, cmd.Process.Pid)
	if err := os.WriteFile(filepath.Join(u.dir(), "address"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	mustCLI(t, u.env, nil, "exec", "--session=s", "--call=c", "--artifacts=always", "--", "echo", "hello")
	if out := mustCLI(t, u.env, nil, "artifacts", "list", "--session=s"); !strings.Contains(out, u.home) {
		t.Errorf("the artifacts are %s", out)
	}
	u.must()
	if a := u.address(); a.Address != "unix://"+u.socket() {
		t.Errorf("the address file is %+v", a)
	}
}
