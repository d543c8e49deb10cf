// Command golden writes the golden files and the tables of the documents again, and says how many files that changed.
//
//	golden                 all of them
//	golden -family dns     the cases of one family, and the tables
//	golden -tables REGEXP  the tables alone whose tests match
//
// Tests that write fail on purpose, so that nobody passes by rewriting. What they wrote is therefore compared by a
// second run, which must pass.
package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
)

func main() {
	family := flag.String("family", "", "write the golden cases of this family alone")
	tables := flag.String("tables", "", "write the tables whose tests match, and no golden file")
	flag.Parse()
	if _, err := os.Stat("integration/testdata/golden/" + *family); err != nil {
		fmt.Fprintln(os.Stderr, "golden: there are no cases of the family:", err)
		os.Exit(1)
	}
	if err := write(suites(*family, *tables)); err != nil {
		fmt.Fprintln(os.Stderr, "golden:", err)
		os.Exit(1)
	}
}

// suite is a set of tests of one package that write files.
type suite struct{ pkg, tests string }

// suites are those that write what is asked for.
func suites(family, tables string) []suite {
	documents := suite{"./integration", "TestDocumented"}
	switch {
	case tables != "":
		return []suite{{"./integration", tables}}
	case family != "":
		return []suite{{"./integration", "^TestGolden$/^" + family + "$"}, documents}
	}
	return []suite{
		{"./integration", "TestGolden|TestEarlierRecords"}, documents,
		{"./transports", "TestTurns"}, {"./transports/streams", "TestStreams$"}, {"./integration/conformance", "."},
	}
}

// write lets suites write, and then compare.
func write(all []suite) error {
	before, err := sums()
	if err != nil {
		return err
	}
	for _, s := range all {
		if text, _ := test(s, "-update"); noTest(text) { // a test that writes fails
			return fmt.Errorf("%s has no test %s", s.pkg, s.tests)
		}
		if text, err := test(s); err != nil {
			return fmt.Errorf("%s does not pass after it has written:\n%s", s.pkg, text)
		}
	}
	after, err := sums()
	if err != nil {
		return err
	}
	var changed []string
	for path, sum := range after {
		if before[path] != sum {
			changed = append(changed, path)
		}
	}
	for path := range before {
		if _, there := after[path]; !there {
			changed = append(changed, path+" (removed)")
		}
	}
	slices.Sort(changed)
	for _, path := range changed {
		fmt.Println(" ", path)
	}
	files := "files"
	if len(changed) == 1 {
		files = "file"
	}
	fmt.Printf("%d %s written, review the diff\n", len(changed), files)
	return nil
}

// test runs the tests of a suite.
func test(s suite, args ...string) ([]byte, error) {
	cmd := exec.Command("go", append([]string{"test", "-count=1", s.pkg, "-run", s.tests}, args...)...)
	return cmd.CombinedOutput()
}

// noTest reports that nothing matched.
func noTest(text []byte) bool { return bytes.Contains(text, []byte("no tests to run")) }

// sums returns the digest of every file that git knows or would take.
func sums() (map[string][sha256.Size]byte, error) {
	list, err := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	all := map[string][sha256.Size]byte{}
	for path := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EISDIR) {
			continue // it was removed, or it is a link to a folder
		}
		if err != nil {
			return nil, err
		}
		all[path] = sha256.Sum256(text)
	}
	return all, nil
}
