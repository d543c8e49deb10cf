package inspect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
)

// TestBlocksTileTheText draws the texts of every golden result: its blocks cover the lines and the bytes of each text, once and in
// order, and what is drawn is the preview.
func TestBlocksTileTheText(t *testing.T) {
	paths, err := filepath.Glob("../integration/testdata/golden/*/*/canonical.json")
	if err != nil || len(paths) < 200 {
		t.Fatalf("%d golden results, %v", len(paths), err)
	}
	drawn, cuts := 0, 0
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		result, err := envelope.FromJSON(content, "")
		if err != nil {
			continue // of a custom family, which the type of its message is not known of here
		}
		previews := map[string]envelope.Large{}
		large := func(path string, m protoreflect.Message) {
			for _, f := range envelope.LargeFields(m.Descriptor()) {
				if f.Has(m) {
					previews[strings.TrimPrefix(path+"."+f.Name, ".")] = f.Get(m)
				}
			}
		}
		if result.GetError() != nil {
			envelope.Walk("error", result.GetError().ProtoReflect(), large)
		}
		if _, m := envelope.Payload(result); m != nil {
			envelope.Walk("", m, large)
		}
		list := texts(result)
		if len(list) != len(previews) {
			t.Errorf("%s: %d texts are drawn, of %d", path, len(list), len(previews))
		}
		for _, x := range list {
			drawn++
			large := previews[x.Name]
			next, bytes := uint64(1), uint64(0)
			var kept []string
			for _, b := range x.Blocks {
				if b.First > 0 && b.First != next {
					t.Errorf("%s %s: a block begins with line %d, after line %d", path, x.Name, b.First, next-1)
				}
				if b.First > 0 {
					next = b.Last + 1
				}
				bytes += b.Bytes
				if !b.Kept {
					cuts++
				}
				for i, l := range b.Drawn {
					if l.Number != b.First+uint64(i) {
						t.Errorf("%s %s: line %d is drawn as %d", path, x.Name, b.First+uint64(i), l.Number)
					}
					kept = append(kept, textOf(l))
				}
			}
			if next-1 != x.Lines || bytes != x.Bytes {
				t.Errorf("%s %s: blocks have %d of %d lines and %d of %d bytes", path, x.Name, next-1, x.Lines, bytes, x.Bytes)
			}
			if want := strings.TrimSuffix(large.Preview, "\n"); x.Undrawn == 0 && strings.Join(kept, "\n") != want && !strings.Contains(strings.Join(kept, ""), " are not drawn") {
				t.Errorf("%s %s is drawn as\n%q\nand its preview is\n%q", path, x.Name, kept, want)
			}
		}
	}
	if drawn < 200 || cuts < 100 {
		t.Errorf("only %d texts with %d cuts were drawn", drawn, cuts)
	}
}

// textOf returns a line without its gaps.
func textOf(l line) string {
	var b strings.Builder
	for _, p := range l.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}
