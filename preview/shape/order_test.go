package shape

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview/linerule"
)

// ranked ranks a text and returns its lines, the best first.
func ranked(text string, o Options) (best []string, list []Ranked, runs []Run) {
	list = linesOf(text)
	o.Lines = int64(len(list))
	runs = Rank(list, o)
	for _, i := range Order(list) {
		best = append(best, string(list[i].Line.Text))
	}
	return best, list, runs
}

// inThisOrder reports texts that the lines do not hold in the order given.
func inThisOrder(lines []string, texts ...string) error {
	last := -1
	for _, text := range texts {
		at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, text) })
		if at <= last {
			return fmt.Errorf("%q is at %d, behind %d, in %q", text, at, last, lines)
		}
		last = at
	}
	return nil
}

func TestRankPutsStructureBeforeContent(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		shape Shape
		order []string
	}{
		"files of a diff, then changes, then context": {
			fileDiff("a.go", 9) + fileDiff("b.go", 1), Diff, []string{"diff --git a/a.go", "diff --git a/b.go", "added(1)", "added(9)", "index"},
		},
		"lock files last": {
			fileDiff("go.sum", 9) + fileDiff("b.go", 9), Diff, []string{"diff --git a/go.sum", "diff --git a/b.go", "added(2)", " first"},
		},
		"subject before the author": {
			"commit 4b825dc\nAuthor: A\n\n    Subject\n\n    Body\n" + fileDiff("a.go", 1), Diff, []string{"commit", "Subject", "Author"},
		},
		"subjects of a log, then the names of its commits": {
			strings.Repeat("commit 4b825dc4b825dc\nAuthor: A\nDate: D\n\n    Subject\n\n    Body error: failed\n\n", 5), Diff, []string{"commit", "Subject", "Author", "Body"},
		},
		"first match of each file": {
			repeated(3, "a/x.go:%d:\tone\n") + repeated(3, "b/y.go:%d:\ttwo\n"), Search, []string{"a/x.go:1", "b/y.go:1", "a/x.go:2", "a/x.go:3"},
		},
		"matches before the lines beside": {
			"a/x.go-1-before\na/x.go:2:\tfound\na/x.go:3:\tfound\n--\nb/y.go:1:\tfound\n", Search, []string{"a/x.go:2", "b/y.go:1", "a/x.go:3", "before", "--"},
		},
		"names of files over matches": {
			"a/x.go\n1:one\n2:two\n\nb/y.go\n7:three\n", Search, []string{"a/x.go", "1:one", "b/y.go", "7:three", "2:two"},
		},
		"a definition of what was searched for first": {
			"a/x.go:1:\tOpen(path)\na/x.go:2:\t// Open it\nb/y.go:7:func (s *Store) Open(path string) error {\nb/y.go:9:func opened() {\nc/z.go:3:\tOpen(other)\n", Search,
			[]string{"b/y.go:7", "a/x.go:1", "c/z.go:3", "a/x.go:2"},
		},
		"headings of a listing": {
			".:\ntotal 3\n" + repeated(5, "f%d.go\n") + "\n./src:\ntotal 4\n" + repeated(5, "g%d.go\n"), Listing, []string{".:", "./src:", "f1.go", "g1.go", "total"},
		},
		"directories in turns": {
			repeated(9, "./a/f%d.go\n") + repeated(9, "./node_modules/g%d.js\n") + repeated(9, "./c/h%d.go\n"), Listing, []string{"a/f1.go", "c/h1.go", "g1.js", "a/f2.go", "h2.go", "g2.js"},
		},
		"branches of a tree": {
			".\n├── a\n│   ├── b.go\n│   └── c.go\n├── d.go\n└── e.go\n\n2 directories\n", Listing, []string{"2 directories", "── a", "b.go", "c.go"},
		},
		"own frames before foreign": {javaTrace, StackTrace, []string{"Caused by", "order 7", "Orders.java:41", "Orders.java:55", "ArrayList"}},
		"Python ends with the innermost": {
			pythonTrace, StackTrace, []string{"JSONDecodeError: Expecting", "line 5, in main", "line 9, in <module>", "Traceback", "decoder.py"},
		},
		"a recursion once, then who called it": {
			"Traceback (most recent call last):\n  File \"cli.py\", line 9, in main\n    visit(root)\n" +
				strings.Repeat("  File \"tree.py\", line 4, in visit\n    walk(n)\n  File \"tree.py\", line 7, in walk\n    visit(n)\n", 40) + "RecursionError: too deep\n",
			StackTrace, []string{"RecursionError", "line 7, in walk", "line 4, in visit", "line 9, in main"},
		},
		"a recursion in Java once": {
			"java.lang.StackOverflowError: null\n" + strings.Repeat("\tat app.Tree.visit(Tree.java:4)\n\tat app.Tree.walk(Tree.java:7)\n", 40) + "\tat app.Main.main(Main.java:9)\n",
			StackTrace, []string{"StackOverflowError", "Tree.java:4", "Tree.java:7", "Main.java:9"},
		},
		"a recursion of a debugger once, whatever its addresses": {
			"Thread 1 received signal SIGSEGV\nfatal error: stack\n" + repeated(40, "#%d 0x00005581a0c2 in visit (n=0x7ffd1) at tree.c:4\n") + "#41 0x000055 in main () at main.c:9\n",
			StackTrace, []string{"fatal error", "#1 ", "main.c:9", "#2 "},
		},
		"headings of prose before its middle": {markdown, Prose, []string{"# Widget", "small service", "## Installing"}},
	} {
		t.Run(name, func(t *testing.T) {
			best, _, runs := ranked(c.text, Options{Shape: c.shape})
			if err := inThisOrder(best, c.order...); err != nil || runs != nil {
				t.Errorf("%v; runs %v", err, runs)
			}
		})
	}
}

