package reports

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/toolresult/toolresult/integration/cputime"
)

// The CPU time of a report grows with its size, whatever its shape. Not parallel: others would be counted, too.
func TestHostileReportsAreReadInTime(t *testing.T) {
	const n = 20_000
	for name, text := range map[string]string{
		"many that failed": "<testsuite>" + strings.Repeat(`<testcase name="a"><failure>x</failure></testcase>`, n) + "</testsuite>",
		"nested":           strings.Repeat(`<testsuite name="a">`, n) + "<testcase name='b'><failure/></testcase>",
		"many that failed within many": func() string {
			groups := strings.Builder{}
			for i := range 500 {
				fmt.Fprintf(&groups, `<testsuite name="s%d">`, i)
			}
			for i := range n {
				fmt.Fprintf(&groups, `<testcase name="t%d"><failure message="no"/></testcase>`, i)
			}
			return groups.String()
		}(),
		"findings within many":    `{"runs":[{"tool":{"driver":{}},"a":` + strings.Repeat(`{"b":`, 500) + `{"results":[` + strings.Repeat(`{"message":{"text":"m"}},`, n),
		"plain lines":             "1..2\nok 1\n" + strings.Repeat("error: no\n", n),
		"text in JSON":            `{"numTotalTests":1,"testResults":` + strings.Repeat("a b ", n),
		"nested tests":            strings.Repeat(`<testcase name="a" status="failed">`, n),
		"texts of one test":       `<testcase name="a"><failure>` + strings.Repeat("<message>x</message>", n) + "</failure></testcase>",
		"brackets":                "<testsuite>" + strings.Repeat("<", n),
		"ends without beginnings": strings.Repeat("<testsuite>", 500) + strings.Repeat("</x>", n),
		"entities":                `<testcase name="` + strings.Repeat("&", n) + `"><failure/></testcase>`,
		"JSON that failed":        `[{"nodeid":"p","outcome":"failed","a":[` + strings.Repeat(`{"name":"a","status":"failed"},`, n),
		"nested JSON":             `{"nodeid":1,"outcome":` + strings.Repeat(`{"name":"a","status":"failed","in":[`, n),
		"blank lines of TAP":      "1..2\nok 1\nnot ok 2\n" + strings.Repeat("\n", n) + "ok 3\n",
		"subtests of TAP":         strings.Repeat("# Subtest: a\n", n) + "ok 1\nok 2\n",
		"nested subtests of TAP":  "ok 1\n" + strings.Repeat("    # Subtest: a\n", 100) + "        not ok 2\n",
		"slashes of Go":           `{"Action":"fail","Package":"p","Test":"` + strings.Repeat("a/", n) + `"}`,
		"findings":                `[{"filePath":"a","messages":[` + strings.Repeat(`{"ruleId":"x","severity":2,"message":"m","line":1},`, n),
	} {
		t.Run(name, func(t *testing.T) {
			begin := cputime.Used(t)
			_, err := Parse([]byte(text))
			if took := cputime.Used(t) - begin; took > 2*time.Second {
				t.Errorf("%d bytes took %v (%v)", len(text), took, err)
			}
		})
	}
}
