package shape

import (
	"fmt"
	"strings"
	"testing"
)

// Of a text in which nothing is wrong both ends are shown, whatever its words are.
func TestEndsOfQuietText(t *testing.T) {
	t.Parallel()
	text := &strings.Builder{}
	for i := range 200 {
		fmt.Fprintf(text, "copied %c%c to the archive in %d ms\n", 'a'+i%26, 'a'+i/26, 7*i%90)
	}
	for _, kind := range []Shape{None, BuildLog, TestReport} {
		_, list, _ := ranked(text.String(), Options{Shape: kind, Succeeded: true})
		for k, i := range Order(list)[:40] {
			if i >= 21 && i < 179 {
				t.Errorf("shape %d: line %d of 200 is number %d", kind, i+1, k+1)
			}
		}
	}
}

// One line that says that something is wrong comes before both ends.
func TestLoudLineBeforeEnds(t *testing.T) {
	t.Parallel()
	lines := strings.Split(strings.Repeat("copied one more file to the archive\n", 90), "\n")
	for i := range lines {
		lines[i] += fmt.Sprintf(" %c%c", 'a'+i%26, 'b'+i/26)
	}
	lines[44] = "error: cannot write to the archive: no space left on device"
	_, list, _ := ranked(strings.Join(lines, "\n"), Options{})
	if first := Order(list)[0]; first != 44 {
		t.Errorf("line %d comes first", first+1)
	}
}