// Every subject of git log comes before any other line but the names of the first
// commits, and every name before any body.
func TestLogOfCommitsStartsWithSubjects(t *testing.T) {
	text := ""
	for i := range 20 {
		text += fmt.Sprintf("commit %07x%033x\nAuthor: A <a@b.c>\nDate:   Mon\n\n    subject %d\n\n    error: body\n\n", i+17, i, i)
	}
	if got := DetectText(text, None); got != Diff {
		t.Errorf("shape %d", got)
	}
	best, _, _ := ranked(text, Options{Shape: Diff})
	for i, line := range best[:40] {
		subject, named := strings.HasPrefix(line, "    subject"), strings.HasPrefix(line, "commit ")
		if i < 20+mostNamed && !subject && !named || i >= 20+mostNamed && !named {
			t.Errorf("line %d is %q", i, line)
		}
	}
}

func TestRankOfLogs(t *testing.T) {
	work := repeated(40, "step of the work number %d\n")
	for name, c := range map[string]struct {
		text  string
		o     Options
		order []string
	}{
		"an error in the middle":             {work + "error: no space left\n" + work, Options{}, []string{"no space left"}},
		"a success makes errors matter less": {"failed to cache, retrying\n" + work + "Tests run: 3, Failures: 0\nthe end\n", Options{Succeeded: true}, []string{"Tests run", "retrying"}},
		"a different error before the same":  {work + strings.Repeat("error: it broke\nmore\n", 6) + "error: disk is gone\n" + work, Options{}, []string{"disk is gone", "more"}},
		"a level in JSON":                    {repeated(9, `{"level":"info","n":%d}`+"\n") + `{"level":"fatal","n":1}` + "\n" + repeated(9, `{"level":"info","n":%d}`+"\n"), Options{Shape: NDJSON}, []string{"fatal", "info"}},
		"what a colon introduces":            {work + "error: these failed:\n\tfirst of them\n" + work, Options{}, []string{"these failed", "first of them"}},
	} {
		t.Run(name, func(t *testing.T) {
			best, _, _ := ranked(c.text, c.o)
			if err := inThisOrder(best, c.order...); err != nil {
				t.Error(err)
			}
		})
	}
}

// Of lines that repeat each other one is shown, and errors at two places are two.
func TestRepeatsSpeakForEachOther(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []Run
	}{
		"the same":           {"a\n" + strings.Repeat("waiting for it\n", 5) + "b\n", []Run{{Like: 2, First: 3, Last: 6, End: 2 + 5*15}}},
		"two in turn":        {strings.Repeat("ping is sent\npong came back\n", 4), []Run{{Like: 1, First: 3, Last: 8, End: 4 * 28}}},
		"too few":            {strings.Repeat("waiting for it\n", 3), nil},
		"measurements":       {"1.5\n2.5\n3.5\n4.5\n5.5\n", nil},
		"times are ignored":  {repeated(5, "12:00:0%d waiting for it\n"), []Run{{Like: 1, First: 2, Last: 5, End: 5 * 24}}},
		"errors by place":    {"a.c:1:2: error: no\nb.c:1:2: error: no\nc.c:1:2: error: no\nd.c:1:2: error: no\ne.c:1:2: error: no\n", nil},
		"objects are values": {strings.Repeat("{\"a\":1}\n", 9), nil},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{}
			if strings.HasPrefix(c.text, "{") {
				o.Shape = NDJSON
			}
			_, list, runs := ranked(c.text, o)
			if !slices.Equal(runs, c.want) {
				t.Errorf("%+v, want %+v", runs, c.want)
			}
			for _, r := range runs {
				for i := range list {
					if l := &list[i]; l.Number >= r.First && l.Number <= r.Last && string(l.Line.Text) == string(list[r.Like-1].Line.Text) && l.Score != NeverShown {
						t.Errorf("line %d has score %d", l.Number, l.Score)
					}
				}
			}
		})
	}
}

