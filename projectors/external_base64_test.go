package projectors_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func noise(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*i>>3 ^ i)
	}
	return b
}

func TestBase64IsLifted(t *testing.T) {
	std, url := base64.StdEncoding.EncodeToString(noise(1000)), base64.RawURLEncoding.EncodeToString(noise(1001))
	for _, c := range []struct {
		name, text, want string
		lifted           int
	}{
		{"a run", "a " + std + " b", "a [attachment 1: base64 data, 1000 bytes] b", 1},
		{"the other alphabet", url, "[attachment 1: base64 data, 1001 bytes]", 1},
		{"a data URI", `<img src="data:image/png;charset=x;base64,` + std + `">`, `<img src="[attachment 1: image/png, 1000 bytes]">`, 1},
		{"two", std + "," + std, "[attachment 1: base64 data, 1000 bytes],[attachment 2: base64 data, 1000 bytes]", 2},
		{"a short run", std[:1023], std[:1023], 0},
		{"no data URI before it", "data: ;base64," + std, "data: ;base64,[attachment 1: base64 data, 1000 bytes]", 1},
		{"a rule", strings.Repeat("A-", 900), strings.Repeat("A-", 900), 0},
		{"hexadecimal", strings.Repeat("0aF9", 300), strings.Repeat("0aF9", 300), 0},
		{"what does not decode", url + "xx", url + "xx", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := newCaller()
			quoted := `"` + strings.ReplaceAll(strings.ReplaceAll(c.text, `"`, `\"`), "/", `\/`) + `"`
			got, err := home.mcp(content(`{"type":"text","text":` + quoted + `}`))
			if err != nil {
				t.Fatal(err)
			}
			r := got.GetExternalMcp()
			if r.GetTextPreview() != c.want || len(r.GetAttachments()) != c.lifted || (r.SourceArtifact != nil) != (c.lifted > 0) {
				t.Errorf("%d attachments, %q", len(r.GetAttachments()), r.GetTextPreview())
			}
			other, err := home.json(`{"key":` + quoted + `}`)
			if err != nil {
				t.Fatal(err)
			}
			shown := other.GetExternalJson().GetStructuredPreview()
			if strings.Contains(shown, "[attachment 1: ") != (c.lifted > 0) || c.lifted == 0 && !strings.Contains(shown, quoted) {
				t.Errorf("%q", shown)
			}
		})
	}
}

// Whatever is lifted is in an artifact, and what is around it stays.
func TestLiftingLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text, want strings.Builder
		var blobs []string
		for i := range rapid.IntRange(0, 6).Draw(t, "pieces") {
			words := rapid.SampledFrom([]string{" ", "\n", "word = ", "data:image/png;base64,", "\"", "== ", ","}).Draw(t, "words")
			text.WriteString(words + " ")
			want.WriteString(words + " ")
			if i%2 == 0 {
				blob := noise(rapid.IntRange(780, 2000).Draw(t, "n"))
				blobs = append(blobs, string(blob))
				text.WriteString(base64.StdEncoding.EncodeToString(blob) + "\t")
				want.WriteString("[]\t")
			}
		}
		home := newCaller()
		quoted := strings.NewReplacer("\n", `\n`, "\t", `\t`, `"`, `\"`).Replace(text.String())
		got, err := home.mcp(content(`{"type":"text","text":"` + quoted + `"}`))
		if err != nil {
			t.Fatal(err)
		}
		r := got.GetExternalMcp()
		if len(r.GetAttachments()) != len(blobs) {
			t.Fatalf("%d of %d are lifted from %q", len(r.GetAttachments()), len(blobs), text.String())
		}
		shown := r.GetTextPreview()
		for i, a := range r.GetAttachments() {
			if home.read(t, a.GetArtifact().GetPath()) != blobs[i] {
				t.Fatalf("attachment %d is not what was there", i+1)
			}
			from := strings.Index(shown, "[attachment")
			shown = shown[:from] + "[]" + shown[from+strings.IndexByte(shown[from:], ']')+1:]
		}
		if shown != want.String() {
			t.Fatalf("shows %q, want %q", shown, want.String())
		}
	})
}
