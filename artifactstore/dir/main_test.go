package dir_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// The test binary runs itself as a second process when these are set: what to be, on which store.
const (
	roleVar = "ARTIFACTSTORE_TEST_ROLE"
	rootVar = "ARTIFACTSTORE_TEST_ROOT"
	killVar = "ARTIFACTSTORE_TEST_KILL"
	nameVar = "ARTIFACTSTORE_TEST_NAME"
)

// need guards a test that needs more than Go and Linux. Where it cannot run, the test is skipped or, with
// TOOLRESULT_LEGS=all, fails.
func need(t testing.TB, ok bool, why string) {
	t.Helper()
	switch {
	case ok:
	case os.Getenv("TOOLRESULT_LEGS") == "all":
		t.Fatalf("TOOLRESULT_LEGS=all, and this test cannot run: %s", why)
	default:
		t.Skipf("skipped: %s", why)
	}
}

func TestMain(m *testing.M) {
	switch os.Getenv(roleVar) {
	case "":
		goleak.VerifyTestMain(m)
	case "hold":
		os.Exit(holdStore())
	case "die":
		os.Exit(putAndDie())
	case "log":
		os.Exit(logAndDie())
	}
}

// holdStore opens the store, leaves a stage half written, says so and waits for the end of standard input.
func holdStore() int {
	d, err := dir.Open(os.Getenv(rootVar), dir.Options{})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	st, err := d.Stage(context.Background())
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if _, err := st.Write([]byte("half of ")); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("held")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return 1
	}
	if err := d.Close(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// putAndDie opens the store, puts artifacts, prints the name of each as soon as it is acknowledged, and
// kills itself before the step whose number is in killVar.
func putAndDie() int {
	d, err := openToDie()
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for _, b := range blobsToPut(d) {
		ref, err := d.Put(context.Background(), b)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println(ref.Name)
	}
	if err := d.Close(); err != nil {
		return 1
	}
	return 0
}

// openToDie opens the store, which kills the process before the step whose number is in killVar.
func openToDie() (*dir.Store, error) {
	kill, err := strconv.Atoi(os.Getenv(killVar))
	if err != nil {
		return nil, err
	}
	steps := 0
	die := func(string) error {
		if steps == kill {
			// No error can come back from this.
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		steps++
		return nil
	}
	return dir.OpenFaulty(os.Getenv(rootVar), dir.Options{}, die)
}

// helper returns a command that runs this test binary in a role.
func helper(t *testing.T, role, root string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVar+"="+role, rootVar+"="+root)
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// holder starts a process that holds the store at root. It ends when stop is called, by the end of its
// input or by kill -9.
func holder(t *testing.T, root string) (pid int, stop func(kill bool)) {
	t.Helper()
	cmd := helper(t, "hold", root)
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	stopped := false
	stop = func(kill bool) {
		if stopped {
			return
		}
		stopped = true
		if kill {
			must(t, cmd.Process.Kill())
			cmd.Wait() // reports the signal
			return
		}
		must(t, in.Close())
		must(t, cmd.Wait())
	}
	t.Cleanup(func() { stop(true) })
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != "held\n" {
		t.Fatalf("helper says %q, error %v", line, err)
	}
	return cmd.Process.Pid, stop
}

// source is a blob that has to be read.
type source []byte

func (s source) Size() int64                  { return int64(len(s)) }
func (s source) Open() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(s)), nil }

// largeSize is more than two chunks.
const largeSize = 600 << 10

// blobsToPut returns one blob for each way to put: in one piece, as a stream of several chunks, as a sealed
// stage, and once more what is there already.
func blobsToPut(d *dir.Store) []artifactstore.Blob {
	large := bytes.Repeat([]byte("large\n"), largeSize/6)
	blobs := []artifactstore.Blob{artifactstore.BytesBlob([]byte("small")), source(large)}
	if sealed, err := seal(d, []byte("staged")); err == nil {
		blobs = append(blobs, sealed)
	}
	return append(blobs, source(large), artifactstore.BytesBlob([]byte("small")))
}

// seal stages b and leaves the stage to the store to close.
func seal(d *dir.Store, b []byte) (artifactstore.Blob, error) {
	st, err := d.Stage(context.Background())
	if err != nil {
		return nil, err
	}
	if _, err := st.Write(b); err != nil {
		return nil, err
	}
	return st.Seal()
}
