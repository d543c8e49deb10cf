package projectors_test

import (
	"context"
	"encoding/base64"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/tokens"
)

// caller projects into a store of its own.
type caller struct{ store *memory.Store }

func newCaller() caller { return caller{memory.New()} }

func (c caller) project(p projectors.Projector, out *pb.CompleteToolOutput) (*pb.CanonicalToolResult, error) {
	out.ToolName, out.Status = "mcp_call", pb.ToolStatus_TOOL_STATUS_SUCCESS
	made, err := p.Project(context.Background(), projectors.Input{
		Output:  out,
		Policy:  projectors.Policy{Budget: envelope.Cost{Tokens: 100_000}, LineBytes: 2000, HeadPercent: 25, Counter: tokens.Estimate()},
		Measure: func(*pb.CanonicalToolResult) (envelope.Receipt, error) { return envelope.Receipt{}, nil },
	}, c.store)
	return made.Canonical, err
}

func (c caller) mcp(json string) (*pb.CanonicalToolResult, error) {
	return c.project(projectors.ExternalMCP(), &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_ExternalMcp{
		ExternalMcp: &pb.ExternalMcpOutput{Server: "s", Result: inline(json)},
	}})
}

func (c caller) json(json string) (*pb.CanonicalToolResult, error) {
	return c.project(projectors.ExternalJSON(), &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_ExternalJson{
		ExternalJson: &pb.ExternalJsonOutput{Server: "s", Result: inline(json)},
	}})
}

func (c caller) read(t failer, path string) string {
	r, err := c.store.Open(context.Background(), path[strings.LastIndexByte(path, '/')+1:])
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return string(content)
}

type failer interface{ Fatalf(string, ...any) }

func content(blocks string) string { return `{"content":[` + blocks + `]}` }

// callToolResults are results of MCP tools and what is shown of them.
var callToolResults = []struct {
	name, json                 string
	text, structured, resource string
	empty, source              bool
	unknown                    string
}{
	{name: "nothing", json: `{}`, empty: true},
	{name: "no content", json: `{"content":null,"isError":false,"structuredContent":null}`, empty: true},
	{name: "empty text", json: content(`{"type":"text","text":""}`)},
	{name: "texts in order", json: content(`{"type":"text","text":"a"},{"type":"text","text":"b\n"}`), text: "a\nb\n"},
	{name: "text that is JSON", json: content(`{"type":"text","text":" {\"b\":1.0,\"a\":[]} "}`), text: " {\"b\":1.0,\"a\":[]} "},
	{name: "two texts that are JSON", json: content(`{"type":"text","text":"{}"},{"type":"text","text":"[]"}`), text: "{}\n[]"},
	{name: "half of a pair", json: content(`{"type":"text","text":"a\ud800b"}`), text: "a\ufffd\ufffd\ufffdb", source: true},
	{name: "half of a pair in JSON", json: `{"structuredContent":{"a":"\ud800","b":"` + strings.Repeat("QUJD", 400) + `\udc00 x"}}`, source: false,
		structured: `{"a":"\ud800","b":"` + strings.Repeat("QUJD", 400) + `\udc00 x"}`},
	{name: "text that is a number", json: content(`{"type":"text","text":"5"}`), text: "5"},
	{
		name: "the same twice", json: `{"content":[{"type":"text","text":"{\"a\":1, \"b\":[1e9]}"}],"structuredContent":{"b":[1e9],"a":1}}`,
		structured: `{"b":[1e9],"a":1}`, source: true,
	},
	{
		name: "a number that is written differently", json: `{"content":[{"type":"text","text":"{\"a\":1.0}"}],"structuredContent":{"a":1}}`,
		text: `{"a":1.0}`, structured: `{"a":1}`,
	},
	{
		name: "wrapped data", json: `{"content":[{"type":"text","text":"[1,2]"}],"structuredContent":{"result":[1, 2]}}`,
		structured: `{"result":[1, 2]}`, source: true,
	},
	{
		name: "wrapped text", json: `{"content":[{"type":"text","text":"a\nb"}],"structuredContent":{"content":"a\nb"}}`,
		text: "a\nb", source: true,
	},
	{name: "no text, and an empty string as data", json: `{"structuredContent":{"a":""}}`, structured: `{"a":""}`},
	{name: "meta", json: `{"content":[{"type":"text","text":"x"}],"_meta":{}}`, text: "x", source: true},
	{name: "meta alone", json: `{"content":[],"_meta":{"cost":3}}`, source: true, unknown: "member _meta"},
	{name: "other members alone", json: `{"result":[1],"nextCursor":"a\nb","toolResult":null}`, source: true, unknown: "member nextCursor; member result"},
	{name: "annotations", json: content(`{"type":"text","text":"x","annotations":{}}`), text: "x", source: true},
	{
		name: "unknown types", json: content(`{"type":"chart"},{"type":"chart"},{"Type":"text","text":"x"},7,{"type":"text","text":5},{"type":"image"},{"type":"resource","resource":{}}`),
		source: true, unknown: "2 of type chart; 2 without a type; 1 of type text; 1 of type image; 1 of type resource",
	},
	{
		name:       "a text for each row of the data",
		json:       `{"content":[{"type":"text","text":"{\"n\":1}"},{"type":"text","text":"{\"n\": 2}"},{"type":"text","text":"three"}],"structuredContent":{"result":[{"n":1},{"n":2},"three"]}}`,
		structured: `{"result":[{"n":1},{"n":2},"three"]}`, source: true,
	},
	{
		name: "texts that are some of the rows", json: `{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"result":[{"n":1},{"n":2}]}}`,
		text: `{"n":1}`, structured: `{"result":[{"n":1},{"n":2}]}`,
	},
	{
		name: "a resource", json: content(`{"type":"resource","resource":{"uri":"x:y","text":"[1,\n2]"}},{"type":"resource","resource":{"uri":"x:z","text":"two"}}`),
		resource: "[1,\n2]",
	},
}

