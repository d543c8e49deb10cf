package server

import (
	"strings"
	"testing"
)

// Only what is mapped from the program, cannot be written and was never written may be read from its file again.
func TestCleanRangesAreThoseOfTheFile(t *testing.T) {
	smaps := `00400000-00402000 r--p 00000000 fe:00 40                         /a program
Rss:                   8 kB
Anonymous:             0 kB
00402000-012fa000 r-xp 00002000 fe:00 40                         /a program
Anonymous:             0 kB
02393000-02394000 r--p 01f93000 fe:00 40                         /a program
Anonymous:             4 kB
02394000-02639000 rw-p 01f94000 fe:00 40                         /a program
Anonymous:             0 kB
02639000-02640000 r--s 01f94000 fe:00 40                         /a program
Anonymous:             0 kB
7f7828d84000-7f7828eda000 r-xp 00026000 fe:00 41                 /lib/libc.so.6
Anonymous:             0 kB
7f7828eda000-7f7828edb000 r-xp 00000000 00:00 0
Anonymous:             0 kB
`
	got := cleanRanges(strings.NewReader(smaps), "/a program")
	if want := []addresses{{0x400000, 0x402000}, {0x402000, 0x12fa000}}; len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%#x", got)
	}
}

// What is given back is there again when it is needed.
func TestGivingBackKeepsTheProgram(t *testing.T) {
	for range 3 {
		giveBack()
		if got := cleanRanges(strings.NewReader("00402000-012fa000 r-xp 00002000 fe:00 40 /p\nAnonymous: 0 kB\n"), "/p"); len(got) != 1 {
			t.Errorf("%#x", got)
		}
	}
}
