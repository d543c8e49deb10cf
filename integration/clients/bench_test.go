package clients_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/integration/sidecartest"
)

// document is the page whose table BenchmarkProjectText writes.
var document = flag.String("document", "", "write the table of what calls cost into this page")

// BenchmarkProjectText compares, in each language, the median of projecting a text of 4 KB with that of a health check by the same
// client, and this ratio with Go's. The store is in memory, so that no disk hides what a client does. It writes the table of
// docs/clients.md with TOOLRESULT_CLIENTS='go java python rust typescript' and
// -run '^$' -bench ProjectText -benchtime 3x -args -document $PWD/docs/clients.md.
func BenchmarkProjectText(b *testing.B) {
	text := strings.Repeat("compiling unit of the program, which is up to date\n", 80)
	calls := map[string]map[string]any{
		"health": {"call": map[string]any{"call": "health", "with": map[string]any{}}, "warmup": 3000, "times": 2000},
		"text":   {"call": map[string]any{"call": "project_text", "with": map[string]any{"tool": "build", "text": text}}, "warmup": 3000, "times": 2000},
	}
	dir := sidecartest.ShortDir(b)
	s := sidecartest.Start(b, sidecartest.Options{Binary: binary, Socket: dir + "/s", Store: "memory"})
	var rows []string
	var ofGo float64
	for _, l := range languages(b) {
		d := startDriver(b, l.prepare(b)[0])
		d.ask(b, "connect", map[string]any{"address": s.Target()})
		b.Run(l.name, func(b *testing.B) {
			var health, project float64
			for b.Loop() {
				health, _ = d.ask(b, "time", calls["health"])["p50_us"].(float64)
				project, _ = d.ask(b, "time", calls["text"])["p50_us"].(float64)
			}
			ratio := project / health
			if l.name == "go" {
				ofGo = ratio
			}
			b.ReportMetric(health, "health-us")
			b.ReportMetric(project, "text-us")
			b.ReportMetric(ratio, "ratio")
			b.ReportMetric(ratio/ofGo, "of-go")
			rows = append(rows, fmt.Sprintf("| %s | %.0f | %.0f | %.1f | %.2f |", l.name, health, project, ratio, ratio/ofGo))
		})
	}
	if *document != "" {
		writeTable(b, *document, "| language | health check, us | text of 4 KB, us | ratio | of Go's |", rows)
	}
}

// ask makes a call that must be answered.
func (d *driver) ask(t testing.TB, call string, with map[string]any) map[string]any {
	t.Helper()
	d.send(t, request{Call: call, With: with})
	r := d.receive(t)
	if r.Answer == nil {
		t.Fatalf("%s: %v", call, r.Error)
	}
	return r.Answer
}

// writeTable writes the rows of the table with a heading.
func writeTable(t testing.TB, path, heading string, rows []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), heading+"\n")
	if !ok {
		t.Fatalf("%s has no table %s", path, heading)
	}
	rule, rest, _ := strings.Cut(rest, "\n")
	_, after, _ := strings.Cut(rest, "\n\n")
	if strings.HasPrefix(rest, "\n") { // no rows yet
		after = rest[1:]
	}
	out := before + heading + "\n" + rule + "\n" + strings.Join(rows, "\n") + "\n\n" + after
	if err := os.WriteFile(path, []byte(out), 0o644); err != nil {
		t.Fatal(err)
	}
}
