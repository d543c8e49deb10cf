package clients_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// driver is a running driver of a client.
type driver struct {
	in      io.WriteCloser
	answers chan json.RawMessage // lines of its standard output
	stderr  bytes.Buffer
	process *exec.Cmd
}

// startDriver starts a driver with variables beside those that programs need.
func startDriver(t testing.TB, program string, env ...string) *driver {
	t.Helper()
	d := &driver{answers: make(chan json.RawMessage), process: exec.Command(program)}
	d.process.Env = append(plainEnvironment(t), env...)
	d.process.Stderr = &d.stderr
	out, err := d.process.StdoutPipe()
	if err == nil {
		d.in, err = d.process.StdinPipe()
	}
	if err == nil {
		err = d.process.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(d.answers)
		lines := bufio.NewReaderSize(out, 1<<20)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			d.answers <- line
		}
	}()
	t.Cleanup(func() { d.end(t) })
	return d
}

// end closes the input of the driver, and waits for its end.
func (d *driver) end(t testing.TB) {
	t.Helper()
	_ = d.in.Close()
	ended := make(chan error, 1)
	go func() {
		for range d.answers { // there are none any more
		}
		ended <- d.process.Wait()
	}()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the driver ended with %v: %s", err, &d.stderr)
		}
	case <-time.After(10 * time.Second):
		_ = d.process.Process.Kill()
		t.Errorf("the driver did not end with its input: %s", &d.stderr)
	}
}

// request is a line to a driver.
type request struct {
	Call string         `json:"call"`
	With map[string]any `json:"with"`
	Save string         `json:"save,omitempty"`
}

// reply is a line of a driver: one of both.
type reply struct {
	Answer map[string]any `json:"answer"`
	Error  map[string]any `json:"error"`
}

// patience is how long a driver may take for a call.
const patience = 60 * time.Second

// send sends a request.
func (d *driver) send(t testing.TB, r request) {
	t.Helper()
	if r.With == nil {
		r.With = map[string]any{}
	}
	line, err := json.Marshal(r)
	if err == nil {
		_, err = d.in.Write(append(line, '\n'))
	}
	if err != nil {
		t.Fatalf("%s: %v: %s", r.Call, err, &d.stderr)
	}
}

// receive waits for the reply.
func (d *driver) receive(t testing.TB) (r reply) {
	t.Helper()
	select {
	case line, ok := <-d.answers:
		if !ok {
			_ = d.process.Wait()
			t.Fatalf("the driver ended: %s", &d.stderr)
		}
		if err := json.Unmarshal(line, &r); err != nil || (r.Answer == nil) == (r.Error == nil) {
			t.Fatalf("%v in %s", err, line)
		}
	case <-time.After(patience):
		t.Fatalf("no answer within %v: %s", patience, &d.stderr)
	}
	return r
}

// plainEnvironment returns what programs of all languages need to run, and nothing of a sidecar.
func plainEnvironment(t testing.TB) []string {
	t.Helper()
	env := []string{"PYTHONDONTWRITEBYTECODE=1", "PYTHONUTF8=1", "NO_COLOR=1"}
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "LANG", "JAVA_HOME"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, fmt.Sprintf("%s=%s", name, value))
		}
	}
	return env
}
