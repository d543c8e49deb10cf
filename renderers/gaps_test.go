package renderers_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/tokens"
)

// A reader of a receipt counts which lines each mark stands for, also of a line that is cut inside.
func TestGaps(t *testing.T) {
	for name, c := range map[string]struct {
		receipt string
		want    []renderers.Gap
	}{
		"at both ends":                    {"Process exited\nstdout: 2 of 90 lines; all: /a\n[…13:]\na\n[…20:]\nb\n[…]", []renderers.Gap{{1, 12}, {14, 19}, {21, 90}}},
		"of the output itself":            {"Process exited\na\n\nb\n[…8:]\nc", []renderers.Gap{{4, 7}}},
		"repeats":                         {"Process exited\nstdout:\na\n[…3 alike]\nb\nc\n[…4 like 2 above]\nd\n[…14:]\ne", []renderers.Gap{{2, 4}, {7, 10}, {12, 13}}},
		"inside a line":                   {"Process exited\nstdout:\na\n[…9 bytes]\nb\nc\n[…5:]\nd", []renderers.Gap{{1, 1}, {3, 4}}},
		"from a line's start":             {"Process exited\nstdout:\na\n[…2: 9 bytes]\nb\nc\n[…5:]\nd", []renderers.Gap{{2, 2}, {4, 4}}},
		"a line of which no end is shown": {"Process exited\nstdout:\na\n[…9 bytes]\n[…5:]\nd", []renderers.Gap{{1, 1}, {2, 4}}},
		"values":                          {"Process exited\nstdout:\n[\n[…9/9 values]\n]\n[…9 bytes]\n[…7 alike]\n[…40:]\na\n[…44:]\nb", []renderers.Gap{{First: 2}, {}, {}, {0, 39}, {41, 43}}},
		"of numbered lines":               {"File read: x\nFile text: 3 of 9 lines; all: /a\n[…]\n41\ta\n[…]\n44\tb\n[…5 bytes]\n44\tc\n[…]", []renderers.Gap{{1, 40}, {42, 43}, {44, 44}, {First: 45}}},
		"an end without number":           {"Process exited\nstdout:\na\n[…]", []renderers.Gap{{First: 2}}},
	} {
		d, err := renderers.ParseReceipt(c.receipt)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(c.want, d.Sections[0].Gaps()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Whichever lines are shown, the gaps of the receipt that is read back are all others.
func TestGapsAreWhatIsNotShown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shown := rapid.SliceOfN(rapid.Bool(), 1, 40).Draw(t, "shown")
		s := renderers.Section{Label: "output", Extent: &renderers.Extent{Lines: int64(len(shown)), Artifact: "/a"}}
		var want []renderers.Gap
		for i, show := range shown {
			number, last := int64(i+1), len(s.Body)-1
			switch {
			case show && last >= 0 && s.Body[last].Mark == nil:
				s.Body[last].Text += "\n" + strconv.Itoa(i)
			case show:
				s.Body = append(s.Body, renderers.Piece{Text: strconv.Itoa(i)})
			case last >= 0 && s.Body[last].Mark != nil:
				want[len(want)-1].Last = number
			default:
				s.Body = append(s.Body, renderers.Piece{Mark: &renderers.Mark{}})
				want = append(want, renderers.Gap{First: number, Last: number})
			}
			if show {
				s.Extent.Shown++
			}
		}
		for i, g := 0, 0; i < len(s.Body); i++ {
			if m := s.Body[i].Mark; m != nil {
				if i < len(s.Body)-1 {
					m.Next = want[g].Last + 1
				}
				g++
			}
		}
		r, err := renderers.Write(renderers.Document{Outcome: "Process exited", Sections: []renderers.Section{s}}, tokens.Estimate())
		if err != nil {
			t.Fatal(err)
		}
		d, err := renderers.ParseReceipt(r.Text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, d.Sections[0].Gaps()); diff != "" {
			t.Fatalf("%s\n(-want +got):\n%s", strings.ReplaceAll(r.Text, "\n", " "), diff)
		}
	})
}

// The output of a command follows its facts without a title, unless other text or another heading comes before it.
func TestOutputNeedsNoTitle(t *testing.T) {
	output := renderers.Section{Label: "output", Body: []renderers.Piece{{Text: "ok"}}}
	heading := &renderers.Extent{Lines: 552, Shown: 1, Artifact: "/a"}
	for want, d := range map[string]renderers.Document{
		"Process exited with code 0\nok":                                           {Sections: []renderers.Section{output}},
		"Process exited with code 0\nTask: t\nok":                                  {Facts: []renderers.Fact{{Label: "Task", Value: "t"}}, Sections: []renderers.Section{output}},
		"Process exited with code 0\noutput: 1 of 552 lines; all: /a\nok":          {Sections: []renderers.Section{{Label: "output", Extent: heading, Body: output.Body}}},
		"Process exited with code 0\nok\nstderr:\nok":                              {Sections: []renderers.Section{output, {Label: "stderr", Body: output.Body}}},
		"Process exited with code 0\nstderr: 1 of 552 lines; all: /a\noutput:\nok": {Sections: []renderers.Section{output, {Label: "stderr", Extent: heading}}},
		"Process exited with code 0\nstdout:\nok\noutput:\nok":                     {Sections: []renderers.Section{{Label: "stdout", Body: output.Body}, output}},
		"Process exited with code 0\nItem 2 output:\nok":                           {Sections: []renderers.Section{{Label: "Item 2 output", Body: output.Body}}},
		"Process exited with code 0\n[…552:]\nok":                                  {Sections: []renderers.Section{{Label: "output", Body: []renderers.Piece{{Mark: &renderers.Mark{Next: 552}}, output.Body[0]}}}},
	} {
		d.Outcome = "Process exited with code 0"
		if got := receiptOf(t, d); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		back, err := renderers.ParseReceipt(want)
		if diff := cmp.Diff(len(d.Sections), len(back.Sections)); err != nil || diff != "" {
			t.Errorf("%s is read as %+v, %v", want, back, err)
		}
	}
}