// Rules fold noise, and spare what matters by itself and the lines beside it.
func TestFoldSparesWhatMatters(t *testing.T) {
	rules, err := linerule.New([]string{`^result: `}, []string{`^noise`}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := repeated(20, "noise of part %d\n") + "error: it broke\n" + repeated(9, "noise of part %d\n") + "noise: error here\nresult: fine\n" + repeated(9, "noise of part %d\n") + "last\n"
	list := linesOf(text)
	verdicts := make([]linerule.Verdict, len(list))
	for i := range list {
		verdicts[i] = rules.Classify(list[i].Line.Text)
	}
	Rank(list, Options{Lines: int64(len(list)), Verdicts: verdicts})
	for i := range list {
		text := string(list[i].Line.Text)
		near := i > 0 && list[i-1].Line.Text[0] == 'e' || i+1 < len(list) && list[i+1].Line.Text[0] == 'e'
		spared := !strings.HasPrefix(text, "noise of") || near || i >= len(list)-shownTail
		if list[i].Folded && spared {
			t.Errorf("line %d %q is folded", i+1, text)
		}
		if strings.HasPrefix(text, "result") && (list[i].Reason != KeepProfile || list[i].Score < RuleScores[linerule.Keep]) {
			t.Errorf("%q has score %d for reason %d", text, list[i].Score, list[i].Reason)
		}
	}
	if !list[4].Folded || list[4].Score != NeverShown {
		t.Errorf("noise is not folded: %+v", list[4])
	}
}

// Whatever the text, ranks stay in their range and the order is one of all lines that are worth a budget.
func TestRankIsTotal(t *testing.T) {
	pieces := []string{
		fileDiff("a.go", 3), goTrace, javaTrace, kubectl, markdown, "error: x\n", "\n", "warning: y\n", "noise\nnoise\nnoise\nnoise\n", "FAIL: TestX\n", "ok\n", "{\"level\":\"error\"}\n",
		"\x1b[2Aredrawn\n", "a/b.go:1:x\n", "└── a\n", "total 3\n", "exit status 2\n", "12 passed, 1 failed\n",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, "text"), "")
		kind := Shape(rapid.IntRange(0, int(Prose)).Draw(t, "shape"))
		_, list, runs := ranked(text, Options{Shape: kind, Succeeded: rapid.Bool().Draw(t, "succeeded")})
		for i := range list {
			if r := &list[i]; r.Score < NeverShown || r.Score > 100 || r.Reason > KeepStructure {
				t.Fatalf("%q has score %d, reason %d", r.Line.Text, r.Score, r.Reason)
			}
		}
		var want []int
		for i := range list {
			want = append(want, i)
		}
		order := Order(list)
		if slices.Sort(order); !slices.Equal(order, want) {
			t.Fatalf("the order is %v, want %v", order, want)
		}
		last := int64(0)
		for _, r := range runs {
			if r.Like >= r.First || r.First <= last || r.Last < r.First+leastRepeats-1 {
				t.Fatalf("%+v", runs)
			}
			last = r.Last
		}
	})
}

func TestNamesAreThoseOfNamed(t *testing.T) {
	for _, name := range Names() {
		if Named(name) == None || Named(name) == Binary {
			t.Errorf("%s has shape %d", name, Named(name))
		}
	}
	if Named("other") != None || !slices.IsSorted(Names()) {
		t.Error("names that are none, or are not sorted")
	}
	for _, s := range []Shape{Diff, Search, Listing, Table} {
		if !s.HasMiddle() {
			t.Errorf("shape %d has no middle", s)
		}
	}
	if JSON.HasMiddle() || None.HasMiddle() {
		t.Error("a middle of JSON")
	}
}
