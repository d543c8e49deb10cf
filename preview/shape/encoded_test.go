package shape

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// encoded returns base64 of n lines of 64 characters.
func encoded(n int) (lines []string) {
	for i := range n {
		sum := sha256.Sum256([]byte(fmt.Sprint(i)))
		lines = append(lines, base64.StdEncoding.EncodeToString(append(sum[:], sum[:16]...)))
	}
	return lines
}

// One line of a block of base64 speaks for it, and a line with a long run is cut.
func TestEncodedDataIsShortened(t *testing.T) {
	block := encoded(30)
	text := "-----BEGIN CERTIFICATE-----\n" + strings.Join(block, "\n") + "\n-----END CERTIFICATE-----\nicon: data:image/png;base64," + strings.Join(block, "") + "\nthe end\n"
	_, list, _ := ranked(text, Options{})
	shown := 0
	for i := range list {
		line := string(list[i].Line.Text)
		if len(line) == 64 && list[i].Score >= 0 {
			shown++
		}
		if (list[i].Width == encodedWidth) != strings.HasPrefix(line, "icon") {
			t.Errorf("%.30q has width %d", line, list[i].Width)
		}
	}
	if shown != 1 {
		t.Errorf("%d lines of the block have a score", shown)
	}
	_, list, _ = ranked(strings.Repeat(strings.Repeat("0123456789abcdef", 4)+"\n", 30)+strings.Repeat("=", 2000)+"\n", Options{})
	for i := range list {
		if list[i].Width > 0 {
			t.Errorf("%.30q is no base64", list[i].Line.Text)
		}
	}
}
