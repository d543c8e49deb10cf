//go:build linux

package faults_test

import (
	"bytes"
	"context"
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

	"github.com/toolresult/toolresult/integration/sidecartest"
	"github.com/toolresult/toolresult/server/rpc"
)

// The test binary runs itself as other processes, which are told what to be by these.
const (
	roleVar = "TOOLRESULT_FAULTS_ROLE"
	ownVar  = "TOOLRESULT_FAULTS_OWN_MOUNTS"
)

// patience is the time limit of everything that should happen at once.
const patience = sidecartest.Patience

// programs are where binaries that the tests build are.
var programs string

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVar); role != "" {
		os.Exit(play(role))
	}
	if legs() {
		rpc.UseBufferPool()
		mountsOfItsOwn()
	}
	dir, err := os.MkdirTemp("", "trf")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	programs = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// mountsOfItsOwn starts this process again in a mount namespace of its own, so that whatever ends it, no mount
// and no loop device is left behind.
func mountsOfItsOwn() {
	unshare, err := exec.LookPath("unshare")
	if err != nil || os.Geteuid() != 0 || os.Getenv(ownVar) != "" {
		return // the legs say what is missing
	}
	args := append([]string{"unshare", "--mount", "--propagation", "private", "--"}, os.Args...)
	err = syscall.Exec(unshare, args, append(os.Environ(), ownVar+"=1"))
	fmt.Fprintln(os.Stderr, "unshare:", err)
	os.Exit(1)
}

func legs() bool { return sidecartest.All() }

// leg begins a test of this package: it is skipped unless legs are asked for, and then fails where it cannot run.
func leg(t testing.TB, needed ...string) {
	t.Helper()
	if !legs() {
		t.Skip("leg skipped: `make faults` runs it")
	}
	sidecartest.NeedRoot(t, needed...)
}

// count is how often a leg does its work: usually, unless a variable says otherwise for the long form.
func count(t testing.TB, variable string, usually int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return usually
	}
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}

// share is how often a leg does its work: usually, or in the long form a part in 100 of what a variable says.
func share(t testing.TB, variable string, usually, percent int) int {
	t.Helper()
	if os.Getenv(variable) == "" {
		return usually
	}
	return (count(t, variable, 0)*percent + 99) / 100
}

// The variables of the long forms.
const (
	roundsVar    = "TOOLRESULT_FAULTS_ROUNDS"
	cutsVar      = "TOOLRESULT_FAULTS_CUTS"
	uploadsVar   = "TOOLRESULT_FAULTS_UPLOADS"
	artifactsVar = "TOOLRESULT_FAULTS_ARTIFACTS"
	stepsVar     = "TOOLRESULT_FAULTS_STEPS" // not empty: every time that a call is made
	megabytesVar = "TOOLRESULT_FAULTS_MEGABYTES"
	totalsVar    = "TOOLRESULT_FAULTS_TOTALS" // a file that the totals are appended to
)

// tally is what a leg has counted.
type tally struct {
	kills, cuts int
	found
	note string // further counts
	took time.Duration
}

// total reports a tally, and adds it to the totals, if there are any.
func total(t testing.TB, c tally) {
	t.Helper()
	what, n := "kills", c.kills
	if c.cuts > 0 {
		what, n = "cuts", c.cuts
	}
	if c.note != "" {
		c.note = ", " + c.note
	}
	t.Logf("%d %s%s, %v, %v", n, what, c.note, c.found, c.took.Round(time.Second))
	enter(t, "leg=%s kills=%d cuts=%d artifacts=%d records=%d lost=%d torn=%d seconds=%.0f",
		t.Name(), c.kills, c.cuts, c.acked, c.records, c.lost, c.torn, c.took.Seconds())
}

// remark reports something else that a leg has measured.
func remark(t testing.TB, format string, values ...any) {
	t.Helper()
	line := fmt.Sprintf(format, values...)
	t.Log(line)
	enter(t, "%s: %s", t.Name(), line)
}

// enter appends a line to the totals. Those of several runs add up: `make faults-totals` does.
func enter(t testing.TB, format string, values ...any) {
	t.Helper()
	path := os.Getenv(totalsVar)
	if path == "" || t.Failed() {
		return
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	must(t, err)
	_, err = fmt.Fprintf(f, format+"\n", values...)
	must(t, err)
	must(t, f.Close())
}

// sidecarBinary builds the sidecar once.
func sidecarBinary(t testing.TB) string {
	t.Helper()
	path, err := build()
	must(t, err)
	return path
}

var build = sync.OnceValues(func() (string, error) { return sidecartest.Build(programs) })

// must stops the test if err is not nil.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// run runs a program, which must succeed, and returns what it wrote.
func run(t testing.TB, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func waitFor(t testing.TB, what string, holds func() bool) {
	t.Helper()
	sidecartest.WaitFor(t, what, holds)
}

func shortDir(t testing.TB) string {
	t.Helper()
	return sidecartest.ShortDir(t)
}

// tempFiles lists what is unfinished in a store.
func tempFiles(t testing.TB, store string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(store, "tmp"))
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// lines are the complete lines of a file.
func lines(t testing.TB, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	return strings.FieldsFunc(string(whole), func(r rune) bool { return r == '\n' })
}
