package dag_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/toolresult/toolresult/"

// room is one row of the table: what a top-level folder may import from this
// module, and from outside.
type room struct {
	imports []string
	grpc    bool // may import google.golang.org/grpc
	pure    bool // no clock, no random source, no environment
}

// rooms is the table. Imports of a room by itself need no row.
var rooms = map[string]room{
	"gen":           {grpc: true}, // generated code only
	"preview":       {imports: []string{"tokens"}, pure: true},
	"tokens":        {pure: true},
	"redact":        {pure: true},
	"artifactstore": {imports: []string{"internal/sqlitedb", "internal/groupcommit"}},
	"envelope":      {imports: []string{"gen"}},
	"projectors":    {imports: []string{"gen", "preview", "tokens", "envelope", "artifactstore", "projectors/profile", "projectors/web", "projectors/external"}, pure: true},
	"renderers":     {imports: []string{"gen", "preview", "tokens", "redact", "envelope"}, pure: true},
	"compactor":     {imports: []string{"gen", "preview", "tokens", "envelope"}, pure: true},
	"transports":    {imports: []string{"gen", "envelope"}, pure: true},
	"server":        {imports: []string{"gen", "preview", "tokens", "redact", "artifactstore", "envelope", "projectors", "projectors/profile", "renderers", "compactor", "transports", "auditlog"}, grpc: true},
	"cmd":           {imports: []string{"server", "gen", "artifactstore", "envelope", "projectors/profile"}, grpc: true},
	"integration":   {imports: []string{"server", "gen", "artifactstore"}, grpc: true},

	"auditlog": {imports: []string{"gen", "internal/sqlitedb", "internal/groupcommit"}},

	// Rooms in rooms.
	"projectors/profile":   {imports: []string{"gen", "preview"}, pure: true},
	"projectors/web":       {imports: []string{"gen"}, pure: true},
	"projectors/external":  {imports: []string{"gen", "envelope"}, pure: true},
	"internal/sqlitedb":    {}, // knows no tables
	"internal/groupcommit": {},
}

// impure packages give different answers to the same question.
var impure = []string{"time", "math/rand", "math/rand/v2", "crypto/rand", "os", "os/exec", "os/user", "net", "runtime", "syscall"}

type pkg struct {
	ImportPath string
	Imports    []string
}

func TestImportTable(t *testing.T) {
	packages := list(t)
	if len(packages) < len(rooms) {
		t.Fatalf("only %d packages are listed", len(packages))
	}
	for _, p := range packages {
		name, ok := roomOf(p.ImportPath)
		if !ok {
			continue
		}
		r, known := rooms[name]
		if !known {
			t.Errorf("%s is in a room that the table does not have", p.ImportPath)
			continue
		}
		for _, i := range p.Imports {
			if problem := r.check(name, i); problem != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, i, problem)
			}
		}
	}
}

func (r room) check(name, imported string) string {
	if other, ours := roomOf(imported); ours && other != name && !slices.Contains(r.imports, other) {
		return "the table does not allow it"
	}
	if !r.grpc && strings.HasPrefix(imported, "google.golang.org/grpc") {
		return "this room does not know gRPC"
	}
	if r.pure && slices.Contains(impure, imported) {
		return "this room has no clock, random source or environment"
	}
	return ""
}

// The table must be able to say no.
func TestTableRefuses(t *testing.T) {
	for _, c := range []struct{ room, imported string }{
		{"renderers", module + "artifactstore"}, {"preview", module + "gen/toolresult/v1"}, {"projectors", module + "renderers"},
		{"envelope", module + "preview"}, {"compactor", "google.golang.org/grpc/status"}, {"preview", "time"}, {"cmd", module + "projectors"}, {"projectors/profile", "os"}, {"renderers", "math/rand/v2"},
		{"auditlog", module + "artifactstore"}, {"auditlog", module + "envelope"}, {"internal/sqlitedb", module + "gen/toolresult/v1"},
	} {
		if rooms[c.room].check(c.room, c.imported) == "" {
			t.Errorf("%s may import %s", c.room, c.imported)
		}
	}
}

// roomOf is the top-level folder of a package of this module, or a folder in it
// that has a row of its own.
func roomOf(importPath string) (string, bool) {
	path, ok := strings.CutPrefix(importPath, module)
	if _, own := rooms[path]; own {
		return path, ok
	}
	name, _, _ := strings.Cut(path, "/")
	return name, ok
}

// list asks the go command for the packages of the module.
func list(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}
