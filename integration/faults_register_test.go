package integration_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// proofs names, for each case of integration/faults/README.md, the tests that prove it, a leg of CI, or the reason why there is none.
const proofs = "testdata/faults.txt"

var (
	faultRow    = regexp.MustCompile(`(?m)^- \*\*([A-Z]\d\d)\*\* .+$`)
	proofRow    = regexp.MustCompile(`^([A-Z]\d\d) (.+)$`)
	provedBy    = regexp.MustCompile(`([a-z/]+)\.((?:Test|Fuzz)\w+)(?:/(\w+))?`)
	provedByLeg = regexp.MustCompile(`^make ([a-z-]+)$`)
)

// TestFaultRegister checks that the page and the list of proofs have the same cases, and that every case has a test that is
// there, a leg of CI, or a reason why not. Every case of TestFaults proves one.
func TestFaultRegister(t *testing.T) {
	t.Parallel()
	page := map[string]bool{}
	for _, m := range faultRow.FindAllStringSubmatch(string(readFile(t, "faults/README.md")), -1) {
		if page[m[1]] {
			t.Errorf("the page has %s twice", m[1])
		}
		page[m[1]] = true
	}
	makefile, list := string(readFile(t, "../Makefile")), string(readFile(t, proofs))
	for line := range strings.Lines(list) {
		m := proofRow.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			t.Errorf("%s: no proof of a case: %q", proofs, line)
			continue
		}
		if !page[m[1]] {
			t.Errorf("the page has no row of %s, or it is twice in %s", m[1], proofs)
		}
		delete(page, m[1])
		checkProof(t, m[1], m[2], makefile)
	}
	for id := range page {
		t.Errorf("%s has no line of %s", proofs, id)
	}
	for _, f := range faults() {
		if !strings.Contains(list, "integration.TestFaults/"+f.id) {
			t.Errorf("nothing is proved by the case %s of TestFaults", f.id)
		}
	}
}

// checkProof looks for what proves a case.
func checkProof(t *testing.T, id, proof, makefile string) {
	t.Helper()
	if leg := provedByLeg.FindStringSubmatch(proof); leg != nil {
		if !regexp.MustCompile(`(?m)^(?:ALWAYS :=|checks:) .*\b` + leg[1] + `\b`).MatchString(makefile) {
			t.Errorf("%s: CI has no leg %s", id, leg[1])
		}
		return
	}
	tests := provedBy.FindAllStringSubmatch(proof, -1)
	if len(tests) == 0 && (!strings.HasPrefix(proof, "Does not apply: ") || len(proof) < 25) {
		t.Errorf("%s has neither a test nor a reason: %q", id, proof)
	}
	for _, m := range tests {
		if !testExists(t, m[1], m[2]) {
			t.Errorf("%s: there is no test %s.%s", id, m[1], m[2])
		}
		if m[3] != "" && !isFault(m[3]) {
			t.Errorf("%s: TestFaults has no case %s", id, m[3])
		}
	}
}

// testExists looks for the function in the test files of a package.
func testExists(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}

func isFault(id string) bool {
	for _, f := range faults() {
		if f.id == id {
			return true
		}
	}
	return false
}
