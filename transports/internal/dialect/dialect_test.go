package dialect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/jsonspan"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// goldenName returns the name of the golden files of a provider.
func (d *Dialect) goldenName() string {
	return strings.ToLower(strings.TrimPrefix(d.Provider.String(), "PROVIDER_"))
}

// A message that was read and not changed is written as it was.
func TestWriteIsTheInverseOfRead(t *testing.T) {
	t.Parallel()
	for _, d := range All() {
		for _, format := range []string{".json", ".text.json"} {
			paths, err := filepath.Glob("../../testdata/turns/*/" + d.goldenName() + format)
			if err != nil || len(paths) < 10 {
				t.Fatalf("%v: only %d files, %v", d.Provider, len(paths), err)
			}
			for _, path := range paths {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				for source := range jsonspan.Elements(text) {
					checkRoundTrip(t, &d, path, source)
				}
			}
		}
	}
}

func checkRoundTrip(t *testing.T, d *Dialect, path string, source json.RawMessage) {
	t.Helper()
	o, err := rawjson.Parse(source)
	if err != nil {
		t.Fatal(err)
	}
	m := d.Shape.Read(o)
	if len(m.Blocks) == 0 {
		return // an item of its own, whose source is kept
	}
	written := d.Shape.Write(m)
	if len(written) != 1 || string(written[0].Raw()) != string(o.Raw()) {
		t.Errorf("%s: (-read +written)\n%s", path, cmp.Diff(string(o.Raw()), string(rawjson.Array(written))))
	}
}

// A call, its result and a text are read as they were written, by every provider.
func TestReadUnderstandsWhatWasWritten(t *testing.T) {
	t.Parallel()
	for _, d := range All() {
		call := Call{ID: "call_1234", Name: "fs___read", Arguments: `{"a":1.10}`}
		if d.NoIDs {
			call.ID = ""
		}
		result := Result{ID: call.ID, Name: call.Name, Text: "<b> \"é\"\n", Failed: d.ErrorFlag}
		var blocks []Block
		for _, o := range d.Shape.Write(Message{Role: RoleAssistant, Blocks: []Block{TextBlock("I look."), {Call: &call}}}) {
			blocks = append(blocks, d.Shape.Read(o).Blocks...)
		}
		if len(blocks) != 2 || blocks[0].Text == nil || *blocks[0].Text != "I look." || blocks[1].Call == nil || *blocks[1].Call != call {
			t.Errorf("%v: the model's message is read as %v", d.Provider, blocks)
		}
		blocks = nil
		for _, o := range d.Shape.Write(Message{Role: RoleTool, Blocks: []Block{{Result: &result}}}) {
			blocks = append(blocks, d.Shape.Read(o).Blocks...)
		}
		if len(blocks) != 1 || blocks[0].Result == nil {
			t.Fatalf("%v: the result is read as %v", d.Provider, blocks)
		}
		got := blocks[0].Result
		if got.Text != result.Text || got.ID != result.ID || got.Failed != result.Failed || got.Name != "" && got.Name != result.Name {
			t.Errorf("%v: the result is read as %+v", d.Provider, got)
		}
	}
}

// Media that a dialect shows have their bytes, URL or file id in the message: in the result or behind it.
func TestShownMediaAreWritten(t *testing.T) {
	t.Parallel()
	types := []string{"image/png", "image/gif", "image/svg+xml", "application/pdf", "audio/wav", "video/mp4", "text/plain"}
	for _, d := range All() {
		shown := 0
		for _, mediaType := range types {
			for want, m := range map[string]*pb.Media{
				"eHl6":            {Source: &pb.Media_Data{Data: []byte("xyz")}},
				"https://x.org/a": {Source: &pb.Media_Url{Url: "https://x.org/a"}},
				"s3://bucket/a":   {Source: &pb.Media_Url{Url: "s3://bucket/a"}},
				"file_1234":       {Source: &pb.Media_FileId{FileId: "file_1234"}, Name: "dir/a b.pdf"},
			} {
				m.MediaType = mediaType
				if !d.Shows(m) {
					continue
				}
				shown++
				message := Message{Role: RoleUser, Blocks: []Block{{Media: m, Label: "Image of x"}}}
				if d.Media == MediaInside {
					message = Message{Role: RoleTool, Blocks: []Block{{Result: &Result{ID: "call_1234", Name: "x", Text: "Image of x", Media: []*pb.Media{m}}}}}
				}
				text := string(rawjson.Array(d.Shape.Write(message)))
				if !json.Valid([]byte(text)) || !strings.Contains(text, want) || !strings.Contains(text, "Image of x") {
					t.Errorf("%v: %v is written as %s", d.Provider, m, text)
				}
			}
		}
		if none := d.Provider == pb.Provider_PROVIDER_CHAT; none != (shown == 0) {
			t.Errorf("%v shows %d media", d.Provider, shown)
		}
	}
}

