package clients_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// root is that of the module.
const root = "../.."

// all are the languages that have a client.
var all = []string{"go", "java", "python", "rust", "typescript"}

// chosenVar names the variable with the languages to run, such as "go python".
const chosenVar = "TOOLRESULT_CLIENTS"

// language is the client of a language.
type language struct {
	name string
}

// languages returns those that are to run, with their toolchains and a registry of packages. A test that was not asked for them is
// skipped.
func languages(t testing.TB) (out []language) {
	t.Helper()
	names := strings.Fields(os.Getenv(chosenVar))
	if len(names) == 0 {
		t.Skip("skipped: it installs packages; make clients runs it")
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			t.Fatalf("%s: there is no client of %q", chosenVar, name)
		}
		out = append(out, language{name})
	}
	return out
}

// building has a lock for each language: Maven and others share what they have downloaded, and not all of them expect company.
var building = func() map[string]*sync.Mutex {
	locks := map[string]*sync.Mutex{}
	for _, name := range all {
		locks[name] = &sync.Mutex{}
	}
	return locks
}()

// alone waits until no other test builds in the language, and returns how to let the next one.
func (l language) alone() (done func()) {
	building[l.name].Lock()
	return building[l.name].Unlock
}

// prepare builds the drivers of the language, and returns their paths: clients/LANGUAGE/conformance/prepare.sh DIR makes DIR/driver
// and, of Python, that of asyncio, too.
func (l language) prepare(t testing.TB) []string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join(root, ".run", "clients", l.name))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(root, "clients", l.name, "conformance", "prepare.sh")
	c := exec.Command("bash", script, dir)
	c.Env = toolEnvironment(t)
	defer l.alone()()
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	var drivers []string
	for _, name := range []string{"driver", "driver-asyncio"} {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			drivers = append(drivers, path)
		} else if name == "driver" {
			t.Fatalf("%s made no driver: %v", script, err)
		}
	}
	return drivers
}
