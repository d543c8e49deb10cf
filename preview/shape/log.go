package shape

import (
	"bytes"
	"slices"

	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/steps"
)

// Logs: every text without a structure of its own. Builds and test runs are
// told apart for the ledger only; all are ranked alike, by the marks of package
// salience.

// Beginnings of lines that only build tools write, and only test runners.
var (
	buildLines = [...]string{
		"   Compiling ", "    Compiling ", "    Blocking ", "[INFO] Scanning for projects", "[INFO] Building ", "> Task :", "> Configure project", "-- The C compiler",
		"-- Configuring done", "-- Build files have", "[  ", "[1/", "Scanning dependencies of target", "make[", "make: ", "gcc ", "g++ ", "cc ", "clang ",
		"/usr/bin/cc ", "  CC ", "  CXX ", "  LD ", "ninja: ", "#1 [", "#2 [", "Step 1/", "STEP 1", "webpack ", "vite v", "Building wheel", "running build", "Buildfile: ",
		"Microsoft (R) Build Engine", "Build started ", "> tsc", "libtool: ",
	}
	testLines = [...]string{
		"============================= test session starts", "=== RUN ", "--- PASS", "--- FAIL", "ok  \t", "FAIL\t", "?   \t", "running ", "test ", "TAP version ", "ok 1", "not ok ",
		"PASS ", "FAIL ", " RUN  v", " ✓ ", " ✔ ", " × ", "  ✓ ", "  ✔ ", "    ✓ ", " T E S T S", "Tests run: ", "[==========]", "[----------]", "[ RUN      ]", "[       OK ]", "[  FAILED  ]",
		"collected ", "platform ", "rootdir: ", "Testsuite: ", "Testcase: ", "PHPUnit ", "Running ",
	}
)

// byFirst returns the texts of a list by their first byte.
func byFirst(list []string) (table [256][]string) {
	for _, p := range list {
		table[p[0]] = append(table[p[0]], p)
	}
	return table
}

var buildByFirst, testByFirst = byFirst(buildLines[:]), byFirst(testLines[:])

// begins reports whether a line begins with a text of a table that byFirst made.
func begins(text []byte, table *[256][]string) bool {
	if len(text) == 0 {
		return false
	}
	for _, p := range table[text[0]] {
		if bytes.HasPrefix(text, []byte(p)) {
			return true
		}
	}
	return false
}

// isBuildLog reports whether a third of the lines are those of build tools.
// Such a payload is ranked as any log; the shape is for the reader of the
// ledger.
func (s sample) isBuildLog() bool {
	return s.mostly(33, 3, func(text []byte) bool { return begins(text, &buildByFirst) })
}

// isTestReport is isBuildLog for test runners.
func (s sample) isTestReport() bool {
	return s.mostly(33, 3, func(text []byte) bool { return begins(text, &testByFirst) })
}

// rankText ranks the lines of a log, or of any text: a line by its mark, and
// the lines around it a little less. It returns the marks. What sounds like an
// error is less salient if the program succeeded, in a step that ended well, and
// in what cleans up after one that failed.
func rankText(list []Ranked, succeeded bool) []salience.Mark {
	marks := make([]salience.Mark, len(list))
	for i := range list {
		marks[i] = list[i].lookAt()
	}
	ofLibraries(list)
	scores := unlike(list, marks)
	places := steps.Of(len(list), func(i int) ([]byte, int64) { return list[i].look().behindTime(), list[i].Number })
	groups := 0
	for i, m := range marks {
		if m.Score == 0 {
			continue
		}
		list[i].loud = m.Score >= salience.MustKeep && m.Reason != salience.Summary
		score := scores[i]
		if well := succeeded || places != nil && places[i] != steps.Unknown; well && m.Reason != salience.Summary {
			score -= scoreSucceeded
			marks[i].Score -= min(m.Score, scoreSucceeded)
		}
		list[i].raise(score, Reasons[m.Reason])
		// Every failure by name comes before any in detail, and the first ones in more detail.
		around := score - 6 - min(24, 2*groups)
		switch {
		case m.Reason == salience.Exit:
			around = min(84, score-6)
		case m.Reason == salience.Failure && m.Score >= salience.MustKeep:
			groups++
		}
		before(list[:i+1], m, around)
		after(list[i:], m, score, around)
	}
	return marks
}

