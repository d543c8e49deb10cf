package records

import (
	"fmt"
	"testing"

	"github.com/toolresult/toolresult/preview/shape"
)

// rowsOf returns records of one column each of strings.
func rowsOf(key string, values ...string) *Rows {
	r := &Rows{Keys: []string{key}}
	for _, v := range values {
		from := int32(len(r.Source))
		r.Source = append(r.Source, v...)
		kind := String
		if v == "" {
			kind = Absent
		} else if k := kindOf([]byte(v)); k == Number && v[0] >= '0' && v[0] <= '9' || k == Nested {
			kind = k
		}
		r.Cells = append(r.Cells, Cell{from, int32(len(r.Source)), kind})
	}
	return r
}

// many returns n times a value, with others behind.
func many(n int, value string, others ...string) []string {
	list := make([]string, 0, n+len(others))
	for range n {
		list = append(list, value)
	}
	return append(list, others...)
}

func TestRecordsThatMatterComeFirst(t *testing.T) {
	for _, c := range []struct {
		name, key string
		values    []string // the one before the last is the one that matters
	}{
		{"a conclusion of GitHub", "conclusion", many(30, "success", "failure", "success")},
		{"a verdict of an intrusion detector", "verdict", many(30, "accepted", "rejected", "accepted")},
		{"a level of a logger", "level", many(30, "info", "ERROR", "info")},
		{"a level of pino", "level", many(30, "30", "50", "30")},
		{"a nested phase", "status.phase", many(30, "Running", "Failed", "Running")},
		{"a container that waits", "status.containerStatuses", many(30, `[{"ready":true}]`, `[{"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]`, `[{"ready":true}]`)},
		{"an exit code", "exit_code", many(30, "0", "137", "0")},
		{"a status of HTTP", "status", many(30, "200", "503", "200")},
		{"a rare state", "state", many(30, "merged", "draft", "merged")},
		{"another type", "size", many(30, "100", "large", "100")},
		{"no such member", "size", many(30, "100", "", "100")},
		{"an error", "error", many(30, "none", "disk is full", "none")},
		{"a severity with a word before it", "message_severity", many(30, "info", "warning", "info")},
		{"a number that is another one", "replicas", many(30, "3", "0", "3")},
		{"a text that is another one", "remark", many(30, "as planned", "by hand", "as planned")},
		{"a text that says what failed", "remark", append(numbered(200, "as planned, at place %d"), "the mount failed: fatal error: no such device", "as planned, at place 201")},
		{"a code of HTTP", "code", append(numbered(8, "20%d"), "503", "204")},
		{"an exit code in quotes", "exitCode", append(many(3, `"0"`), `"137"`, `"0"`)},
		{"a truth in quotes", "ok", append(many(3, `"true"`), `"false"`, `"true"`)},
		{"words of a log", "msg", many(30, "served GET /", "panic: nil map", "served GET /")},
	} {
		ranks := rowsOf(c.key, c.values...).Ranks()
		odd, last := ranks[len(ranks)-2], ranks[len(ranks)-1]
		if odd.Score <= last.Score || last.Score <= ranks[0].Score || odd.Column != 0 {
			t.Errorf("%s: %+v, the last %+v, the first %+v", c.name, odd, last, ranks[0])
		}
	}
}

// numbered returns n values of a format.
func numbered(n int, format string) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(format, i)
	}
	return list
}

func TestWordsOfNoFailureAreNone(t *testing.T) {
	for _, c := range []struct {
		key    string
		values []string
	}{
		{"exit_code", many(2, "0", "0e0", "0")},
		{"exit_code", many(2, `"0"`, `"00"`, `"0"`)},
		{"code", append(numbered(20, "%d"), "50", "21")},
		{"remark", append(numbered(5, "fatal error: no device %d"), numbered(20, "device %d works")...)},
		{"title", append(numbered(20, "device %d works"), "FATAL", "device 22 works")},
	} {
		for i, r := range rowsOf(c.key, c.values...).Ranks() {
			if r.Reason >= shape.KeepError && r.Reason < shape.KeepStructure {
				t.Errorf("%q of %s: %+v", c.values[i], c.key, r)
			}
		}
	}
}

// Of records that are the same one after another the first one speaks for the others.
func TestEqualRecordsAreRuns(t *testing.T) {
	r := rowsOf("n", append(many(5, "1"), append(many(3, "2"), many(4, "3")...)...)...)
	if got, want := fmt.Sprint(r.Repeats()), "[{1 4} {9 11}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	table := NewTable(r, List{})
	if got, want := fmt.Sprint(table.Order()), "[10 2 7 8 9]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, run := range table.Runs() {
		if _, end := table.Span(int(run.Last - 1)); run.End != end || run.Like != run.First-1 {
			t.Errorf("%+v", run)
		}
	}
}

func TestWhatMostRecordsSayIsNothing(t *testing.T) {
	for _, values := range [][]string{many(30, "failed", "success", "failed"), many(30, "closed"), many(3, "failed", "success")} {
		ranks := rowsOf("status", values...).Ranks()
		if ranks[0].Score > scoreNewRow && ranks[0].Reason != shape.KeepTail || // it may speak for all
			ranks[0].Reason == shape.KeepFailure { // the first of a kind may come first
			t.Errorf("%q: %+v", values, ranks[0])
		}
	}
}

// Failures that are alike do not take the place of another one.
func TestOtherFailuresComeBeforeMoreOfTheSame(t *testing.T) {
	var values []string
	for i := range 100 {
		values = append(values, "fine")
		if i%5 == 0 {
			values = append(values, fmt.Sprint("no answer from host ", i))
		}
	}
	values = append(values, "disk is full", "fine")
	for i := range values {
		if values[i] == "fine" {
			values[i] = "none"
		}
	}
	ranks := rowsOf("error", values...).Ranks()
	full := ranks[len(ranks)-2]
	better := 0
	for _, r := range ranks {
		if r.Score >= full.Score {
			better++
		}
	}
	if better > 2 {
		t.Errorf("%d records come before or with the other failure: %+v", better, full)
	}
}

func TestSameIsEqualInAllRecords(t *testing.T) {
	if r := rowsOf("state", many(5, "OPEN")...); !r.Same()[0] {
		t.Error("equal values are not the same")
	}
	for _, r := range []*Rows{rowsOf("state", many(5, "OPEN", "")...), rowsOf("n", "1", "2"), rowsOf("n", "", "")} {
		if r.Same()[0] {
			t.Errorf("%q is the same", r.Source)
		}
	}
}

// The first record of each kind comes before more of the same.
func TestKindsOfRecordsAreSpread(t *testing.T) {
	ranks := rowsOf("warning_type", append(many(20, "XSS"), append(many(5, "SQL"), many(5, "XSS")...)...)...).Ranks()
	if sql := ranks[20]; sql.Score <= ranks[1].Score || ranks[21].Score != ranks[1].Score || ranks[0].Score != sql.Score {
		t.Errorf("%+v, %+v, %+v", ranks[0], sql, ranks[21])
	}
}
