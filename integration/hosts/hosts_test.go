package hosts_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/toolresult/toolresult/internal/hooks"
	ours "github.com/toolresult/toolresult/internal/hosts"
	"github.com/toolresult/toolresult/tokens"
)

// deciding is the line in the middle of the output that a model needs.
const deciding = ours.DecidingLine

const (
	measuredFile = "../../internal/hosts/measured.json"
	packageFile  = "package.json"
)

// measuring collects what models read of the command that fails. It is safe for concurrent use.
type measuring struct {
	mu   sync.Mutex
	seen map[string]ours.Measured
}

// measured are the readings of this run.
var measured = measuring{seen: map[string]ours.Measured{}}

// note notes what the model of a host reads.
func (m *measuring) note(host, text string, with bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	one := m.seen[host]
	if with {
		one.With = reading(text)
	} else {
		one.Without = reading(text)
	}
	m.seen[host] = one
}

// reading returns what a model reads of a text.
func reading(text string) ours.Reading {
	r := ours.Reading{Bytes: len(text), Line: strings.Contains(text, deciding)}
	if counter, err := tokens.O200k(); err == nil {
		r.Tokens = counter.Count(text)
	}
	return r
}

// packages are the npm packages of the hosts.
var packages = map[string]string{
	"claude-code": "@anthropic-ai/claude-code", "gemini-cli": "@google/gemini-cli", "codex": "@openai/codex",
	"copilot-cli": "@github/copilot", "opencode": "opencode-ai", "pi": "@mariozechner/pi-coding-agent",
}

// TestHosts runs every host without us, and with us beside sidecars in all states. Then it compares what their models read of the
// failing log with what is written down.
func TestHosts(t *testing.T) {
	t.Run("hosts", func(t *testing.T) {
		for _, h := range hosts {
			t.Run(h.name+", without", func(t *testing.T) {
				t.Parallel()
				withoutUs(t, h)
			})
			for _, state := range states {
				t.Run(h.name+", "+state, func(t *testing.T) {
					t.Parallel()
					withUs(t, h, state)
				})
			}
		}
	})
	text, err := os.ReadFile(packageFile)
	var npm struct{ Dependencies map[string]string }
	if err == nil {
		err = json.Unmarshal(text, &npm)
	}
	if err != nil {
		t.Fatal(err)
	}
	var now []ours.Measured
	for _, h := range hosts {
		m := measured.seen[h.name]
		if m.With.Bytes == 0 || m.Without.Bytes == 0 {
			t.Skip("not all hosts were run, or one of them failed")
		}
		m.Host, m.Version = hooks.Host(h.name), npm.Dependencies[packages[h.name]]
		now = append(now, m)
		t.Log(m.Row())
	}
	compareMeasured(t, now)
}

// compareMeasured compares readings with those that are written down: they differ by the length of paths alone.
func compareMeasured(t *testing.T, now []ours.Measured) {
	t.Helper()
	was, err := ours.Measurements()
	if err != nil {
		t.Fatal(err)
	}
	isNear := func(a, b ours.Reading) bool {
		return a.Line == b.Line && max(a.Tokens-b.Tokens, b.Tokens-a.Tokens) <= 60+a.Tokens/20
	}
	same := slices.EqualFunc(was, now, func(a, b ours.Measured) bool {
		return a.Host == b.Host && a.Version == b.Version && isNear(a.Without, b.Without) && isNear(a.With, b.With)
	})
	if same && !*write {
		return
	}
	compare(t, measuredFile, toJSON(t, now))
	if *write {
		for _, page := range []string{"../../README.md", "../../docs/hosts.md"} {
			writeTable(t, page, now)
		}
	}
}

// writeTable writes the table of a page.
func writeTable(t *testing.T, page string, now []ours.Measured) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), ours.TableHead)
	if !found {
		t.Fatalf("%s has no table", page)
	}
	_, after, _ := strings.Cut(rest, "\n\n")
	var b bytes.Buffer
	b.WriteString(before + ours.TableHead)
	for _, m := range now {
		b.WriteString("\n" + m.Row())
	}
	b.WriteString("\n\n" + after)
	if err := os.WriteFile(page, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
