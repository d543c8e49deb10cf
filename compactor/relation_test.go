package compactor

import (
	"fmt"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// about returns the facts of a success of one tool about a subject.
func about(subject string) facts {
	return facts{Entry: &Entry{}, tool: "Bash", schema: &schema{}, relation: relation{subject: NewSubject(subject), superseded: -1}}
}

// change returns the facts with changes.
func (f facts) change(changes ...func(*facts)) facts {
	for _, c := range changes {
		c(&f)
	}
	return f
}

func failing(f *facts)   { f.failed = true }
func anError(f *facts)   { f.failed, f.family = true, errorFamily }
func uncertain(f *facts) { f.uncertain = true }
func noPayload(f *facts) { f.schema = nil }

func repeats(call string) func(*facts) {
	return func(f *facts) { f.unchanged = &pb.OutputUnchanged{CallId: call} }
}

func inTurn(n int) func(*facts) {
	return func(f *facts) { f.Entry = &Entry{Turn: n, Call: fmt.Sprint("c", n)} }
}

func TestRelationsFollowFromLaterResults(t *testing.T) {
	t.Parallel()
	ls := about("ls")
	for _, c := range []struct {
		name string
		list []facts
		want string // of each: superseded by, open, age
	}{
		{"nothing", nil, ""},
		{"a newer answer", []facts{ls, about("cat"), ls}, "2-2 -1-1 -1-0"},
		{"the next answer, not the last one", []facts{ls, ls, ls}, "2-2 2-1 -1-0"},
		{"another tool asks something else", []facts{ls, ls.change(func(f *facts) { f.tool = "Read" })}, "-1-1 -1-0"},
		{"no subject is no question", []facts{about(""), about("")}, "-1-1 -1-0"},
		{"nothing to compact answers nothing", []facts{ls, ls.change(noPayload)}, "-1-1 -1-0"},
		{"an error answers nothing", []facts{ls, ls.change(anError)}, "-1-1 -1 open-0"},
		{"a success closes a failure", []facts{ls.change(failing), ls}, "1-1 -1-0"},
		{"a success of another subject does not", []facts{ls.change(failing), about("cat")}, "-1 open-1 -1-0"},
		{"any success closes a failure without subject", []facts{about("").change(failing), about("cat")}, "-1-1 -1-0"},
		{"what may have failed closes none", []facts{about("").change(failing), about("cat").change(uncertain)}, "-1 open-1 -1-0"},
		{"and is none itself", []facts{about("").change(uncertain), about("cat")}, "-1-1 -1-0"},
		{"an error is closed by a success", []facts{ls.change(anError), ls}, "1-1 -1-0"},
		{"a repeated answer is as young as its repeat", []facts{ls, about("cat"), ls.change(repeats("other"))}, "-1-0 -1-1 -1-0"},
		{"and as the youngest of them", []facts{ls, ls.change(repeats("x")), about("cat"), ls.change(repeats("x"))}, "-1-0 -1-2 -1-1 -1-0"},
		{"a repeat counts once", []facts{ls, ls, ls.change(repeats("x"))}, "1-2 -1-0 -1-0"},
		{"a repeat names its call", []facts{
			ls.change(inTurn(1)), about("cat").change(inTurn(2)), about("sh").change(inTurn(3)), ls.change(inTurn(4), repeats("c2")),
		}, "-1-3 -1-0 -1-1 -1-0"},
		{"a repeat of a later call is none", []facts{ls.change(inTurn(1)), ls.change(repeats("c2"), inTurn(2)), ls.change(inTurn(3), repeats("c3"))}, "-1-0 -1-1 -1-0"},
		{"results of one turn have one age", []facts{ls.change(inTurn(1)), about("a").change(inTurn(1)), about("b").change(inTurn(2))}, "-1-1 -1-1 -1-0"},
	} {
		relateAll(c.list)
		var got []string
		for _, f := range c.list {
			open := map[bool]string{true: " open"}[f.open]
			got = append(got, fmt.Sprintf("%d%s-%d", f.superseded, open, f.age))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
}

// Only the last of equal rounds counts; another call, or another result, is no repeat.
func TestEqualRoundsAreRepeats(t *testing.T) {
	t.Parallel()
	result := func(subject string, digest byte) facts {
		return about(subject).change(func(f *facts) { f.digest[0] = digest })
	}
	list := []facts{result("ls", 1), result("ls", 1), result("ls", 2), result("cat", 1), about(""), about(""), result("ls", 1), result("", 3), result("", 3)}
	relateAll(list)
	for i, want := range []bool{true, true, false, false, false, false, false, true, false} {
		if list[i].repeated != want || want && list[i].weight() != 1 {
			t.Errorf("entry %d: repeated is %v, its weight %d", i, list[i].repeated, list[i].weight())
		}
	}
}

// The key of a subject holds the whole text, or a digest of it when it is long; both bounds are inclusive.
func TestLongSubjectsAreNotRetained(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, MaxSubject, MaxSubject + 1, 10 * MaxSubject} {
		text := strings.Repeat("x", n)
		s := NewSubject(text)
		if len(s.Text) != min(n, MaxSubject) || (s.key == text) != (n <= MaxSubject) || len(s.key) > MaxSubject {
			t.Errorf("%d bytes: text of %d, key of %d", n, len(s.Text), len(s.key))
		}
	}
	// Text that is short only on one line is not cut.
	if s := NewSubject(strings.Repeat("é", MaxSubject/2) + "!"); len(s.Text) != MaxSubject {
		t.Errorf("%d bytes of text", len(s.Text))
	}
}

// Nothing is edited by a result that changed no file, whatever the path that was read.
func TestEditsAreOfTheNextChange(t *testing.T) {
	t.Parallel()
	read := func(path string) facts { return about("read " + path).change(func(f *facts) { f.reads = path }) }
	edit := func(paths ...string) facts { return about("").change(func(f *facts) { f.changes = paths }) }
	list := []facts{edit("a"), read("a"), read(""), read("b"), edit("a", ""), edit("a"), read("a")}
	relateAll(list)
	for i, want := range []int{-1, 6, -1, -1, -1, -1, -1} {
		if list[i].superseded != want {
			t.Errorf("entry %d is superseded by %d, want %d", i, list[i].superseded, want)
		}
	}
	list = []facts{read("a"), edit("a"), edit("a")}
	relateAll(list)
	if s := supersededBy(list, 0); s.GetResultsLater() != 1 || s.GetCause() != pb.SupersededCause_SUPERSEDED_CAUSE_EDITED {
		t.Errorf("superseded by %v", s)
	}
	if s := supersededBy(list, 1); s != nil {
		t.Errorf("an edit is superseded by %v", s)
	}
}
