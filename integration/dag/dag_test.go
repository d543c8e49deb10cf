package dag_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/toolresult/toolresult/"

// impure packages give different answers to the same question.
var impure = []string{"time", "math/rand", "math/rand/v2", "crypto/rand", "os", "os/exec", "os/user", "net", "runtime", "syscall"}

// pkg is a package as go list describes it.
type pkg struct {
	ImportPath string
	Imports    []string
}

func TestImportsFollowTable(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range packages(t) {
		name, known := rowOf(strings.TrimPrefix(p.ImportPath, module))
		if !known {
			t.Errorf("%s has no row", p.ImportPath)
			continue
		}
		seen[name] = true
		for _, i := range p.Imports {
			if problem := table[name].check(name, i); problem != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, i, problem)
			}
		}
	}
	for name := range table {
		if !seen[name] {
			t.Errorf("the table has a row for %s, and there is no such package", name)
		}
	}
}

// check returns why a package of the row may not import another; empty: it may.
func (r row) check(name, imported string) string {
	if other, ours := strings.CutPrefix(imported, module); ours && !r.allows(name, other) {
		return "the table does not allow it"
	}
	if grpcLevel(imported) > r.grpc {
		return "the table allows less of gRPC"
	}
	if r.pure && slices.Contains(impure, imported) {
		return "this package has no clock, random source or environment"
	}
	return ""
}

// allows reports whether a row has a package of the module, or is its own row.
func (r row) allows(name, imported string) bool {
	if own, _ := rowOf(imported); own == name {
		return true
	}
	return slices.ContainsFunc(r.imports, func(allowed string) bool {
		parent, below := strings.CutSuffix(allowed, "/...")
		if own, _ := rowOf(imported); own == parent {
			return true
		}
		return below && strings.HasPrefix(imported, parent+"/")
	})
}

// grpcLevel returns how much of gRPC a package must know to import another.
func grpcLevel(imported string) knows {
	rest, ok := strings.CutPrefix(imported, "google.golang.org/grpc")
	switch {
	case !ok:
		return nothing
	case rest == "/codes":
		return codes
	case rest == "":
		return calls
	}
	return all
}

// rowOf returns the row of a package: its own, or that of its nearest parent folder.
func rowOf(name string) (string, bool) {
	for ; name != "."; name = path.Dir(name) {
		if _, ok := table[name]; ok {
			return name, true
		}
	}
	return "", false
}

// The table must be able to say no.
func TestTableRejects(t *testing.T) {
	for importer, imports := range map[string][]string{
		"gen":                 {module + "envelope"},
		"envelope":            {module + "preview", module + "preview/textscan"},
		"preview":             {module + "gen/toolresult/v1", module + "redact", "time"},
		"preview/textscan":    {module + "preview", module + "preview/shape"},
		"projectors":          {module + "renderers", "google.golang.org/grpc/codes"},
		"projectors/profile":  {module + "projectors", "os"},
		"renderers":           {module + "artifactstore", module + "projectors", "math/rand/v2"},
		"compactor":           {"google.golang.org/grpc/status"},
		"transports":          {module + "transports/streams", module + "preview"},
		"artifactstore":       {module + "artifactstore/dir", module + "gen/toolresult/v1"},
		"artifactstore/dir":   {module + "artifactstore/catalog", module + "internal/sqlitedb"},
		"auditlog":            {module + "artifactstore", module + "envelope", module + "auditlog/local"},
		"auditlog/postgres":   {module + "internal/sqlitedb"},
		"auditlog/local":      {module + "auditlog/postgres", module + "artifactstore/catalog"},
		"internal/sqlitedb":   {module + "gen/toolresult/v1"},
		"internal/journal":    {module + "gen/toolresult/v1", module + "internal/sqlitedb", module + "auditlog"},
		"internal/index":      {module + "auditlog", module + "artifactstore"},
		"server/rpc":          {module + "artifactstore", module + "server/pipeline", module + "server"},
		"server/ingest":       {module + "server/pipeline", "google.golang.org/grpc/codes"},
		"server/pipeline":     {module + "server", module + "auditlog/local", module + "internal/journal", "google.golang.org/grpc/status"},
		"server/artifactapi":  {module + "server/pipeline", module + "auditlog"},
		"server/transportapi": {module + "server/auditapi", "google.golang.org/grpc/metadata"},
		"cmd":                 {module + "projectors", module + "server/pipeline"},
	} {
		for _, imported := range imports {
			if table[importer].check(importer, imported) == "" {
				t.Errorf("%s may import %s", importer, imported)
			}
		}
	}
}

// The table is no cycle, whatever the packages do with it: of two rows, one may import the other at most.
func TestTableHasNoCycle(t *testing.T) {
	var visit func(name string, above []string)
	done := map[string]bool{}
	visit = func(name string, above []string) {
		if slices.Contains(above, name) {
			t.Errorf("the table allows a cycle: %s", strings.Join(append(above, name), " imports "))
			return
		}
		if done[name] {
			return
		}
		for other := range table {
			if other != name && table[name].allows(name, other) {
				visit(other, append(slices.Clip(above), name))
			}
		}
		done[name] = true
	}
	for name := range table {
		visit(name, nil)
	}
}

// packages asks the go command for the packages of the module.
func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-pgo=off", "-json=ImportPath,Imports", module+"...")
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
