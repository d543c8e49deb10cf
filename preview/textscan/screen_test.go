package textscan

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// screens are displays as programs draw them, and what is on the screen in the end.
var screens = map[string][2]string{
	"docker pull": {
		"latest: Pulling from library/shop\n\x1b[1A\x1b[1B" + "a1: Pulling fs layer \nb2: Pulling fs layer \n" +
			"\x1b[2A\x1b[2K\ra1: Downloading [==>   ]  1MB/3MB\r\x1b[2B" + "\x1b[1A\x1b[2K\rb2: Download complete \r\x1b[1B" +
			"\x1b[2A\x1b[2K\ra1: Pull complete \r\x1b[2B" + "\x1b[1A\x1b[2K\rb2: Pull complete \r\x1b[1BStatus: Downloaded newer image\n",
		"latest: Pulling from library/shop\na1: Pull complete\nb2: Pull complete\nStatus: Downloaded newer image\n",
	},
	"docker compose": {
		"[+] Running 1/2\n \x1b[33m⠿\x1b[0m Container shop-db-1  Starting\n \x1b[33m⠿\x1b[0m Container shop-api-1  Created\n\x1b[3A\x1b[?25l" +
			"[+] Running 2/2\x1b[K\n ✔ Container shop-db-1  Started\x1b[K\n ✘ Container shop-api-1  Error\x1b[K\n\x1b[?25hError: dependency failed to start\n",
		"[+] Running 2/2\n ✔ Container shop-db-1  Started\n ✘ Container shop-api-1  Error\nError: dependency failed to start\n",
	},
	"nested tqdm": {
		"outer:   0%|    | 0/2\n\ninner:  50%|    | 1/2\x1b[A\x1b[A\nouter:  50%|    | 1/2\n\x1b[Ainner: 100%|    | 2/2\n",
		"outer:   0%|    | 0/2\ninner: 100%|    | 2/2\ninner:  50%|    | 1/2\n",
	},
	"erased rows":               {"building\nstep 1\nstep 2\x1b[1A\r\x1b[Jdone\n", "building\ndone\n"},
	"watch":                     {"starting\n\x1b[H\x1b[2JEvery 2s: ls\n\na.txt\x1b[H\x1b[2JEvery 2s: ls\n\na.txt\nb.txt\n", "starting\nEvery 2s: ls\n\na.txt\nb.txt\n"},
	"alternate":                 {"$ top\n\x1b[?1049h\x1b[H\x1b[2Jcpu 1%\x1b[1;1Hcpu 9%\x1b[?1049l$ exit\n", "$ top\ncpu 9%\n$ exit\n"},
	"alternate with a line end": {"a\n\x1b[?1049hother\x1b[?1049l\nb\n", "a\nother\nb\n"},
	"cleared log":               {"error: first\n\x1bcerror: second\n", "error: first\nerror: second\n"},
	"plain":                     {"one\r\ntwo\n\n  three\tfour", "one\ntwo\n\n  three\tfour"},
	"bytes":                     {"a\xffb\n\x1b[1Ac\n", "c\xffb\n"},
	"no line end":               {"50%\n\x1b[A100%", "100%"},
}

// A screen shows what a terminal shows in the end.
func TestScreen(t *testing.T) {
	t.Parallel()
	for name, c := range screens {
		if got, ok := Screen([]byte(c[0])); string(got) != c[1] || !ok {
			t.Errorf("%s: got\n%q, want\n%q", name, got, c[1])
		}
	}
}

// Only what moves to other rows is a display of several.
func TestMovesRows(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, "plain\n": false, "\x1b[31mred\x1b[0m\n": false, "50%\r\x1b[K100%\n": false, "\x1b[2A": true, "x\x1b[1;1Hy": true, "\x1b[2J": true, "\x1b[J": false,
		"\x1b[?1049h": true, "\x1b[?25l": false, "\x1b[": false, "\x1b": false, "\x1b[5": false, "\x1b[10G": false, "\x1b[31m\x1b[1F": true,
	} {
		if got := MovesRows([]byte(text)); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// Text without sequences stays as it is but for blanks at the ends of its lines, and nothing becomes longer.
func TestScreenKeepsText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for i := range rapid.IntRange(0, 450).Draw(t, "lines") {
			fmt.Fprintf(&b, "%s %d\n", rapid.SampledFrom([]string{"line", "\tzwölf", "系统", "a  b"}).Draw(t, "text"), i)
		}
		if got, ok := Screen([]byte(b.String())); !ok || string(got) != b.String() {
			t.Fatalf("%q becomes %q", b.String(), got)
		}
	})
}

func FuzzScreen(f *testing.F) {
	for _, c := range screens {
		f.Add([]byte(c[0]))
	}
	f.Add([]byte("\x1b[999B\x1b[999;999Hx\x1b[1K\x1b[3L\x1b[9M\x1b[1J\x1b8"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, ok := Screen(text)
		if again, _ := Screen(text); !bytes.Equal(got, again) {
			t.Fatal("two runs differ")
		}
		if ok && (len(got) > len(text) || utf8.Valid(text) && !utf8.Valid(got)) {
			t.Fatalf("%d bytes of %d", len(got), len(text))
		}
		MovesRows(text)
	})
}
