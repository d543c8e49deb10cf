package clients_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolresult/toolresult/integration/sidecartest"
)

// binary is the sidecar.
var binary string

func TestMain(m *testing.M) { os.Exit(sidecartest.Main(m, &binary)) }

// token is that of the sidecar over TCP.
const token = "conformance-0123456789abcdef"

// TestConformance runs the list with the client of each language, over the socket and over TCP. That of Go needs nothing else.
func TestConformance(t *testing.T) {
	t.Parallel()
	list, chosen := readList(t), []language{{"go"}}
	if os.Getenv(chosenVar) != "" {
		chosen = languages(t)
	}
	for _, l := range chosen {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			for _, driver := range l.prepare(t) {
				t.Run(filepath.Base(driver), func(t *testing.T) { runList(t, list, driver) })
			}
		})
	}
}

// runList runs the list with one driver.
func runList(t *testing.T, list map[string]listFile, program string) {
	for _, name := range slices.Sorted(maps.Keys(list)) {
		file := list[name]
		if file.Process {
			t.Run(name, func(t *testing.T) { discoverAll(t, file, program) })
			continue
		}
		for _, transport := range []string{"socket", "tcp"} {
			if testing.Short() && transport == "tcp" && name != "access" {
				continue
			}
			t.Run(name+"/"+transport, func(t *testing.T) { runFile(t, file, program, transport) })
		}
	}
}

// runFile runs the cases of a file with one client.
func runFile(t *testing.T, file listFile, program, transport string) {
	s := startServed(t, file.Sidecar)
	d := startDriver(t, program)
	r := &run{driver: d, served: s, variables: map[string]string{"STORE": s.store, "TCP": s.tcp}}
	for _, c := range file.Cases {
		if c.Only != "" && c.Only != transport {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			with := map[string]any{"address": "unix://" + s.socket}
			if transport == "tcp" {
				with = map[string]any{"address": s.tcp, "token": token}
			}
			r.step(t, listStep{Call: "connect", With: with, Want: map[string]any{"address": with["address"]}})
			r.saved = map[string]map[string]any{}
			for i, step := range c.Steps {
				if !t.Run(fmt.Sprintf("%d %s%s", i+1, step.Call, step.Control), func(t *testing.T) { r.step(t, step) }) {
					return // what follows builds on it
				}
			}
		})
	}
}

// run is a client that runs steps.
type run struct {
	*driver
	served    *served
	variables map[string]string
	saved     map[string]map[string]any // answers, by name
}

// step makes one step, and compares what the list says about it.
func (r *run) step(t *testing.T, s listStep) {
	t.Helper()
	if s.Control != "" {
		r.served.control(t, s.Control)
		return
	}
	got := r.reply(t, s)
	switch {
	case s.Error != nil && got.Error == nil:
		t.Errorf("it answered %v", got.Answer)
	case s.Error == nil && got.Answer == nil:
		t.Errorf("it failed: %v", got.Error)
	case s.Error != nil:
		r.compare(t, got.Error, s.Error)
	default:
		r.compare(t, got.Answer, s.Want)
	}
}

// reply makes the call of a step.
func (r *run) reply(t *testing.T, s listStep) reply {
	t.Helper()
	with, _ := expand(s.With, r.variables, r.saved).(map[string]any)
	r.send(t, request{s.Call, with, s.Save})
	if len(s.During) > 0 {
		time.Sleep(300 * time.Millisecond) // in which the call is sent to a sidecar that is stopped
	}
	for _, control := range s.During {
		r.served.control(t, control)
	}
	got := r.receive(t)
	if s.Save != "" {
		r.saved[s.Save] = maps.Clone(got.Answer)
	}
	return got
}

// compare reports the members that are not as wanted.
func (r *run) compare(t *testing.T, got, want map[string]any) {
	t.Helper()
	want, _ = plain(expand(want, r.variables, r.saved)).(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if value, ok := got[name]; !ok || !reflect.DeepEqual(value, want[name]) {
			t.Errorf("%s is\n%s\nwant\n%s", name, indented(value), indented(want[name]))
		}
	}
}

// plain returns a value as JSON has it.
func plain(value any) (out any) {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		panic(err) // the list has values that are no JSON
	}
	return out
}

// indented returns a value to be read by people.
func indented(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	text, _ := json.MarshalIndent(value, "", "  ")
	return string(text)
}

// served is the sidecar of a file of the list, which is killed and started again.
type served struct {
	*sidecartest.Sidecar
	t                  testing.TB // at whose end it ends
	options            sidecartest.Options
	socket, store, tcp string
}

