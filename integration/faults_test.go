package integration_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// fault is one case of testdata/faults.txt that a running sidecar can meet.
type fault struct {
	id, what string
	run      func(t *testing.T, s *sidecar)
	alone    bool // it starts sidecars of its own, and leaves the shared one alone
}

// faults are the cases with a documented answer, run through the real socket.
func faults() []fault {
	return slices.Concat(wireFaults(), envelopeFaults(), textFaults(), jsonFaults(), spoofingFaults(), pathFaults(), otherFaults())
}

// TestFaults runs the cases against one sidecar, one after the other, and after each of them it is as it was
// before. Those that start their own run side by side.
func TestFaults(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	before := s.baseline(t)
	t.Run("cases", func(t *testing.T) {
		for _, f := range faults() {
			t.Run(f.id+" "+f.what, func(t *testing.T) {
				if f.alone {
					t.Parallel()
				} else {
					t.Cleanup(func() { s.wantSettled(t, before) }) // after what the case itself cleans up
				}
				f.run(t, s)
			})
		}
	})
	if got := s.receipt(t, completed(0, "alive\n")); got != "Process exited with code 0\nstdout:\nalive" {
		t.Errorf("afterwards the receipt is %q", got)
	}
	wantNoGoroutines(t, s)
}

// bodyOf is what a receipt shows below the heading of one section.
func bodyOf(t *testing.T, receipt, section string) string {
	t.Helper()
	_, body, ok := strings.Cut(receipt, "\n"+section+":\n")
	if !ok {
		// The last extent stands as the heading of its own text.
		var rest string
		if _, rest, ok = strings.Cut(receipt, "\n"+section+": "); ok {
			_, body, ok = strings.Cut(rest, "\n")
		}
	}
	if !ok {
		t.Fatalf("the receipt has no section %s:\n%s", section, receipt)
	}
	return body
}

// wantReceipt compares a whole receipt.
func wantReceipt(t *testing.T, got string, lines ...string) {
	t.Helper()
	if want := strings.Join(lines, "\n"); got != want {
		t.Errorf("the receipt is\n%s\n\nand should be\n%s", got, want)
	}
}

// linesWith counts the lines of a receipt with a beginning.
func linesWith(receipt, begin string) (n int) {
	for line := range strings.SplitSeq(receipt, "\n") {
		if strings.HasPrefix(line, begin) {
			n++
		}
	}
	return n
}

// wantIn checks that a text has each of several parts.
func wantIn(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("there is no %q in\n%.2000s", part, text)
		}
	}
}

// wantNone checks that a text has none of several parts.
func wantNone(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("there is %s in\n%.2000s", fmt.Sprintf("%q", part), text)
		}
	}
}
