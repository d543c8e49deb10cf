package textscan

import (
	"strings"
	"testing"
)

// Letters that hexadecimal has not, in both cases, and digits make a run look random: at the ends of each class, too.
func TestRandomLooks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"Gg0": true, "Zz9": true, "Gz5": true, "Fg0": false, "Gf0": false, "Gg/": false, "Gg:": false, "gz0": false, "GZ0": false, "[g0": false, "G{0": false, "": false} {
		if got := LooksRandom(text); got != want {
			t.Errorf("%q looks random: %v", text, got)
		}
	}
	for c := range 256 {
		want := strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_", byte(c)) >= 0
		if isBase64(byte(c)) != want {
			t.Errorf("%q is base64: %v", byte(c), !want)
		}
	}
}

// Runs of the least length count, and are found behind shorter ones.
func TestBase64Runs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "abc": "", "abcd": "abcd", "abc abcd/": "abcd/", "x=abcd=": "abcd"} {
		from, to, ok := Base64Run(text, 0, 4)
		if got := text[from:to]; got != want || ok != (want != "") {
			t.Errorf("of %q %q is found", text, got)
		}
	}
}
