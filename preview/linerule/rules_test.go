package linerule_test

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolresult/toolresult/preview/linerule"
)

func newRules(t testing.TB, keep, fold, summary []string) *linerule.Rules {
	t.Helper()
	r, err := linerule.New(keep, fold, summary)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Summary and keep win over fold, whatever the order.
func TestRulesVerdicts(t *testing.T) {
	t.Parallel()
	r := newRules(t, []string{`^warning: `, `(?i)deprecated`}, []string{`^\s+Compiling `, `^ok\s`, `^warning: unused$`, `…`, `^Down(loading|loaded) `},
		[]string{`^test result: `, `^\s+Finished .* in [0-9.]+s`})
	for line, want := range map[string]linerule.Verdict{
		"":                                    linerule.None,
		"error: nothing is known":             linerule.None,
		"   Compiling serde v1.0":             linerule.Fold,
		"Compiling serde v1.0":                linerule.None,
		"ok  \tpkg\t0.1s":                     linerule.Fold,
		"okay":                                linerule.None,
		"Downloading x":                       linerule.Fold,
		"Downloaded x":                        linerule.Fold,
		"Downloads x":                         linerule.None,
		"and so on…":                          linerule.Fold,
		"warning: unused":                     linerule.Keep,
		"   Compiling DEPRECATED v1":          linerule.Keep,
		"test result: FAILED. 1 failed":       linerule.Summary,
		"    Finished dev target(s) in 0.25s": linerule.Summary,
		"    Finished":                        linerule.None,
	} {
		if got := r.Classify([]byte(line)); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
	if v, why := r.Explain([]byte("Downloaded x")); v != linerule.Fold || why != "^Down(loading|loaded) " {
		t.Errorf("%v because of %q", v, why)
	}
	if none := (*linerule.Rules)(nil); none.Classify([]byte("x")) != linerule.None || none.Literals() != nil {
		t.Error("no rules have a verdict")
	}
}

func TestRulesLiterals(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		`^warning: `:                 "warning: ",
		`(?i)Warning|ERROR: `:        "error: ,warning",
		`(FAIL|FAILED|ERROR)\b.*`:    "error,fail",
		`err(or|no) in`:              "errno in,error in",
		`^\d+ (passed|failed)`:       " failed, passed",
		`^\s*(?:a|b)+ tests? failed`: " test failed, tests failed",
		`[Ee]rrors`:                  "errors",
		`x{2,3}abcde`:                "xxabcde",
		`(total){2}`:                 "totaltotal",
		`(?:total)+x`:                "total",
		`^=+ .* in [0-9.]+s =+$`:     "",
		`[a-z]+`:                     "",
		`warn?|fail`:                 "",
		`(?:warning)?x`:              "",
		`✖ \d+ problems`:             " problems",
		`(?i)ta(sk|ck)s done`:        "tacks done,tasks done",
		`error(?i)Code`:              "errorcode",
	} {
		r, err := linerule.New([]string{pattern}, nil, nil)
		var bad *linerule.PatternError
		switch {
		case want == "":
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), "keep pattern") || !strings.Contains(err.Error(), "has no literal") {
				t.Errorf("%s: error %v", pattern, err)
			}
			if _, err := linerule.New(nil, []string{pattern}, nil); err != nil {
				t.Errorf("%s to fold: %v", pattern, err)
			}
		case err != nil:
			t.Errorf("%s: %v", pattern, err)
		case strings.Join(r.Literals(), ",") != want:
			t.Errorf("%s: literals %q, want %q", pattern, r.Literals(), want)
		}
	}
}

