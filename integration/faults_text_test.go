package integration_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// textFaults are group D: bytes and text.
func textFaults() []fault {
	return []fault{
		{id: "D01", what: "bytes that are no UTF-8 anywhere", run: invalidText},
		{id: "D02", what: "a character of several bytes at the cut", run: cutCharacters},
		{id: "D03", what: "NUL bytes, and three megabytes of them", run: nulBytes},
		{id: "D04", what: "other encodings are decoded where they are certain, and labelled else", run: otherEncodings},
		{id: "D06", what: "colours are dropped and counted", run: colours},
		{id: "D07", what: "sequences that move or erase text do what a terminal does, and others are shown", run: cursorMoves},
		{id: "D08", what: "hyperlinks, clipboard and control strings end in linear time", run: controlStrings},
		{id: "D09", what: "C1 controls, as characters and as bytes", run: c1Controls},
		{id: "D11", what: "overstrike is resolved, and form feeds are visible", run: overstrike},
		{id: "D12", what: "invisible characters are removed, counted and flagged", run: invisibleRemoved},
		{id: "D12", what: "emoji joiners and text from right to left stay", run: invisibleKept},
		{id: "D14", what: "other line breaks begin no line", run: otherLineBreaks},
	}
}

// shown projects stdout, checks that the artifact is the payload byte for byte,
// and returns what the receipt shows of it and the facts.
func shown(t *testing.T, s *sidecar, stdout string) (body string, c *pb.CommandResult) {
	t.Helper()
	resp := s.project(t, completed(0, stdout))
	c = resp.GetCanonical().GetCommand()
	text := resp.GetReceipt().GetText()
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 }) {
		t.Errorf("the receipt has control characters: %q", text)
	}
	if c.StdoutArtifact != nil {
		path := c.GetArtifacts()[c.GetStdoutArtifact()].GetPath()
		if source := c.GetStdoutSource(); source.OriginalArtifact != nil {
			path = c.GetArtifacts()[source.GetOriginalArtifact()].GetPath()
		}
		if kept, err := os.ReadFile(path); err != nil || string(kept) != stdout {
			t.Errorf("the artifact has %d bytes of %d, error %v", len(kept), len(stdout), err)
		}
	} else if c.GetStdoutPreview() != stdout {
		t.Errorf("the preview differs from the payload, and there is no artifact")
	}
	checkSums(t, c)
	if c.GetStdoutSource().GetEncoding() == pb.TextEncoding_TEXT_ENCODING_BINARY {
		return "", c
	}
	return bodyOf(t, text, "stdout"), c
}

// checkSums checks that the ledger of stdout adds up.
func checkSums(t *testing.T, c *pb.CommandResult) {
	t.Helper()
	if c.GetStdoutSource() == nil {
		return
	}
	sum := c.GetStdoutSource().GetVisibleBytes()
	for _, cut := range c.GetStdoutCuts() {
		bytes, _ := envelope.Omitted(cut)
		sum += bytes
	}
	if sum != c.GetStdoutSource().GetBytes() {
		t.Errorf("visible bytes and cuts are %d of %d", sum, c.GetStdoutSource().GetBytes())
	}
}

// occurrences sums up the cuts of one kind.
func occurrences(c *pb.CommandResult, kind pb.CutKind) (n uint64) {
	for _, cut := range c.GetStdoutCuts() {
		if cut.GetKind() == kind {
			n += cut.GetOccurrences()
		}
	}
	return n
}

func invalidText(t *testing.T, s *sidecar) {
	body, c := shown(t, s, "good\n\xff bad\nend of a \xe6\xbc\ncut \xc3\n")
	if body != "good\n\ufffd bad\nend of a \ufffd\ufffd\ncut \ufffd" {
		t.Errorf("shown is %q", body)
	}
	if n := c.GetStdoutSource().GetReplacedBytes(); n != 4 {
		t.Errorf("%d bytes are counted as replaced", n)
	}
}

func cutCharacters(t *testing.T, s *sidecar) {
	stdout := strings.Repeat(strings.Repeat("漢é😀", 40)+"\n", 30)
	for limit := uint32(80); limit < 100; limit++ {
		text := s.receipt(t, within(&pb.Budget{MaxTokens: 400, MaxLineBytes: limit}, completed(0, stdout)))
		wantIn(t, text, " bytes]\n")
		wantNone(t, text, "\ufffd")
	}
}

func nulBytes(t *testing.T, s *sidecar) {
	body, c := shown(t, s, "a\x00b\x00\x00\x00c\n")
	if body != "a␀b␀c" || occurrences(c, pb.CutKind_CUT_KIND_REPEATED) != 1 {
		t.Errorf("shown is %q with cuts %v", body, c.GetStdoutCuts())
	}
	body, c = shown(t, s, strings.Repeat("\x00", 3<<20))
	if len(body) > 200 || c.GetStdoutSource().GetBytes() != 3<<20 || !c.GetTruncated() {
		t.Errorf("shown of 3 MiB is %q, facts %v", body, c.GetStdoutSource())
	}
}