// A result is shown as text and JSON, and its parts are kept as artifacts.
func TestCallToolResult(t *testing.T) {
	for _, c := range callToolResults {
		t.Run(c.name, func(t *testing.T) {
			home := newCaller()
			got, err := home.mcp(c.json)
			if err != nil {
				t.Fatal(err)
			}
			r := got.GetExternalMcp()
			if r.GetTextPreview() != c.text || r.GetStructuredPreview() != c.structured || r.GetResourcePreview() != c.resource {
				t.Errorf("shows %q, %q, %q", r.GetTextPreview(), r.GetStructuredPreview(), r.GetResourcePreview())
			}
			if unknown := strings.Join(r.GetUnknownContent(), "; "); r.GetEmpty() != c.empty || unknown != c.unknown {
				t.Errorf("empty %v, unknown %q", r.GetEmpty(), unknown)
			}
			if n := strings.Count(c.text, "\ufffd"); n > 0 && (r.GetTextSource().GetReplacedBytes() != uint64(n) || home.read(t, r.GetArtifacts()[r.GetTextArtifact()].GetPath()) != "a\xed\xa0\x80b") {
				t.Errorf("halves are not counted and kept: %v", r)
			}
			if (r.SourceArtifact != nil) != c.source {
				t.Fatalf("source artifact %v", r.SourceArtifact)
			}
			if c.source && home.read(t, r.GetArtifacts()[r.GetSourceArtifact()].GetPath()) != c.json {
				t.Error("the source artifact is not what was given")
			}
		})
	}
}

