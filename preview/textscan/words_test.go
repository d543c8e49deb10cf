package textscan_test

import (
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview/textscan"
)

func TestBytesOfWords(t *testing.T) {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	for i := range 256 {
		c := byte(i)
		if got, want := textscan.BeginsWord(c), strings.IndexByte(letters, c) >= 0 || c >= 0x80; got != want {
			t.Errorf("a word begins with %q: %v", c, got)
		}
		if got, want := textscan.EndsScalar(c), strings.IndexByte(",:}] \t\r\n", c) >= 0; got != want {
			t.Errorf("%q ends a scalar: %v", c, got)
		}
		if _, n := textscan.Number([]byte{c}); (n == 1) != (c >= '0' && c <= '9') {
			t.Errorf("%q has %d digits", c, n)
		}
	}
}

func TestNumbersHaveBoundedDigits(t *testing.T) {
	for text, want := range map[string][2]int{"12x": {12, 2}, "": {0, 0}, "1234567890": {123456789, 9}, "007": {7, 3}} {
		if n, digits := textscan.Number([]byte(text)); n != want[0] || digits != want[1] {
			t.Errorf("%q is %d with %d digits", text, n, digits)
		}
	}
}

// A name is compared without signs and case, up to the space that there is for it.
func TestNamesWithoutSigns(t *testing.T) {
	for name, want := range map[string]string{
		"exit_code": "exitcode", "Exit-Code": "exitcode", "exit.code": "exitcode", "exit code": "exitcode", "AZ": "az", "az": "az", "@l": "@l", "": "", "ABCDEFGH-": "abcdefgh",
		"abcdefghi": "", "é": "é",
	} {
		var plain [9]byte
		if got := textscan.PlainName(append(plain[:0], '>'), []byte(name)); string(got) != ">"+want {
			t.Errorf("%q is %q, want %q", name, got[1:], want)
		}
	}
}

func TestWordsOfAList(t *testing.T) {
	for word, want := range map[string]bool{"ax": true, "b": true, "c": true, "a": false, "x": false, "": false, "ax b": false} {
		if got := textscan.HasWord("ax b  c", []byte(word)); got != want {
			t.Errorf("%q is in the list: %v", word, got)
		}
	}
}
