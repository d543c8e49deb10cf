package integration_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// register are the cases that docs/faults.md answers for.
const register = `
	E01 E03 E04 E05 E06 E07 E09 E10 E11 E12 E13 E14
	I01 I02 I03 I04 I07 I08 I09 I10 I11 I12
	J01 J02 J03 J04 J05 J07 J08 J09 J10 J11 J12 J13 J14 J15 J16
	K01 K02 K03 K04 K05 K06 K09 K10 K11 K12 K13 K14 K15 K16 K17 K18
	A18 A19`

var (
	registerRow = regexp.MustCompile(`(?m)^\| ([A-Z]\d\d) \| (.+) \| (.+) \| (.+) \|$`)
	provedBy    = regexp.MustCompile("`([a-z/]+)\\.((?:Test|Fuzz)\\w+)(?:/(\\w+))?`")
)

// TestFaultRegister checks that every case has a row, and every row a test that is there or a reason why not.
func TestFaultRegister(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, m := range registerRow.FindAllStringSubmatch(string(text), -1) {
		if rows[m[1]] != "" {
			t.Errorf("%s has two rows", m[1])
		}
		rows[m[1]] = m[4]
	}
	for id := range strings.FieldsSeq(register) {
		row, tests := rows[id], provedBy.FindAllStringSubmatch(rows[id], -1)
		delete(rows, id)
		switch reason := strings.HasPrefix(row, "Later: ") || strings.HasPrefix(row, "Does not apply: "); {
		case row == "":
			t.Errorf("%s has no row", id)
		case len(tests) == 0 && (!reason || len(row) < 25):
			t.Errorf("%s has neither a test nor a reason: %q", id, row)
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
	for id := range rows {
		t.Errorf("%s is a row of no known case", id)
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