// startServed starts a sidecar with a socket and a port that stay the same.
func startServed(t testing.TB, args []string) *served {
	t.Helper()
	dir := evenDir(t)
	s := &served{t: t, socket: filepath.Join(dir, "run", "s"), store: filepath.Join(dir, "store"), tcp: freePort(t)}
	tokenFile := filepath.Join(dir, "token")
	if err := os.WriteFile(tokenFile, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.options = sidecartest.Options{
		Binary: binary, Socket: s.socket, Store: s.store, AnyExit: true,
		Args: append([]string{"--tcp=" + s.tcp, "--token-file=" + tokenFile}, args...),
	}
	s.Sidecar = sidecartest.Start(t, s.options)
	return s
}

// evenDir returns a temporary directory whose path has the same number of tokens every time: o200k_base takes three digits as one, and
// receipts have the path of the store.
func evenDir(t testing.TB) string {
	t.Helper()
	for {
		dir := filepath.Join("/tmp", fmt.Sprintf("tr%09d", rand.IntN(1e9)))
		err := os.Mkdir(dir, 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		return dir
	}
}

// control does something to the sidecar.
func (s *served) control(t testing.TB, what string) {
	t.Helper()
	switch what {
	case "freeze":
		s.Signal(syscall.SIGSTOP)
		sidecartest.WaitFor(t, "all threads to stop", s.isStopped)
	case "kill":
		s.Kill()
	case "restart":
		s.Sidecar = sidecartest.Start(s.t, s.options)
	default:
		t.Fatalf("there is no control %q", what)
	}
}

// isStopped reports whether no thread of the sidecar runs any more, which is some time after the signal.
func (s *served) isStopped() bool {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", s.PID()))
	if err != nil || len(threads) == 0 {
		return false
	}
	for _, thread := range threads {
		stat, err := os.ReadFile(thread)
		if _, state, _ := strings.Cut(string(stat), ") "); err != nil || !strings.HasPrefix(state, "T") {
			return false
		}
	}
	return true
}

// freePort returns an address of this machine that nobody listens at now.
func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// discoverAll runs cases that are processes of their own: each finds its sidecar by itself.
func discoverAll(t *testing.T, file listFile, program string) {
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			p := newPlace(t, c.Place)
			env := append(slices.Clone(p.env), "TOOLRESULT_BINARY="+binary)
			for name, value := range c.Env {
				text, _ := expand(value, p.variables, nil).(string)
				env = append(env, name+"="+text)
			}
			r := &run{driver: startDriver(t, program, env...), variables: p.variables, saved: map[string]map[string]any{}}
			for i, step := range c.Steps {
				if !t.Run(fmt.Sprintf("%d %s", i+1, step.Call), func(t *testing.T) { r.step(t, step) }) {
					return
				}
			}
		})
	}
}

// place is the runtime directory of a user, and what is in it.
type place struct {
	env       []string
	variables map[string]string
}

// newPlace makes a runtime directory with a sidecar: on the default socket, elsewhere with an address file, or none.
func newPlace(t *testing.T, kind string) *place {
	t.Helper()
	home, other := sidecartest.ShortDir(t), filepath.Join(sidecartest.ShortDir(t), "o")
	runtime := filepath.Join(home, "toolresult")
	p := &place{
		env:       append(homeEnvironment(t, home), "TOOLRESULT_LOG_LEVEL=error"),
		variables: map[string]string{"RUNTIME": runtime, "OTHER": other, "SOCKET": filepath.Join(other, "s")},
	}
	start := func(socket, addressFile string) *sidecartest.Sidecar {
		return sidecartest.Start(t, sidecartest.Options{Binary: binary, Socket: socket, AnyExit: true, Args: []string{"--address-file=" + addressFile}})
	}
	switch kind {
	case "socket":
		start(filepath.Join(runtime, "toolresult.sock"), filepath.Join(other, "unused"))
	case "address_file", "address_file_of_others":
		start(filepath.Join(other, "s"), filepath.Join(runtime, "address"))
	case "other_file":
		start(filepath.Join(other, "s"), filepath.Join(other, "address"))
	case "dead":
		start(filepath.Join(runtime, "toolresult.sock"), filepath.Join(runtime, "address")).Kill()
	case "none":
	default:
		t.Fatalf("there is no place %q", kind)
	}
	if kind == "address_file_of_others" {
		if err := os.Chmod(filepath.Join(runtime, "address"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { endEnsured(runtime) })
	return p
}

// homeEnvironment returns the variables of a user with a home, which is the runtime directory, too.
func homeEnvironment(t testing.TB, home string) []string {
	t.Helper()
	env := []string{}
	for _, variable := range sidecartest.Environment(t) {
		if name, _, _ := strings.Cut(variable, "="); name == "TOOLRESULT_VOLATILE" {
			env = append(env, variable)
		}
	}
	return append(env, "HOME="+home, "XDG_RUNTIME_DIR="+home)
}

// endEnsured ends a sidecar that a client started.
func endEnsured(runtime string) {
	text, err := os.ReadFile(filepath.Join(runtime, "address"))
	var address struct {
		PID int `json:"pid"`
	}
	if err == nil && json.Unmarshal(text, &address) == nil && address.PID > 1 {
		_ = syscall.Kill(address.PID, syscall.SIGTERM)
	}
}
