package preview_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/tokens"
)

// In a file a carriage return overwrites nothing, and the ledger stays right: what
// is not shown is at the end alone, or it is the CR of CRLF.
func TestFileHasNoProgress(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"a", "\r", "\r\n", "\n", "\r\r\n", "word ", strings.Repeat("x", 3000), "é",
		}), 0, 60).Draw(t, "text"), "")
		b := preview.Budget{
			Tokens: rapid.IntRange(0, 2000).Draw(t, "tokens"), Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 500,
			BeforeTokens: rapid.IntRange(0, 4).Draw(t, "before"), BeforeBytes: 3,
		}
		p := preview.FromFile([]byte(text), 500).Select(b, tokens.Estimate(), preview.Hints{HeadPercent: 100})
		at := int64(0)
		for i, s := range p.Segments {
			if s.ByteStart != at {
				t.Fatalf("segment %d begins at %d, and not at %d", i, s.ByteStart, at)
			}
			at = s.ByteEnd
		}
		for _, c := range p.Cuts {
			if c.Kind == preview.CutProgress || c.Kind == preview.CutMiddle && (c.ByteStart != at || c.ByteEnd != p.Bytes) {
				t.Fatalf("%+v, and %d bytes are shown", c, at)
			}
		}
		if p.Bytes != int64(len(text)) || !textscan.Sanitised(p.Text) {
			t.Fatalf("%+v", p)
		}
		shown := p.Text
		if len(p.Cuts) == 0 && strings.ReplaceAll(shown, "␍", "\r") != text {
			t.Fatalf("%q is shown as %q", text, shown)
		}
	})
}
