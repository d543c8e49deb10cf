package shape

import (
	"fmt"
	"strings"
	"testing"
)

// placesOf ranks the lines of a log, and returns their places in the order in which they are chosen.
func placesOf(text string) map[string]int {
	list := linesOf(text)
	Rank(list, Options{Lines: int64(len(list))})
	place := map[string]int{}
	for at, i := range Order(list) {
		place[string(list[i].Line.Text)] = at
	}
	return place
}

// A heading that says that something is wrong brings the first line below it.
func TestHeadingBringsItsBody(t *testing.T) {
	for heading, body := range map[string]string{
		"[ERROR] Failures: ":                      "[ERROR]   RangeTest.containsEnd:41 expected:<1> but was:<2>",
		"Found errors in Test_Debugger():":        "Run 1, line 7: x differs",
		"3 tests failed:":                         "  tests/test_range.py::test_end",
		"2026-11-29T10:00:00Z 2 errors occurred:": "2026-11-29T10:00:00Z * open state",
	} {
		place := placesOf(filler("step", 60) + heading + "\n\n" + body + "\n" + filler("other", 60))
		if place[body] > place[heading]+3 {
			t.Errorf("%q comes at place %d, and what it announces at %d", heading, place[heading], place[body])
		}
	}
}

// A heading between rules does not come before what is below it.
func TestRuledHeadingComesWithItsBodyOrNotAtAll(t *testing.T) {
	heading, body := "----------------------------- Captured stdout call -----------------------------", "loading the third part of it"
	place := placesOf(filler("step", 80) + heading + "\n" + body + "\n" + filler("other", 80) + "E   AssertionError: assert 1 == 2\n" + filler("last", 80))
	if place[heading] < place[body]-1 {
		t.Errorf("%q comes at place %d, and what is below it at %d", heading, place[heading], place[body])
	}
}

// Where many lines say the same, the last one is chosen with the first ones.
func TestEndOfALogHasItsShare(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "error: worker %d could not connect to /run/db%d.sock\n%s", i, i, filler("step", 30))
	}
	place := placesOf(b.String())
	first, last, middle := "error: worker 0 could not connect to /run/db0.sock", "error: worker 39 could not connect to /run/db39.sock", "error: worker 20 could not connect to /run/db20.sock"
	if place[last] > place[middle] || place[first] > place[middle] {
		t.Errorf("the first comes at place %d, the last at %d, and one between at %d", place[first], place[last], place[middle])
	}
}

// filler returns lines that say nothing is wrong.
func filler(what string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %c%c of the work is done\n", what, 'a'+i%26, 'a'+i/26)
	}
	return b.String()
}

func TestRuledHeadings(t *testing.T) {
	for text, want := range map[string]bool{
		"==== FAILURES ====": true, "---- stdout ----": true, "____ test_end ____": true, "========DONE========": true,
		"----": false, "---- x": false, "x ----": false, "-- x --": false, "": false, "==== ====": false,
	} {
		if got := isRuled([]byte(text)); got != want {
			t.Errorf("%q is a heading: %v", text, got)
		}
	}
}