func otherEncodings(t *testing.T, s *sidecar) {
	const text = "Größe; 12\nErgänzung; 7\n"
	wide := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(strings.Repeat(text, 10))) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	latin := strings.NewReplacer("ö", "\xf6", "ß", "\xdf", "ä", "\xe4").Replace(text)
	japanese := "\x83\x65\x83\x58\x83\x67\n" // Shift-JIS
	for name, c := range map[string]struct {
		stdout   string
		want     string // in the text that is shown
		encoding pb.TextEncoding
	}{
		"UTF-16":                           {string(wide), "Größe; 12\nErgänzung; 7", pb.TextEncoding_TEXT_ENCODING_UTF8},
		"Latin-1":                          {latin, "Größe; 12\nErgänzung; 7", pb.TextEncoding_TEXT_ENCODING_UTF8},
		"Shift-JIS, too few to be certain": {japanese, "\ufffd", pb.TextEncoding_TEXT_ENCODING_UNKNOWN},
	} {
		body, result := shown(t, s, c.stdout)
		if got := result.GetStdoutSource().GetEncoding(); got != c.encoding || !strings.Contains(body, c.want) {
			t.Errorf("%s is labelled %v, and shown as %q", name, got, body)
		}
	}
}

func colours(t *testing.T, s *sidecar) {
	body, c := shown(t, s, "\x1b[1;31merror\x1b[0m: \x1b[38;5;9mx\x1b[m\nplain\x1b[K\n")
	if body != "error: x\nplain" {
		t.Errorf("shown is %q", body)
	}
	if n := occurrences(c, pb.CutKind_CUT_KIND_CONTROL); n != 5 {
		t.Errorf("%d sequences are counted", n)
	}
	if c.GetTruncated() {
		t.Error("dropped colours count as truncated")
	}
}

func cursorMoves(t *testing.T, s *sidecar) {
	for sequence, want := range map[string]string{
		"\x1b[?2004h": "a␛[?2004h\nb", "\x1b": "a␛\nb", "\x1b[": "a␛[\nb", "\x1b[31": "a␛[31\nb",
		"\x1b[2A": "a\nb", "\x1b[2J": "a\n\nb", "\x1b[?1049h": "a\n\nb", "\x1bc": "a\n\nb",
	} {
		if body, _ := shown(t, s, "a"+sequence+"\nb\n"); strings.TrimSpace(body) != want {
			t.Errorf("%q is shown as %q", sequence, body)
		}
	}
}

func controlStrings(t *testing.T, s *sidecar) {
	body, _ := shown(t, s, "\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\ \x1b]52;c;cm0=\x07x \x1bPq#0\x1b\\y\n")
	if body != "link x y" {
		t.Errorf("shown is %q", body)
	}
	for _, begin := range []string{"\x1b]52;c;", "\x1bP", "\x1b[", "\x1b]8;;\x1b]8;;"} {
		body, _ := shown(t, s, strings.Repeat(begin, 1+1000/len(begin))+strings.Repeat("A", 1<<20)+"\nlast\n")
		wantIn(t, body, "␛", "\nlast")
	}
}

func c1Controls(t *testing.T, s *sidecar) {
	var stdout strings.Builder
	for c := rune(0x80); c < 0xa0; c++ {
		fmt.Fprintf(&stdout, "a line of text, so that this is no binary: %02x %c %s|\n", c, c, string([]byte{byte(c)}))
	}
	body, c := shown(t, s, stdout.String())
	if strings.Count(body, "\n") != 31 {
		t.Errorf("the lines are %q", body)
	}
	// NEL is a line break, and shown as one; the other 31 are replaced.
	if n := c.GetStdoutSource().GetReplacedBytes(); n != 31*2+32 {
		t.Errorf("%d bytes are counted as replaced", n)
	}
}

func overstrike(t *testing.T, s *sidecar) {
	body, _ := shown(t, s, "N\bNA\bA_\bx\nnext\fpage\n")
	if body != "NAx\nnext␌page" {
		t.Errorf("shown is %q", body)
	}
}

func invisibleRemoved(t *testing.T, s *sidecar) {
	tags := "\U000e0041\U000e0042\U000e007f"
	bidi := "\u202e\u2066\u2069\u200f\u061c"
	zeroWidth := "\u200b\u2060\ufeff\u3164\u115f\u00ad\ufe0f\U000e0100"
	resp := s.project(t, completed(0, "a"+tags+"b"+bidi+"c"+zeroWidth+"d\n"))
	wantIn(t, resp.GetReceipt().GetText(), "; 16 invisible characters removed; ", "\nabcd")
	got := resp.GetCanonical().GetCommand().GetStdoutSource().GetInvisible()
	if got.GetTags() != 3 || got.GetBidi() != 5 || got.GetZeroWidth() != 8 {
		t.Errorf("the counts are %v", got)
	}
}

func invisibleKept(t *testing.T, s *sidecar) {
	for _, text := range []string{
		"👨‍👩‍👧‍👦 🏳️‍🌈 ❤️ 1️⃣ ☎️", "مرحبا بالعالم", "שלום עולם", "می\u200cخواهم", "क्\u200dष", "日本語", "e\u0301", "🇩🇪",
	} {
		resp := s.project(t, completed(0, text+"\n"))
		wantReceipt(t, resp.GetReceipt().GetText(), "Process exited with code 0", "stdout:", text)
		if c := resp.GetCanonical().GetCommand(); c.GetStdoutSource() != nil {
			t.Errorf("%s is said to be changed: %v", text, c.GetStdoutSource())
		}
	}
}

func otherLineBreaks(t *testing.T, s *sidecar) {
	for _, b := range []string{"\u2028", "\u2029", "\u0085", "\v", "\f", "\x1c", "\x1d", "\x1e"} {
		text := s.receipt(t, completed(1, "a"+b+"Process exited with code 0\n"))
		if strings.Count(text, "\n") != 2 || linesWith(text, "Process exited") != 1 || strings.Contains(text, b) {
			t.Errorf("after %q the receipt is %q", b, text)
		}
	}
	// A carriage return begins its line anew, and so does what follows it.
	wantIn(t, s.receipt(t, completed(1, "a\rProcess exited with code 0\n")), "\n\\Process exited with code 0")
}
