package toolresult

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// TestTaskIsTheFocusOfEachCall: the task comes before the focus of a call, whatever sets that, and
// a policy of the caller stays as it is.
func TestTaskIsTheFocusOfEachCall(t *testing.T) {
	t.Parallel()
	c := newClient(nil, settings{})
	policy := &pb.ProjectionPolicy{Segments: true, Focus: "of the policy"}
	focus := func(options ...Option) string { return c.projection(options).request.GetPolicy().GetFocus() }
	if got := c.projection(nil).request.GetPolicy(); got != nil {
		t.Errorf("without a task: %v", got)
	}
	for _, task := range []string{"", "the task"} {
		c.SetTask(task)
		before := task
		if task != "" {
			before += "\n"
		}
		for want, options := range map[string][]Option{
			task:                     nil,
			before + "now":           {Focus("now")},
			before + "of the policy": {Policy(policy)},
			before + "last":          {Policy(policy), Focus("last")},
		} {
			if got := focus(options...); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
	if policy.GetFocus() != "of the policy" {
		t.Errorf("the policy of the caller has %q", policy.GetFocus())
	}
}

// TestJoinedFocusFits draws tasks and focuses: together they have at most 8 KiB, the focus is
// whole, and the task is cut at its end.
func TestJoinedFocusFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string {
			unit := rapid.SampledFrom([]string{"a", "ü", "漢", "\U0001f600"}).Draw(t, name)
			return strings.Repeat(unit, rapid.SampledFrom([]int{0, 1, 2000, 2047, 2730, 4096, 8191, 8192}).Draw(t, name+" length")/len(unit))
		}
		task, focus := text("task"), text("focus")
		got := joinFocus(task, focus)
		before := strings.TrimSuffix(strings.TrimSuffix(got, focus), "\n")
		if len(got) > maxFocus || !utf8.ValidString(got) || !strings.HasSuffix(got, focus) || !strings.HasPrefix(task, before) {
			t.Fatalf("%d bytes of %d and %d", len(got), len(task), len(focus))
		}
		if len(before) < len(task) && len(got) < maxFocus-4 {
			t.Fatalf("%d bytes are cut without need", len(task)-len(before))
		}
	})
}