func TestAttachments(t *testing.T) {
	home := newCaller()
	png := base64.StdEncoding.EncodeToString([]byte("\x89PNG bytes"))
	got, err := home.mcp(content(`{"type":"image","mimeType":"image/png","data":"` + png + `"},{"type":"audio","data":"%%"},` +
		`{"type":"resource","resource":{"uri":"a:b","blob":"AAEC"}},{"type":"resource_link","uri":"c:d","name":"n","size":7},{"type":"image","data":""}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"\x89PNG bytes", "%%", "\x00\x01\x02", "", ""}
	list := got.GetExternalMcp().GetAttachments()
	if len(list) != len(want) || got.GetExternalMcp().GetAttachmentsTotal() != 5 {
		t.Fatalf("%v", list)
	}
	for i, a := range list {
		if a.GetNumber() != uint32(i+1) || a.GetUndecoded() != (i == 1) || (a.Artifact != nil) != (want[i] != "") {
			t.Errorf("%v", a)
		}
		if a.Artifact != nil && (home.read(t, a.GetArtifact().GetPath()) != want[i] || a.GetBytes() != uint64(len(want[i]))) {
			t.Errorf("%v", a)
		}
	}
	if list[3].GetBytes() != 7 || list[3].GetUri() != "c:d" {
		t.Errorf("%v", list[3])
	}
}

// Many attachments make few files; their bytes stay in the source.
func TestFilesAreBounded(t *testing.T) {
	home := newCaller()
	json := content(strings.Repeat(`{"type":"image","data":"AAEC"},`, 100) + `{"type":"image","data":"AAEC"}`)
	got, err := home.mcp(json)
	if err != nil {
		t.Fatal(err)
	}
	r, stored := got.GetExternalMcp(), 0
	for _, a := range r.GetAttachments() {
		if a.Artifact != nil {
			stored++
		}
	}
	if stored != 64 || len(r.GetAttachments()) != 101 || home.read(t, r.GetArtifacts()[r.GetSourceArtifact()].GetPath()) != json {
		t.Errorf("%d of %d are stored", stored, len(r.GetAttachments()))
	}
}

func TestReportedErrors(t *testing.T) {
	for _, c := range []struct{ name, json, message, text, details string }{
		{"lines", `{"isError":true,"content":[{"type":"text","text":"no such\nfile"}]}`, "no such", "no such\nfile", ""},
		{"a line", `{"isError":true,"content":[{"type":"text","text":"no such file\n"}]}`, "no such file", "", ""},
		{"no text", `{"isError":true}`, "", "", ""},
		{"invisible text", `{"isError":true,"content":[{"type":"text","text":"\u200b"}]}`, "", "", ""},
		{
			"data", `{"isError":true,"content":[{"type":"text","text":"no"}],"structuredContent":{"code":1e999}}`, "no", "", `{"structuredContent":{"code":1e999}}`,
		},
		{"the same data", `{"isError":true,"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1}}`, `{"a":1}`, "", ""},
		{"meta", `{"isError":true,"content":[{"type":"text","text":"no"}],"_meta":{}}`, "no", "", `{"isError":true,"content":[{"type":"text","text":"no"}],"_meta":{}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := newCaller().mcp(c.json)
			if err != nil {
				t.Fatal(err)
			}
			e := got.GetError()
			if got.GetStatus() != pb.ToolStatus_TOOL_STATUS_ERROR || got.Result != nil || e.GetKind() != "tool_execution_failed" || e.Retryable != nil || e.RecoveryHint != nil {
				t.Errorf("says what nobody said: %v", got)
			}
			if diff := cmp.Diff([]string{c.message, c.text, c.details}, []string{e.GetMessage(), e.GetMessagePreview(), e.GetDetailsJson()}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The line that names the cause stands for a long message, which is kept whole.
func TestReportedTraceback(t *testing.T) {
	long := strings.Repeat("at frame é ", 400) + "\nValueError: the cause"
	home := newCaller()
	got, err := home.mcp(`{"isError":true,"content":[{"type":"text","text":"` + strings.ReplaceAll(long, "\n", `\n`) + `"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	e := got.GetError()
	if e.GetMessage() != "ValueError: the cause" || !strings.HasSuffix(e.GetMessagePreview(), "\nValueError: the cause") {
		t.Errorf("says %q, shows %q", e.GetMessage(), e.GetMessagePreview())
	}
}

// What is no JSON, or no answer of MCP, is shown as the text that it is, and the receipt
// says why.
func TestExternalFallback(t *testing.T) {
	lost := inline("{}")
	lost.SourceLoss = &pb.SourceLoss{LostBytes: 1}
	for name, c := range map[string]struct {
		in     *pb.Payload
		defect pb.JsonDefect
	}{
		"cut off":            {inline(`{"a":[1,`), pb.JsonDefect_JSON_DEFECT_CUT_OFF},
		"cut off in a word":  {inline(`{"a":tru`), pb.JsonDefect_JSON_DEFECT_CUT_OFF},
		"not a number":       {inline(`{"a":NaN}`), pb.JsonDefect_JSON_DEFECT_SYNTAX},
		"two values":         {inline("{}\n{}"), pb.JsonDefect_JSON_DEFECT_SYNTAX},
		"not UTF-8":          {inline("{\"a\":\"\xff\"}"), pb.JsonDefect_JSON_DEFECT_ENCODING},
		"too deep":           {inline(strings.Repeat("[", 65) + strings.Repeat("]", 65)), pb.JsonDefect_JSON_DEFECT_TOO_DEEP},
		"a key twice":        {inline(`{"a":1,"a":1}`), pb.JsonDefect_JSON_DEFECT_DUPLICATE_KEY},
		"an array":           {inline(`[]`), pb.JsonDefect_JSON_DEFECT_SHAPE},
		"null":               {inline(`null`), pb.JsonDefect_JSON_DEFECT_SHAPE},
		"content no array":   {inline(`{"content":{}}`), pb.JsonDefect_JSON_DEFECT_SHAPE},
		"isError no bool":    {inline(`{"isError":"no"}`), pb.JsonDefect_JSON_DEFECT_SHAPE},
		"lost at the source": {lost, pb.JsonDefect_JSON_DEFECT_LOST_BYTES},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := newCaller().project(projectors.ExternalMCP(), &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_ExternalMcp{
				ExternalMcp: &pb.ExternalMcpOutput{Result: c.in},
			}})
			got := r.GetExternalMcp()
			if err != nil || got.GetDefect() != c.defect || got.GetTextPreview() != strings.ToValidUTF8(string(c.in.GetInline()), "\ufffd") || got.GetEmpty() {
				t.Fatalf("%v, %v", r, err)
			}
			receipt, err := renderers.External("external_mcp").Render(r, renderers.Policy{Counter: tokens.Estimate()})
			if err != nil || strings.Count(receipt.Text, "\nShown as text: ") != 1 {
				t.Errorf("%s, %v", receipt.Text, err)
			}
		})
	}
	if _, err := newCaller().project(projectors.ExternalMCP(), &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_ExternalMcp{
		ExternalMcp: &pb.ExternalMcpOutput{},
	}}); err == nil {
		t.Error("an answer that is not there was accepted")
	}
	r, err := newCaller().mcp("")
	if err != nil || !r.GetExternalMcp().GetEmpty() || r.GetExternalMcp().GetDefect() != 0 {
		t.Errorf("nothing: %v, %v", r, err)
	}
}

// FuzzExternal gives any text for JSON: its result is valid.
func FuzzExternal(f *testing.F) {
	std := base64.StdEncoding.EncodeToString(noise(900))
	for _, seed := range []string{
		`{}`, `[]`, `{"isError":true}`, `{"_meta":{"a":1}}`, `{"structuredContent":{"a":"\ud800"}}`, content(`{"type":"text","text":"{\"a\":\"\ud800\"}"}`), content(`{"type":"text","text":"data:a/b;base64,` + std + `="}`), content(`{"type":"image","data":"A\u0000"},null,[]`),
		content(`{"type":"resource","resource":{"uri":"a","text":"{}","blob":""}}`) + " ", `{"structuredContent":{"a":"` + std + `"},"content":[{"type":"text","text":"` + std + `"}]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		home := newCaller()
		for _, project := range []func(string) (*pb.CanonicalToolResult, error){home.mcp, home.json} {
			got, err := project(text)
			if err != nil {
				t.Fatal(err)
			}
			if err := envelope.ValidateCanonical("", got, nil); err != nil {
				t.Fatalf("%v in %v", err, got)
			}
			if r := got.GetExternalMcp(); r.GetEmpty() && (r.SourceArtifact != nil || len(r.GetArtifacts()) > 0) {
				t.Fatalf("it says that nothing was answered, and has it: %v", r)
			}
		}
	})
}

// Every text of an answer is compared with the structured data, which is read once
// for all of them: reading 3 MB for each of 2,000 texts would take minutes.
func TestManyTextsBesideLargeData(t *testing.T) {
	json := `{"structuredContent":{"k":[` + strings.Repeat(`"some value",`, 250_000) + `1]},` +
		content(strings.Repeat(`{"type":"text","text":"1"},`, 2000) + `{"type":"text","text":"2"}`)[1:]
	done := make(chan error, 1)
	go func() {
		_, err := newCaller().mcp(json)
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("the structured data is read for every text")
	}
}

// A size that is null is none, and not 0 bytes.
func TestLinkWithoutSize(t *testing.T) {
	r, err := newCaller().mcp(content(`{"type":"resource_link","uri":"file:///x","name":"n","size":null}`))
	if err != nil {
		t.Fatal(err)
	}
	if a := r.GetExternalMcp().GetAttachments()[0]; a.Bytes != nil {
		t.Errorf("the size is %d", a.GetBytes())
	}
}

// The bytes of attachments behind the 64th are in the whole answer, so the receipt
// says where that is.
func TestAttachmentsWithoutAnArtifactHaveAHandle(t *testing.T) {
	image := `{"type":"image","data":"YWJj","mimeType":"image/png"}`
	for n, want := range map[int]bool{64: false, 65: true} {
		r, err := newCaller().mcp(content(strings.Repeat(image+",", n-1) + image))
		if err != nil {
			t.Fatal(err)
		}
		receipt, err := renderers.External("external_mcp").Render(r, renderers.Policy{Counter: tokens.Estimate()})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(receipt.Text, "\nWhole answer: "); got != want {
			t.Errorf("%d attachments: %v", n, got)
		}
	}
}

// Of several texts, a scalar that the structured data holds too is not taken for a
// repetition: "5" may be any 5.
func TestScalarTextsStay(t *testing.T) {
	c := newCaller()
	r, err := c.mcp(`{"content":[{"type":"text","text":"5"},{"type":"text","text":"5"},{"type":"text","text":"6"}],"structuredContent":{"ok":5}}`)
	if err != nil || r.GetExternalMcp().GetTextPreview() != "5\n5\n6" || r.GetExternalMcp().GetTextRepeatsStructured() {
		t.Errorf("%v, %v", r, err)
	}
	r, err = c.mcp(`{"content":[{"type":"text","text":"5"}],"structuredContent":{"ok":5}}`)
	if err != nil || r.GetExternalMcp().TextPreview != nil || !r.GetExternalMcp().GetTextRepeatsStructured() {
		t.Errorf("%v, %v", r, err)
	}
	r, err = c.mcp(`{"content":[{"type":"text","text":"half \ud800"}]}`)
	if err != nil || r.GetExternalMcp().SourceArtifact == nil {
		t.Errorf("half of a pair: %v, %v", r, err)
	}
}

// Attachments are listed up to a bound. Those behind it are counted by their type, and are in the artifact of the whole answer.
func TestListedAttachmentsAreBounded(t *testing.T) {
	c := newCaller()
	text := content(strings.Repeat(`{"type":"resource_link","uri":"x:y"},`, 10_003) + `{"type":"text","text":"the last"}`)
	r, err := c.mcp(text)
	if err != nil {
		t.Fatal(err)
	}
	got := r.GetExternalMcp()
	if u := got.GetUnknownContent(); len(u) != 1 || u[0] != "3 of type resource_link" || got.GetTextPreview() != "the last" {
		t.Errorf("%q is said of further blocks, beside %q", u, got.GetTextPreview())
	}
	if n := got.SourceArtifact; n == nil || c.read(t, got.GetArtifacts()[*n].GetPath()) != text {
		t.Error("the whole answer is in no artifact")
	}
}
