package integration_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// register are the cases that docs/reference/faults.md answers for.
const register = `
	A01 A02 A03 A06 A09 A10 A11 A12 A13 A14 A15 A16 A18 A19 A20 A21 A22 A23
	B01 B02 B03 B04 B05 B06 B07 B08 B09 B10 B11 B12
	C01 C02 C03 C04 C06 C08 C09 C10 C11 C12 C13 C14 C15
	D01 D02 D03 D04 D06 D07 D08 D09 D11 D12 D14
	E01 E03 E04 E05 E06 E07 E09 E10 E11 E12 E13 E14
	F01 F02 F04 F05 F06 F08
	G01 G02 G03 G04 G06 G07 G08 G10 G12 G13 G14 G15
	H01 H02 H03 H05 H06 H07 H08 H09 H10
	I01 I02 I03 I04 I07 I08 I09 I10 I11 I12
	J01 J02 J03 J04 J05 J06 J07 J08 J09 J10 J11 J12 J13 J14 J15 J16 J17 J18
	K01 K02 K03 K04 K05 K06 K09 K10 K11 K12 K13 K14 K15 K16 K17 K18
	L01 L03 L04 L05 L06 L07 L08 L09 L10
	M01 M02 M03 M05 M06 M07`

var (
	registerRow = regexp.MustCompile(`(?m)^- \*\*([A-Z]\d\d) (.+)\*\*: (.+)\n  (.+)$`)
	provedBy    = regexp.MustCompile("`([a-z/]+)\\.((?:Test|Fuzz)\\w+)(?:/(\\w+))?`")
	provedByLeg = regexp.MustCompile("^`make ([a-z-]+)`$")
)

// TestFaultRegister checks that every case has a row, and every row a test that is there, a leg of CI, or a reason
// why not. Every case of TestFaults proves a row.
func TestFaultRegister(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/reference/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	makefile := string(readFile(t, "../Makefile"))
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
		if leg := provedByLeg.FindStringSubmatch(row); leg != nil {
			if !regexp.MustCompile(`(?m)^(ci|checks): .*\b` + leg[1] + `\b`).MatchString(makefile) {
				t.Errorf("%s: CI has no leg %s", id, leg[1])
			}
			continue
		}
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
	for _, f := range faults() {
		if !strings.Contains(string(text), "`integration.TestFaults/"+f.id+"`") {
			t.Errorf("no row names the case %s of TestFaults", f.id)
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
