package preview_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/tokens"
)

// ample is a budget that nothing in these tests exceeds.
var ample = preview.Budget{Tokens: 100_000, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}

func show(payload string) *preview.Preview {
	return write(preview.NewWriter(2000), []byte(payload)).Select(ample, tokens.Estimate(), preview.Hints{HeadPercent: 25})
}

// The cases carry the ids of the faults that they answer.
func TestVisibleForm(t *testing.T) {
	for name, c := range map[string]struct{ payload, want string }{
		"plain":                             {"a\tb\n", "a\tb\n"},
		"D01 invalid byte":                  {"a\xffb", "a\ufffdb"},
		"D01 cut-off character":             {"a\xe2\x82\n", "a\ufffd\ufffd\n"},
		"D01 encoded surrogate":             {"\xed\xa0\x80", "\ufffd\ufffd\ufffd"},
		"D03 NUL runs show once":            {"a\x00\x00\x00b\x00", "a␀b␀"},
		"D06 colours go":                    {"\x1b[1;31merror\x1b[0m: x", "error: x"},
		"D06 colon sub-parameters go":       {"\x1b[38:2::1:2:3mx\x1b[m", "x"},
		"D07 cursor up is visible":          {"a\x1b[2Ab", "a␛[2Ab"},
		"D07 alternate screen is visible":   {"\x1b[?1049hx", "␛[?1049hx"},
		"D07 bracketed paste is visible":    {"\x1b[?2004hx", "␛[?2004hx"},
		"D07 erase in line goes":            {"\x1b[2Kx\x1b[K", "x"},
		"D07 two escapes, one of a colour":  {"\x1b\x1b[31mx", "␛x"},
		"D08 hyperlink keeps its text":      {"\x1b]8;;http://e\x1b\\text\x1b]8;;\x1b\\", "text"},
		"D08 clipboard write goes":          {"a\x1b]52;c;aGk=\ab", "ab"},
		"D08 device control string goes":    {"a\x1bPq#0;2\x1b\\b", "ab"},
		"D08 unterminated keeps what comes": {"\x1b]0;error: lost?\n", "␛]0;error: lost?\n"},
		"D08 a sequence ends with its line": {"\x1b[3\n1mx", "␛[3\n1mx"},
		"D09 C1 as a character":             {"a\u009b31mb", "a\ufffd31mb"},
		"D09 C1 as a raw byte":              {"a\x9b31mb", "a\ufffd31mb"},
		"D11 overstrike is resolved":        {"N\bNA\bA", "NA"},
		"a spinner is resolved":             {"wait |\b/\b-\b\\\bdone", "wait done"},
		"a counter is resolved":             {"\x1b[2K\x1b[1G10%\x1b[2K\x1b[1G\x1b[32m100%\x1b[0m", "100%"},
		"D11 form feed is visible":          {"a\fb\vc", "a␌b␋c"},
		"D12 tags go":                       {"a\U000e0041\U000e0042b", "ab"},
		"D12 direction overrides go":        {"a\u202eb\u2066c\u2069", "abc"},
		"D12 zero-width runs go":            {"a\u200b\u200c\u200d\ufeffb", "ab"},
		"D12 variation selectors go":        {"a\ufe0f\U000e0100b", "ab"},
		"D12 fillers go":                    {"a\u3164\u115fb", "ab"},
		"D12 emoji joiners stay":            {"👩\u200d🚀 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3", "👩\u200d🚀 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3"},
		"D12 Persian and Hindi stay":        {"می\u200cخواهم क्\u200dष", "می\u200cخواهم क्\u200dष"},
		"D12 Hebrew and Arabic stay":        {"שלום مرحبا", "שלום مرحبا"},
		"D14 other line breaks are visible": {"a\u0085b\u2028c\u2029d", "a␤b␤c␤d"},
		"CRLF is a line end":                {"a\r\nb\r\n", "a\nb\n"},
		"progress shows its last state":     {"10%\r 50%\r100%\n", "100%\n"},
		"progress that ends in CR":          {"10%\r100%\r", "100%"},
		"CR over an empty line":             {"\rabc\n", "abc\n"},
		"DEL and BEL":                       {"a\x7f\a", "a␡␇"},
	} {
		t.Run(name, func(t *testing.T) {
			p := show(c.payload)
			if p.Text != c.want {
				t.Errorf("%q shows %q, want %q", c.payload, p.Text, c.want)
			}
			checkLedger(t, []byte(c.payload), p)
		})
	}
}

func TestCutsCountBytesAndPlaces(t *testing.T) {
	p := show("a\xffb\x00\x00 \x1b[1mx\x1b[0m \u202e\u200b\U000e0041\r\n1%\r2%\r3%\n")
	if p.ReplacedBytes != 1 || p.EscapedBytes != 1 || p.Encoding != preview.EncodingUnknown {
		t.Errorf("replaced %d, escaped %d, encoding %d", p.ReplacedBytes, p.EscapedBytes, p.Encoding)
	}
	if (p.Invisible != textscan.Invisible{Tags: 1, Bidi: 1, ZeroWidth: 1}) {
		t.Errorf("invisible %+v", p.Invisible)
	}
	want := map[preview.CutKind][2]int64{ // bytes, places
		preview.CutRepeated: {1, 1}, preview.CutControl: {9, 3}, preview.CutInvisible: {10, 3}, preview.CutProgress: {6, 2},
	}
	for _, c := range p.Cuts {
		if got := [2]int64{c.OmittedBytes, c.Occurrences}; got != want[c.Kind] {
			t.Errorf("cut of kind %d has %v, want %v", c.Kind, got, want[c.Kind])
		}
		delete(want, c.Kind)
	}
	if len(want) > 0 {
		t.Errorf("no cuts for %v", want)
	}
	if !p.Truncated() {
		t.Error("left-out progress is not called truncated")
	}
	if show("\x1b[1mx\x1b[0m\r\n").Truncated() {
		t.Error("colours alone are called truncated")
	}
}

