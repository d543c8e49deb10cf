package integration_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// fault is one case of docs/faults.md that a running sidecar can meet.
type fault struct {
	id, what string
	run      func(t *testing.T, s *sidecar)
}

// faults are the cases with a documented answer, run through the real socket.
func faults() []fault {
	return slices.Concat(envelopeFaults(), textFaults(), spoofingFaults(), pathFaults(), otherFaults())
}

// later are the cases of the groups C, D, G and I that no RPC of today meets,
// or that one room proves alone.
var later = map[string]string{
	"C09": "request ids are not in the contract yet",
	"C10": "request ids are not in the contract yet",
	"G07": "receipts are not sealed yet",
	"G08": "receipts are not sealed yet",
	"I02": "TestReadArtifactRefusals has the paths that are refused",
	"I04": "a race of its own: integration/faults",
	"I12": "TestReadArtifact reads what a receipt names through the API",
}

// groups are all cases of the groups that this file answers for, case by case.
var groups = map[string]string{
	"C": "01 02 03 04 06 08 09 10 11 12 13",
	"D": "01 02 03 04 06 07 08 09 11 12 14",
	"G": "01 02 03 04 06 07 08 10 12 13 14 15",
	"I": "01 02 03 04 07 08 09 10 11 12",
}

// TestFaults runs the cases against one sidecar, but for those that start their
// own, and checks that it still answers afterwards.
func TestFaults(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	t.Run("cases", func(t *testing.T) {
		for _, f := range faults() {
			t.Run(f.id+" "+f.what, func(t *testing.T) {
				t.Parallel()
				f.run(t, s)
			})
		}
	})
	if got := s.receipt(t, completed(0, "alive\n")); got != "Process exited with code 0\nstdout:\nalive" {
		t.Errorf("afterwards the receipt is %q", got)
	}
}

// TestEveryFaultHasItsPlace checks that each case of the groups has a test or a
// reason why it has none.
func TestEveryFaultHasItsPlace(t *testing.T) {
	t.Parallel()
	tested := map[string]bool{}
	for _, f := range faults() {
		tested[f.id] = true
	}
	for group, numbers := range groups {
		for number := range strings.FieldsSeq(numbers) {
			if id := group + number; tested[id] == (later[id] != "") {
				t.Errorf("case %s: tested %v, and the reason why not is %q", id, tested[id], later[id])
			}
		}
	}
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
