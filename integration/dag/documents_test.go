package dag_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

var (
	goLine   = regexp.MustCompile(`(?m)^go (\S+)$`)
	goInText = regexp.MustCompile(`\bGo (1\.[0-9.]*[0-9])`)
)

// The documents and every module name the Go version of go.mod: no other toolchain is downloaded.
func TestGoVersionIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	want := goLine.FindStringSubmatch(read(t, "go.mod"))[1]
	for _, document := range []string{"README.md", "CONTRIBUTING.md"} {
		found := goInText.FindAllStringSubmatch(read(t, document), -1)
		if len(found) == 0 {
			t.Errorf("%s does not say which Go is needed", document)
		}
		for _, m := range found {
			if m[1] != want {
				t.Errorf("%s names Go %s, and go.mod %s", document, m[1], want)
			}
		}
	}
	for _, module := range []string{"integration/tools", "integration/tools/s3", "integration/tokens", "integration/providers", "redact/generate", "packaging", "packaging/tools", "packaging/tools/goreleaser"} {
		if m := goLine.FindStringSubmatch(read(t, module+"/go.mod")); m == nil || m[1] != want {
			t.Errorf("%s/go.mod names Go %q, and go.mod %s", module, m, want)
		}
	}
}

var (
	requirement = regexp.MustCompile(`(?m)^\t(\S+) v\S+$`)                     // those that are not direct have a comment
	firstCell   = regexp.MustCompile("(?m)^\\| (`[^|]*) \\|")                  // of a row that begins with a module
	modulePath  = regexp.MustCompile("`([a-z0-9.]+\\.[a-z]+/[^`]+)`")          // by its path
	telemetry   = regexp.MustCompile(`^go\.opentelemetry\.io/(otel|contrib)/`) // which share a row
)

// The page about dependencies has a row for each direct requirement, and none for what is none.
func TestDependenciesHaveRows(t *testing.T) {
	t.Parallel()
	page, _, _ := strings.Cut(read(t, "docs/dependencies.md"), "\n## In the clients\n")
	var want, got []string
	for _, m := range requirement.FindAllStringSubmatch(read(t, "go.mod"), -1) {
		if !telemetry.MatchString(m[1]) {
			want = append(want, m[1])
		}
	}
	for _, cell := range firstCell.FindAllStringSubmatch(page, -1) {
		for _, m := range modulePath.FindAllStringSubmatch(cell[1], -1) {
			got = append(got, m[1])
		}
	}
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("docs/dependencies.md has no row of %s", name)
		}
	}
	for _, name := range got {
		if !slices.Contains(want, name) {
			t.Errorf("docs/dependencies.md has a row of %s, which go.mod does not require", name)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The guide to the source names every folder that the table has, down to the packages of the server.
func TestGuideNamesEveryFolder(t *testing.T) {
	t.Parallel()
	guide := read(t, "CONTRIBUTING.md")
	for name := range table {
		parts := strings.Split(name, "/")
		folder := parts[0]
		if folder == "server" {
			folder = name
		}
		if !strings.Contains(guide, "`"+folder+"/") {
			t.Errorf("CONTRIBUTING.md does not say what is in %s/", folder)
		}
	}
}

// shared matches state that goroutines share. sync.OnceValue, sync.Pool and sync.Map need no care of their
// users.
var shared = regexp.MustCompile(`\bsync\.(?:Mutex|RWMutex|Cond|NewCond|WaitGroup|Once)\b|\batomic\.[A-Z]|(?m)^\s*go (?:func|\w+[.(])`)

// TestRaceJobHasPackagesWithGoroutines checks that CI runs the race detector for every package that shares state.
func TestRaceJobHasPackagesWithGoroutines(t *testing.T) {
	t.Parallel()
	line := regexp.MustCompile(`(?m)^RACE := (.*)$`).FindStringSubmatch(read(t, "Makefile"))
	if line == nil {
		t.Fatal("the Makefile has no RACE")
	}
	run := strings.Fields(line[1])
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		if strings.HasPrefix(name, "gen/") || strings.HasPrefix(name, "integration/") || !sharesState(t, name) {
			continue
		}
		if !slices.ContainsFunc(run, func(pattern string) bool {
			parent, below := strings.CutSuffix(strings.TrimPrefix(pattern, "./"), "/...")
			return name == parent || below && strings.HasPrefix(name+"/", parent+"/")
		}) {
			t.Errorf("make race does not run the tests of %s", name)
		}
	}
}

// sharesState reports whether a package has goroutines, locks or atomic values.
func sharesState(t *testing.T, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, name, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		if strings.HasSuffix(file, "_test.go") {
			return false
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return shared.Match(text)
	})
}
