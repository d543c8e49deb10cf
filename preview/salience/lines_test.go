package salience_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview/salience"
)

func TestTimesAreMeasuredWithTheirBlanks(t *testing.T) {
	for text, want := range map[string]string{
		"2022-05-20T18:25:58.9Z error":                       "2022-05-20T18:25:58.9Z ",
		"[21:46:14] error":                                   "[21:46:14] ",
		"2026-01-02 03:04:05,678 error":                      "2026-01-02 03:04:05,678 ",
		"[task 2025-02-13T23:52:10.119Z] 23:52:10     error": "[task 2025-02-13T23:52:10.119Z] 23:52:10 ",
		"12:34 is no time of day":                            "",
		"12:34:56":                                           "12:34:56",
		"[12:34:56]\tat x":                                   "[12:34:56]",
		"12:34:56     at x":                                  "12:34:56 ",
		"2026-01-02 03:04:05.678 UTC [7] LOG:  x":            "2026-01-02 03:04:05.678 UTC ",
		"2026-01-02 03:04:05 +0100 x":                        "2026-01-02 03:04:05 +0100 ",
		"01/02/2026 03:04:05 PM x":                           "01/02/2026 03:04:05 PM ",
		"2026-01-02 03:04:05 PMx":                            "2026-01-02 03:04:05 ",
		"Nov 29 10:00:01 host sshd[7]: x":                    "Nov 29 10:00:01 ",
		"Nov 29 10:00:01.123456 host x":                      "Nov 29 10:00:01.123456 ",
		"Sun Nov 29 10:00:01 2026 TLS: x":                    "Sun Nov 29 10:00:01 2026 ",
		"[Sun Nov 29 10:00:01.123456 2026] [core:error] x":   "[Sun Nov 29 10:00:01.123456 2026] ",
		"Sun Nov 29 10:00:01 UTC 2026":                       "Sun Nov 29 10:00:01 UTC 2026",
		"Sun Nov 29 is a day":                                "",
		"1764410400.123    12 10.0.0.1 TCP_MISS/200":         "1764410400.123 ",
		"1764410400 is a number":                             "",
		"1764410400.5":                                       "",
		"[21:46:14 error":                                    "",
		"[unfinishedwordbefore 21:46:14] error":              "",
		"error 12:34:56 inside":                              "",
		"1.2.3 error":                                        "",
		"":                                                   "",
	} {
		if got := text[:salience.TimeLength([]byte(text))]; got != want {
			t.Errorf("%q begins with the time %q, want %q", text, got, want)
		}
	}
}

func TestHollowLinesSayNothing(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "}": true, "-----------": true, "ok": true, "^~~~": true,
		"Cache hits       62": true, "Average       0.3 s": true, "PASS": true, "Downloading libgpg-error0": true,
		"2026-01-02T03:04:05Z ----": true, "12:34:56": true, "12:34:56 done": false, "the build is done": false, "exit status 2": false, "müde": false, "total 62": false,
	} {
		if got := salience.Hollow([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// A nest ends at the first line that is indented no deeper, and after a bound.
func TestNestEndsWithItsIndentation(t *testing.T) {
	failure := salience.Mark{Reason: salience.Failure, Score: 95}
	for name, c := range map[string]struct {
		mark  salience.Mark
		head  string
		lines []string
		want  int // lines inside
	}{
		"deeper lines":            {failure, "--- FAIL: TestX", []string{"    a.go:1: no", "", "    more", "ok"}, 3},
		"as deep":                 {failure, "  FAIL", []string{"  other"}, 0},
		"a warning has none":      {salience.Mark{Reason: salience.Warning, Score: 60}, "warning", []string{"  deeper"}, 0},
		"no more than some lines": {failure, "FAIL", strings.Split(strings.Repeat("  deeper\n", 99), "\n"), 19},
	} {
		nest, inside := salience.NewNest([]byte(c.head), c.mark), 0
		for _, line := range c.lines {
			if !nest.Contains([]byte(line)) {
				break
			}
			inside++
		}
		if inside != c.want {
			t.Errorf("%s: %d lines are inside, want %d", name, inside, c.want)
		}
	}
	var none salience.Nest
	if !none.Done() || none.Contains([]byte("  x")) {
		t.Error("the zero nest contains lines")
	}
}

// A place in a file makes a message a diagnostic, and a level below error takes from it.
func TestPlaceAndLevelAdjustTheScore(t *testing.T) {
	score := func(line string) salience.Mark { return salience.Builtin().Classify([]byte(line)) }
	plain, placed, info := score("the thing has failed"), score("main.go:12 the thing has failed"), score("INFO the thing has failed")
	if placed.Score <= plain.Score || plain.Score == 0 {
		t.Errorf("%+v with a place, %+v without", placed, plain)
	}
	if info.Score >= plain.Score {
		t.Errorf("%+v at level INFO, %+v without", info, plain)
	}
}

// Colours change nothing, and lines without a literal of a rule have no mark.
func TestClassifyIgnoresColours(t *testing.T) {
	lines := []string{"error: it broke", "--- FAIL: TestX (0.01s)", "warning: look", "exit status 3", "12 passed, 1 failed", "all is well", "0 errors", "panic: no"}
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom(lines).Draw(t, "line")
		at := rapid.SampledFrom([]int{0, len(line)}).Draw(t, "at")
		coloured := line[:at] + "\x1b[1;31m" + line[at:] + "\x1b[0m"
		want := salience.Builtin().Classify([]byte(line))
		if got := salience.Builtin().Classify([]byte(coloured)); got != want {
			t.Fatalf("%q: %+v, without colours %+v", coloured, got, want)
		}
		if salience.Builtin().Next([]byte(line), 0) < 0 && want != (salience.Mark{}) {
			t.Fatalf("%q has no literal and the mark %+v", line, want)
		}
	})
}

// FuzzClassify: any bytes are classified, with a score in its range, and the same
// by another Classifier.
func FuzzClassify(f *testing.F) {
	other := salience.New()
	for _, seed := range []string{"error", "\x1b", "\x1b[", "2022-05-20T18:25:58.9Z [", "[x] > | FAIL", "main.go:12:2: ", "HTTP/1.1 500", "Errors: 0", "exit code", "***"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		m := salience.Builtin().Classify(line)
		if m.Score > 100 || (m.Score > 0) != (m.Reason != salience.None) && m.Score > 0 {
			t.Fatalf("%q: %+v", line, m)
		}
		if again := other.Classify(line); again != m {
			t.Fatalf("%q: %+v and %+v", line, m, again)
		}
		nest := salience.NewNest(line, m)
		nest.Contains(line)
		salience.Hollow(line)
		if n := salience.TimeLength(line); n < 0 || n > len(line) {
			t.Fatalf("%q: a time of %d bytes", line, n)
		}
	})
}

// dmesg --decode writes the level before the time.
func TestLevelsOfDecodedKernelMessages(t *testing.T) {
	last := uint8(0)
	for _, level := range []string{"info  ", "warn  ", "err   ", "crit  ", "emerg "} {
		m := salience.Builtin().Classify([]byte("kern  :" + level + ": [   12.345678] thermal zone 0 is hot"))
		if m.Score <= last && level != "info  " {
			t.Errorf("%s has %d, and the level below it %d", level, m.Score, last)
		}
		last = m.Score
	}
}