func TestNewRejectsPatterns(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		`(`:                            "missing closing )",
		``:                             "matches the empty line",
		`^\s*$`:                        "matches the empty line",
		`.*`:                           "matches the empty line",
		`a(?=b)`:                       "invalid or unsupported Perl syntax",
		strings.Repeat("x", 513):       "has 513 bytes",
		`((ab|cd|ef){30}.{30}){20}xyz`: "is too large",
	} {
		_, err := linerule.New(nil, []string{"fine", pattern}, nil)
		var bad *linerule.PatternError
		if !errors.As(err, &bad) || bad.Verdict != linerule.Fold || bad.Index != 1 || bad.Pattern != pattern || !strings.Contains(bad.Reason, want) {
			t.Errorf("%.40q: error %v, want %q", pattern, err, want)
		}
	}
	if _, err := linerule.New(nil, slices.Repeat([]string{"x"}, linerule.MaxPatterns+1), nil); err == nil {
		t.Error("any number of patterns is taken")
	}
}

// FuzzRules: no line that is to be kept lacks all literals, and what is searched
// for first takes nothing from what a pattern means.
func FuzzRules(f *testing.F) {
	for _, seed := range [][2]string{
		{`^warning: `, "warning: x"}, {`(?i)warning|error: `, "ERROR: no"}, {`err(or|no) in`, "errno in x"}, {`^\d+ (passed|failed)`, "3 failed"},
		{`x{2,3}abcde`, "xxabcde"}, {`[Ee]rrors`, "Errors"}, {`✖ \d+ problems`, "✖ 3 problems"}, {`^(a|b)(c|d)efgh(i|j)?$`, "bdefgh"},
		{`\bFAIL(ED)?\b`, "xFAIL"}, {`(?i)ta[sk]k`, "TASK"}, {`(?:ab|(?i)cdef)gh`, "CDEFgh"}, {`^(ab\b|cd)ef`, "abef"}, {`(?s)a.b{2}cccc`, "a\nbbcccc"},
		{`^\Qa.b\E+cccc$`, "a.bcccc"}, {`(?U)a+?bbbb`, "aabbbb"}, {`^(?:xy){2}zz`, "xyxyzz"}, {`^[^a]bcde`, "ébcde"},
	} {
		f.Add(seed[0], []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, source string, line []byte) {
		line = bytes.ToValidUTF8(bytes.ReplaceAll(line, []byte("\n"), nil), nil)
		ascii := !slices.ContainsFunc(line, func(c byte) bool { return c >= utf8.RuneSelf })
		for _, class := range []int{0, 1, 2} {
			var lists [3][]string
			lists[class] = []string{source}
			r, err := linerule.New(lists[0], lists[1], lists[2])
			if err != nil {
				continue
			}
			got := r.Classify(line) != linerule.None
			if want := regexp.MustCompile(source).Match(line); got != want && (ascii || got) {
				t.Fatalf("%q on %q: %v, the expression alone says %v", source, line, got, want)
			}
			holds := func(l string) bool { return bytes.Contains(bytes.ToLower(line), []byte(l)) }
			if got && class != 1 && !slices.ContainsFunc(r.Literals(), holds) {
				t.Fatalf("%q keeps %q, which has none of %q", source, line, r.Literals())
			}
		}
	})
}

// BenchmarkRulesOf asks about the lines of a build: most are folded by a pattern
// or pass all of them by.
func BenchmarkRulesOf(b *testing.B) {
	r := newRules(b, []string{`^warning: `, `^error(\[E\d+\])?: `, `^\s+--> `, `(?i)deprecated`, `panicked at`, `^failures:$`},
		[]string{`^\s+Compiling \S+ v[0-9]`, `^\s+Downloaded? `, `^\s+Downloading `, `^\s+Checking \S+ v[0-9]`, `^test .* \.\.\. ok$`, `^ok\s`, `^\s+Fresh `, `^\s+Updating `},
		[]string{`^test result: `, `^\s+Finished `})
	lines := [][]byte{
		[]byte("   Compiling serde_derive v1.0.203 (proc-macro)"), []byte("test collections::map::tests::insert_and_remove_many ... ok"),
		[]byte("2026-11-21T10:00:00.123Z INFO  request handled path=/api/v1/items status=200 duration=12ms"),
		[]byte("    |         ^^^^^^^^^^^ help: consider borrowing here: `&value`"),
	}
	size := 0
	for _, l := range lines {
		size += len(l) + 1
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, l := range lines {
			r.Classify(l)
		}
	}
}
