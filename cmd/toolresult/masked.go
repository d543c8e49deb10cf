package main

import (
	"io"
	"os"
	"sync"

	"github.com/toolresult/toolresult/internal/spool"
	"github.com/toolresult/toolresult/redact"
)

// What is passed on as it was goes through the patterns of package redact, whatever its size, and needs no sidecar for that: a
// command like `printenv` prints few bytes, and all of them are secrets.

// redactVariable turns that off.
const redactVariable = "TOOLRESULT_REDACT"

// isRedacting reports whether secrets are replaced in output that is passed on.
func isRedacting() bool { return os.Getenv(redactVariable) != "off" }

// masked is a writer of an output as it was, but without secrets. It is safe for concurrent use.
type masked struct {
	to        io.Writer
	mu        sync.Mutex
	redacting *redact.Writer // before to; nil: nothing was written yet
}

// Write implements io.Writer. The rules are read when the first byte is written.
func (m *masked) Write(p []byte) (int, error) {
	if !isRedacting() {
		return m.to.Write(p)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.redacting == nil {
		m.redacting = redact.NewWriter(redact.Options{Patterns: redact.BuiltIn()}, m.to)
	}
	return m.redacting.Write(p)
}

// release writes what waits, and is not the beginning of a secret, when the command is silent.
func (m *masked) release(patienceOver bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.redacting != nil {
		_ = m.redacting.Release(patienceOver) // the writer behind keeps its error
	}
}

// flush writes what waits for the end of the output.
func (m *masked) flush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.redacting != nil {
		_ = m.redacting.Close() // the writer behind keeps its error
		m.redacting = nil
	}
}

// printTo sets where receipts and what we say go, and the output without a receipt.
func (d *delivery) printTo(stdout, stderr io.Writer) {
	d.stdout, d.stderr = stdout, stderr
	d.raw = [2]*masked{spool.Stdout: {to: stdout}, spool.Stderr: {to: stderr}}
}

// flush writes what waits for the end of the output, as far as any of it is passed on.
func (d *delivery) flush() {
	for _, m := range d.raw {
		m.flush()
	}
}
