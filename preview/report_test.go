package preview_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/reports"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/tokens"
)

// reportForms write a report of n tests, of which some failed.
var reportForms = map[string]func(n int, failed map[int]bool) string{
	"JUnit": func(n int, failed map[int]bool) string {
		return "<testsuites><testsuite name=\"shop\">" + eachTest(n, func(i int) string {
			inside := ""
			if failed[i] {
				inside = fmt.Sprintf("<failure message=\"row %d is wrong&#10;left: 1\">at shop.js:%d</failure>", i, i)
			}
			return fmt.Sprintf("<testcase classname=\"shop\" name=\"%s\" time=\"0.1\">%s</testcase>", testName(i), inside)
		}) + "</testsuite></testsuites>"
	},
	"Jest": func(n int, failed map[int]bool) string {
		return `{"numTotalTests":1,"testResults":[{"name":"a.js","status":"failed","assertionResults":[` + strings.TrimSuffix(eachTest(n, func(i int) string {
			status, messages := "passed", "[]"
			if failed[i] {
				status, messages = "failed", fmt.Sprintf(`["Error: row %d is wrong\n    at a.js:%d:1"]`, i, i)
			}
			return fmt.Sprintf(`{"fullName":"%s","status":"%s","failureMessages":%s},`, testName(i), status, messages)
		}), ",") + "]}]}"
	},
	"TAP": func(n int, failed map[int]bool) string {
		return "TAP version 13\n" + eachTest(n, func(i int) string {
			if failed[i] {
				return fmt.Sprintf("not ok %d - %s\n  ---\n  message: 'row %d is wrong'\n  ...\n", i+1, testName(i), i)
			}
			return fmt.Sprintf("ok %d - %s\n", i+1, testName(i))
		}) + fmt.Sprintf("1..%d\n", n)
	},
	"go test": func(n int, failed map[int]bool) string {
		return eachTest(n, func(i int) string {
			action, output := "pass", ""
			if failed[i] {
				action, output = "fail", fmt.Sprintf(`{"Action":"output","Package":"p","Test":"%s","Output":"    a_test.go:%d: row is wrong\n"}`+"\n", testName(i), i)
			}
			return output + fmt.Sprintf(`{"Action":"%s","Package":"p","Test":"%s"}`+"\n", action, testName(i))
		})
	},
}

// eachTest joins what is written of n tests.
func eachTest(n int, write func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(write(i))
	}
	return b.String()
}

// testName returns a name that is no part of another.
func testName(i int) string { return fmt.Sprintf("keeps_row_%d_.", i) }

// Whatever failed, and wherever it is, its names are shown while the budget
// allows for names.
func TestNamesOfWhatFailedAreShownFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		form := rapid.SampledFrom([]string{"JUnit", "Jest", "TAP", "go test"}).Draw(t, "form")
		n := rapid.IntRange(2, 600).Draw(t, "tests")
		failed := map[int]bool{}
		for range rapid.IntRange(1, 40).Draw(t, "failures") {
			failed[rapid.IntRange(0, n-1).Draw(t, "place")] = true
		}
		text := reportForms[form](n, failed)
		r, err := preview.ParseReport([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		budget := preview.Budget{Tokens: 60 + 40*len(failed), Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}
		p := r.Select(budget, tokens.Estimate(), preview.Hints{})
		for i := range failed {
			if !strings.Contains(p.Text, testName(i)) {
				t.Fatalf("%s with %d of %d failed does not show %s:\n%s", form, len(failed), n, testName(i), p.Text)
			}
		}
		if first := fmt.Sprintf("%d of %d failed", len(failed), n); form != "Jest" && !strings.HasPrefix(p.Text, first) {
			t.Errorf("begins with %.40q, want %q", p.Text, first)
		}
	})
}

// The visible and the omitted bytes are those of the readable form.
func TestReportsAreTiled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		form := rapid.SampledFrom([]string{"JUnit", "Jest", "TAP", "go test"}).Draw(t, "form")
		n := rapid.IntRange(2, 300).Draw(t, "tests")
		text := reportForms[form](n, map[int]bool{rapid.IntRange(0, n-1).Draw(t, "failed"): true})
		r, err := preview.ParseReport([]byte(text[:len(text)-rapid.IntRange(0, len(text)/2).Draw(t, "cut")]))
		if errors.Is(err, reports.ErrNone) {
			return
		}
		p := r.Select(preview.Budget{Tokens: rapid.IntRange(1, 2000).Draw(t, "tokens"), Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}, tokens.Estimate(), preview.Hints{})
		sum := p.VisibleBytes()
		for i := range p.Cuts {
			sum += p.Cuts[i].OmittedBytes
		}
		if sum != p.Bytes || p.Bytes != int64(len(r.Text())) || p.Shape != shape.TestReport {
			t.Errorf("%d bytes are shown or omitted, of %d, in a form of %d", sum, p.Bytes, len(r.Text()))
		}
	})
}

// An error that is nested deep in a report is found.
func TestDeepErrorOfReport(t *testing.T) {
	inside := `{"title":"pays","ok":false,"results":[{"status":"failed","error":{"message":"no rate for CHF"}}]}`
	for range 12 {
		inside = `{"title":"group","specs":[` + inside + `]}`
	}
	text := `{"suites":[` + inside + `],"specs":1,"projectName":` + string(mustJSON(t, strings.Repeat("x", 9000))) + `}`
	r, err := preview.ParseReport([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p := r.Select(preview.Budget{Tokens: 200, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}, tokens.Estimate(), preview.Hints{})
	if !strings.Contains(p.Text, "pays") || !strings.Contains(p.Text, "no rate for CHF") {
		t.Error(p.Text)
	}
}

// mustJSON returns a value as JSON.
func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// BenchmarkReport reads a report of one line and selects a preview.
func BenchmarkReport(b *testing.B) {
	for _, n := range []int{700, 14_000} {
		text := []byte(reportForms["JUnit"](n, map[int]bool{n / 2: true}))
		b.Run(fmt.Sprint(len(text)>>10, "KiB"), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r, err := preview.ParseReport(text)
				if err != nil {
					b.Fatal(err)
				}
				r.Select(preview.Budget{Tokens: 1000, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}, tokens.Estimate(), preview.Hints{})
			}
		})
	}
}