// leastNamed is the least score of a failure that has a name of its own.
const leastNamed = 86

// mostForName is how much a line loses at most that differs from those before it in
// a name alone.
const mostForName = 16

// unlike returns the scores of marks, reduced for each line that is like others, so
// that what is different comes first. The first and the last of them lose least, then
// the second and the last but one. Of counters the last ones count, because they sum
// up. A failure with a name loses little: each name is news. So is another name in the
// same message, a little.
func unlike(list []Ranked, marks []salience.Mark) []int {
	scores, seen, all := make([]int, len(marks)), map[uint64]int{}, map[uint64]int{}
	alike := func(i int) uint64 {
		if marks[i].Reason == salience.Failure && marks[i].Score >= leastNamed {
			return list[i].look().fine
		}
		return list[i].look().coarse
	}
	for i, m := range marks {
		if m.Reason != salience.None {
			all[alike(i)]++
		}
	}
	weigh := func(i int, each, most int) {
		fine, h := list[i].look().fine, alike(i)
		if fine != h && seen[fine] == 0 {
			most = min(most, mostForName)
			seen[fine]++
		}
		n := seen[h]
		if marks[i].Reason != salience.Summary {
			n = min(2*n, 2*(all[h]-1-n)+1)
		}
		scores[i] = int(marks[i].Score) - min(most, each*n)
		seen[h]++
	}
	for i, m := range marks {
		switch {
		case m.Reason == salience.None || m.Reason == salience.Summary:
		case m.Reason == salience.Failure && m.Score >= leastNamed:
			weigh(i, 2, 10)
		default:
			weigh(i, 9, 32)
		}
	}
	for i, m := range slices.Backward(marks) {
		if m.Reason == salience.Summary {
			weigh(i, 9, 32)
		}
	}
	return scores
}

// before raises the lines before the last one of a list that belong to it, up
// to the beginning of a step.
func before(list []Ranked, m salience.Mark, around int) {
	at := len(list) - 1
	for k := 1; k <= int(m.Before) && at-k >= 0 && list[at-k].Number == list[at].Number-int64(k); k++ {
		if boundary(list[at-k].look().behind) {
			return
		}
		list[at-k].place(around-k, KeepContext)
	}
}

// after raises the lines after the first one of a list that belong to it: by
// its mark, by their indentation, or because it introduces them with a colon.
func after(list []Ranked, m salience.Mark, score, around int) {
	head := list[0].look().bare
	introduces := bytes.HasSuffix(blanksAndReturns.TrimRight(head), []byte(":"))
	introduced, nest := 0, salience.NewNest(head, m)
	for k := 1; k < len(list) && list[k].Number == list[0].Number+int64(k); k++ {
		text := list[k].look().bare
		if !nest.Contains(text) && k > int(m.After) {
			return
		}
		switch {
		case m.List && k > 1 && k <= int(m.After) && endsList(text):
			return
		case m.List && k <= int(m.After):
			list[k].raise(score-1, Reasons[m.Reason])
		case introduces && introduced < 2 && !list[k].look().hollow:
			introduced++
			list[k].place(score-1-k, KeepContext)
		default:
			list[k].place(around-k-min(k, 6), KeepContext)
		}
	}
}

// endsList reports whether a line below a heading has no text, or the level of a logger alone.
func endsList(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) == 0 || string(text) == "[INFO]"
}

// boundary reports whether a line begins another step of a build.
func boundary(text []byte) bool {
	for _, p := range []string{"$ ", "##[group]", "travis_fold"} {
		if len(text) >= len(p) && string(text[:len(p)]) == p {
			return true
		}
	}
	return false
}