// Replacements of ids and names are accepted, stay the same, and differ where the originals do.
func TestReplacementsAreAcceptedAndDiffer(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-zA-Z0-9_.:\-]{1,200}`), rapid.SampledFrom([]string{"", "call_1", "9x", "_", "é"}))
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(All()).Draw(t, "dialect")
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		first, again, other := d.Names.FunctionName(a), d.Names.FunctionName(a), d.Names.FunctionName(b)
		if first != again || (a != b) != (first != other) {
			t.Fatalf("%q and %q become %q, %q and %q", a, b, first, again, other)
		}
		if name := d.Names.FunctionName(a); !d.Names.Accepts(name) || d.Names.FunctionName(name) != name {
			t.Fatalf("%q becomes %q", a, name)
		}
		if d.NoIDs {
			return
		}
		used := map[string]bool{}
		first, second, third := d.IDs.UniqueID(a, used), d.IDs.UniqueID(a, used), d.IDs.UniqueID(b, used)
		if !d.IDs.Accepts(first) || !d.IDs.Accepts(second) || !d.IDs.Accepts(third) || len(used) != 3 {
			t.Fatalf("%q twice and %q become %q, %q, %q", a, b, first, second, third)
		}
		if d.IDs.Accepts(a) && first != a {
			t.Fatalf("%q becomes %q", a, first)
		}
	})
}

func TestChecksNameTheField(t *testing.T) {
	t.Parallel()
	c := envelope.NewChecker("")
	CheckProvider(c, pb.Provider_PROVIDER_UNSPECIFIED)
	CheckProvider(c, 99)
	CheckFormat(c, 99)
	CheckFormat(c, pb.ToolCallFormat_TOOL_CALL_FORMAT_TEXT)
	CheckCount(c, "list", 3, 2)
	CheckCount(c, "list", 2, 2)
	invalid, ok := c.Err().(*envelope.InvalidError)
	if !ok {
		t.Fatal(c.Err())
	}
	var got []string
	for _, v := range invalid.Violations {
		got = append(got, v.Field+": "+v.Message)
	}
	want := []string{
		"provider: is required", "provider: has the value 99, which this version does not know",
		"format: has the value 99, which this version does not know", "list: has 3 elements, at most 2 are allowed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if d := CheckProvider(c, pb.Provider_PROVIDER_GEMINI); d.Provider != pb.Provider_PROVIDER_GEMINI {
		t.Errorf("the dialect is that of %v", d.Provider)
	}
}

func TestArgumentsProblemIsAPhrase(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":1}`: "", "{}": "", `[1]`: "the text of the arguments is no JSON object", "": "the text of the arguments is ",
		`{"a":1,"a":2}`: "the arguments", strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100): "the",
	} {
		got := ArgumentsProblem(text)
		if (got == "") != (want == "") || !strings.HasPrefix(got, want) {
			t.Errorf("%.40s: %q", text, got)
		}
	}
}

func TestLimitsOfImagesAndDocuments(t *testing.T) {
	t.Parallel()
	l := Limits{Image: Limit{1, 2}, Document: Limit{3, 4}}
	if l.Of(true) != (Limit{1, 2}) || l.Of(false) != (Limit{3, 4}) {
		t.Errorf("%v", l)
	}
}

// A document has a name that its provider accepts, whatever the tool named it.
func TestDocumentsHaveNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		"": {"document.pdf", "document"}, "a/b c.pdf": {"b c.pdf", "b-c"}, "é.txt": {"é.txt", "--txt"},
	} {
		m := &pb.Media{MediaType: "application/pdf", Name: name}
		if got := [2]string{fileName(m), documentName(m)}; got != want {
			t.Errorf("%q: %q, not %q", name, got, want)
		}
	}
}