// A hyperlink's address and a clipboard write are no text, and worth a word.
func TestControlStringsAreCounted(t *testing.T) {
	p := show("\x1b]8;;http://e\x1b\\text\x1b]8;;\x1b\\ \x1b]52;c;aGk=\a\x1b[1mx\x1b(B\n")
	if p.Text != "text x\n" || p.Strings != 3 {
		t.Errorf("%q with %d control strings", p.Text, p.Strings)
	}
}

func TestBinaryIsNotText(t *testing.T) {
	elf := append([]byte("\x7fELF\x02\x01\x01\x00"), bytes.Repeat([]byte{0, 1, 0xff, 0x90, 'a', 0xe8}, 400)...)
	utf16 := []byte("\xff\xfe")
	for _, c := range strings.Repeat("plain words\n", 20) {
		utf16 = append(utf16, byte(c), 0)
	}
	for name, c := range map[string]struct {
		payload []byte
		binary  bool
	}{
		"E03 program":         {elf, true},
		"D04 UTF-16":          {utf16, true},
		"D04 Shift-JIS":       {bytes.Repeat([]byte("\x83e\x83X\x83g\x82\xb7\x82\xe9 "), 30), false}, // its bytes are shown as U+FFFD, unless the caller decodes them
		"D04 Latin-1 text":    {bytes.Repeat([]byte("d\xe9j\xe0 vu, une phrase ordinaire\n"), 30), false},
		"D03 NUL padding":     {append([]byte("data"), make([]byte, 9000)...), false},
		"NUL separated names": {bytes.Repeat([]byte("./internal/some/file.go\x00"), 200), false},
		"colours":             {bytes.Repeat([]byte("\x1b[1m\x1b[31mE\x1b[0m\n"), 200), false},
		"cut inside the last character of the sample": {[]byte(strings.Repeat("é", 4095) + "x" + strings.Repeat("é", 10)), false},
	} {
		t.Run(name, func(t *testing.T) {
			p := write(preview.NewWriter(2000), c.payload).Select(ample, tokens.Estimate(), preview.Hints{HeadPercent: 25})
			if got := p.Encoding == preview.EncodingBinary; got != c.binary {
				t.Errorf("binary is %v", got)
			}
			if c.binary && (p.Text != "" || !p.Truncated()) {
				t.Errorf("shows %q", p.Text)
			}
			checkLedger(t, c.payload, p)
		})
	}
}

// What was shown once is shown the same way again.
func TestSanitisedIsAFixedPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		payload := payloads().Draw(t, "payload")
		once := textscan.OneLine(string(payload))
		if twice := textscan.OneLine(once); twice != once || !textscan.Sanitised(once) {
			t.Fatalf("%q becomes %q", once, twice)
		}
	})
}

func TestGiantLineIsCutNeverDropped(t *testing.T) {
	for name, payload := range map[string]string{
		"one":                strings.Repeat("word ", 200_000),
		"one, ended":         strings.Repeat("é", 200_000) + "\n",
		"first of many":      strings.Repeat("x", 90_000) + "\n" + strings.Repeat("next\n", 5000),
		"last of many":       strings.Repeat("next\n", 5000) + "FAIL " + strings.Repeat("x", 90_000),
		"three, all too big": strings.Repeat(strings.Repeat("ab ", 30_000)+"\n", 3),
	} {
		t.Run(name, func(t *testing.T) {
			b := preview.Budget{Tokens: 300, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}
			p := write(preview.NewWriter(300), []byte(payload)).Select(b, tokens.Estimate(), preview.Hints{HeadPercent: 25})
			checkLedger(t, []byte(payload), p)
			first, last := p.Segments[0].FirstLine, p.Segments[len(p.Segments)-1].LastLine
			for _, c := range p.Cuts {
				if c.LikeLine > 0 { // said to be like one that is shown
					last = max(last, c.LastLine)
				}
			}
			if first != 1 || last != p.Lines {
				t.Errorf("lines %d to %d of %d are shown", first, last, p.Lines)
			}
			if len(p.Text) < 600 {
				t.Errorf("only %d bytes are shown", len(p.Text))
			}
		})
	}
}

func FuzzPreview(f *testing.F) {
	f.Add([]byte("a\x1b[31mb\r\nc"), uint16(40), uint8(3))
	f.Add([]byte(strings.Repeat("line\n", 300)+"\xff\x00"), uint16(100), uint8(0))
	f.Add([]byte("👩\u200d🚀\u202e\u2028"), uint16(1), uint8(1))
	f.Fuzz(func(t *testing.T, payload []byte, budget uint16, chunk uint8) {
		b := preview.Budget{Tokens: int(budget), Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 80}
		p := write(preview.NewWriter(64), payload).Select(b, tokens.Estimate(), preview.Hints{HeadPercent: 25})
		checkLedger(t, payload, p)
		checkFits(t, p, b)
		w := preview.NewWriter(64)
		for rest := payload; len(rest) > 0; {
			n := min(len(rest), int(chunk)+1)
			_, _ = w.Write(rest[:n])
			rest = rest[n:]
		}
		if q := w.Finish().Select(b, tokens.Estimate(), preview.Hints{HeadPercent: 25}); q.Text != p.Text || len(q.Cuts) != len(p.Cuts) {
			t.Fatalf("split shows %q, whole %q", q.Text, p.Text)
		}
	})
}
