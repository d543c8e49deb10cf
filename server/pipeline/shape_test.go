package pipeline_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// issues is a JSON list, on one line or as a person would write it.
func issues(n int, indented bool) []byte {
	list := make([]map[string]any, n)
	for i := range list {
		list[i] = map[string]any{"number": i, "title": fmt.Sprintf("Issue number %d", i), "state": "open", "body": strings.Repeat("It does not work. ", 9)}
	}
	text, err := json.Marshal(list)
	if indented {
		text, err = json.MarshalIndent(list, "", "\t")
	}
	if err != nil {
		panic(err)
	}
	return text
}

// shaped generates payloads whose structure lies in their middle, of up to some windows, and JSON.
func shaped() *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		n := rapid.IntRange(1, 900).Draw(t, "n")
		var b bytes.Buffer
		for i := range n {
			switch kind := rapid.SampledFrom([]string{"diff", "search", "listing", "table"}).Draw(t, "kind"); {
			case i > 0 && b.Bytes()[0] == 'd' || i == 0 && kind == "diff":
				fmt.Fprintf(&b, "diff --git a/f%d b/f%d\n--- a/f%d\n+++ b/f%d\n@@ -1 +1,2 @@\n same\n+more %d\n", i, i, i, i, i)
			case i > 0 && b.Bytes()[0] == 's' || i == 0 && kind == "search":
				fmt.Fprintf(&b, "src/f%d.go:%d:\tfound\n", i%40, i+1)
			case i > 0 && b.Bytes()[0] == '.' || i == 0 && kind == "listing":
				fmt.Fprintf(&b, "./dir%d/file%d.go\n", i%30, i)
			case i == 0:
				b.WriteString("NAME        READY   STATUS    AGE\n")
			default:
				fmt.Fprintf(&b, "web-%-7d 1/1     Running   5d\n", i)
			}
		}
		switch rapid.IntRange(0, 5).Draw(t, "JSON") {
		case 0:
			return issues(n, false)
		case 1:
			return issues(n, true)
		case 2:
			return issues(n, true)[:b.Len()/2%len(issues(n, true))]
		}
		return b.Bytes()
	})
}

// The shape of a payload, and the form in which it is shown, do not depend on how it was received.
func TestShapesAreTheSameInStreams(t *testing.T) {
	h := newHarness(t)
	for _, family := range []string{"command", "task_output"} {
		t.Run(family, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				payload := &pb.Payload{Source: &pb.Payload_Inline{Inline: shaped().Draw(t, "payload")}}
				out := &pb.CompleteToolOutput{ToolName: "SomeTool", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS}
				if family == "command" {
					out.Result = &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
						Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32(0)), Stdout: payload,
					}}
				} else {
					out.Result = &pb.CompleteToolOutput_TaskOutput{TaskOutput: &pb.TaskOutputOutput{
						RetrievalStatus: pb.TaskRetrieval_TASK_RETRIEVAL_SUCCESS, Output: payload,
						Task: &pb.TaskSnapshot{TaskId: "t", Status: pb.TaskStatus_TASK_STATUS_COMPLETED},
					}}
				}
				policy := &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: &pb.Budget{
					MaxTokens: rapid.SampledFrom([]uint32{200, 1000, 4000}).Draw(t, "tokens"),
				}}}
				want, err := h.Project(t.Context(), &pb.ProjectRequest{Output: out, Policy: policy})
				if err != nil {
					t.Fatal(err)
				}
				answers, err := h.Stream(t.Context(), h.requestsOf(t, family, out, policy))
				if err != nil {
					t.Fatal(err)
				}
				if len(answers) != 1 || !proto.Equal(want, answers[0].GetResult()) {
					t.Fatalf("%d answers\n%s", len(answers), cmp.Diff(want, answers[0].GetResult(), protocmp.Transform()))
				}
			})
		})
	}
}

// JSON that does not fit, and records, are shown in a readable form, and both forms can be read: the readable one as the artifact of
// the field, to which marks and lines refer, and the payload as it was received.
func TestJSONOfACommandIsReadable(t *testing.T) {
	h := newHarness(t)
	for name, c := range map[string]struct {
		text  []byte
		shape pb.PayloadShape
	}{
		"records on one line": {issues(300, false), pb.PayloadShape_PAYLOAD_SHAPE_ROWS}, "indented records": {issues(300, true), pb.PayloadShape_PAYLOAD_SHAPE_ROWS},
		"few bytes, many tokens": {[]byte("[" + strings.Repeat(`{"n":7,"title":"a"},`, 170) + `1]`), pb.PayloadShape_PAYLOAD_SHAPE_JSON}, // shown as it was received first
	} {
		t.Run(name, func(t *testing.T) {
			text := c.text
			for _, keep := range []pb.ArtifactPolicy{pb.ArtifactPolicy_ARTIFACT_POLICY_UNSPECIFIED, pb.ArtifactPolicy_ARTIFACT_POLICY_ALWAYS} {
				resp, err := h.Project(t.Context(), &pb.ProjectRequest{
					Output: &pb.CompleteToolOutput{ToolName: "gh", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
						Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32(0)),
						Stdout: &pb.Payload{Source: &pb.Payload_Inline{Inline: text}},
					}}},
					Policy: &pb.ProjectionPolicy{ArtifactPolicy: keep, Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 1000}}},
				})
				if err != nil {
					t.Fatal(err)
				}
				got := resp.GetCanonical().GetCommand()
				source := got.GetStdoutSource()
				if source.GetShape() != c.shape || source.OriginalArtifact == nil || got.StdoutArtifact == nil {
					t.Fatalf("%v: %v", keep, source)
				}
				readable := h.Content(t, got.GetArtifacts()[got.GetStdoutArtifact()].GetPath())
				content := h.Content(t, got.GetArtifacts()[source.GetOriginalArtifact()].GetPath())
				if !bytes.Equal(content, text) || uint64(len(readable)) != source.GetBytes() || json.Valid(readable) || len(got.GetArtifacts()) != 2 {
					t.Errorf("%v: %d and %d bytes, %v", keep, len(content), len(readable), got.GetArtifacts())
				}
				if n := strings.Count(got.GetStdoutPreview(), "\n"); n < 9 {
					t.Errorf("%d lines in\n%s", n, got.GetStdoutPreview())
				}
			}
		})
	}
}

// A payload in UTF-16 is shown as text, whatever its size is: secrets in it are masked, and it is stored as it was received.
func TestUTF16IsText(t *testing.T) {
	h := newHarness(t)
	token := "ghp_" + "1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ"
	for name, text := range map[string]string{
		"short": "token=" + token + "\r\nError: not found\r\n",
		"long":  strings.Repeat("übersetze eine Datei\r\n", 2000) + "token=" + token + "\r\nFehler: Datei nicht gefunden\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			var wide []byte
			for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
				wide = append(wide, byte(u), byte(u>>8))
			}
			resp, err := h.Project(t.Context(), &pb.ProjectRequest{
				Output: &pb.CompleteToolOutput{ToolName: "pwsh", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
					Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32(1)),
					Stdout: &pb.Payload{Source: &pb.Payload_Inline{Inline: wide}},
				}}},
				Policy: &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 300}}},
			})
			if err != nil {
				t.Fatal(err)
			}
			got := resp.GetCanonical().GetCommand()
			source := got.GetStdoutSource()
			if source.GetEncoding() != pb.TextEncoding_TEXT_ENCODING_UTF8 || source.OriginalArtifact == nil || got.StdoutArtifact == nil {
				t.Fatalf("%v", source)
			}
			lines := strings.Split(strings.TrimSpace(text), "\r\n")
			if shown := got.GetStdoutPreview(); !strings.Contains(shown, lines[len(lines)-1][:10]) || strings.Contains(shown, token[4:]) {
				t.Errorf("%q", shown)
			}
			decoded := string(h.Content(t, got.GetArtifacts()[got.GetStdoutArtifact()].GetPath()))
			if len(decoded) != len(text) || strings.Contains(decoded, token[4:]) || strings.Count(decoded, "\n") != strings.Count(text, "\n") {
				t.Errorf("%d bytes of %d are stored: %q", len(decoded), len(text), decoded[:min(len(decoded), 100)])
			}
			if original := h.Content(t, got.GetArtifacts()[source.GetOriginalArtifact()].GetPath()); !bytes.Equal(original, wide) {
				t.Errorf("%d bytes of %d of the original are stored", len(original), len(wide))
			}
		})
	}
}

// A display of several rows is shown as a terminal shows it in the end, and both forms can be read.
func TestDisplayShowsItsLastState(t *testing.T) {
	h := newHarness(t)
	var b strings.Builder
	for i := range 100 {
		if i > 0 {
			b.WriteString("\x1b[3A")
		}
		fmt.Fprintf(&b, "[+] Running %d/2\x1b[K\n \x1b[33m⠿\x1b[0m Container db  %d%%\x1b[K\n \x1b[33m⠿\x1b[0m Container api  %d%%\x1b[K\n", i/50, i, i)
	}
	b.WriteString("Error response from daemon: port is already allocated\n")
	want := "[+] Running 1/2\n ⠿ Container db  99%\n ⠿ Container api  99%\nError response from daemon: port is already allocated\n"
	resp, err := h.Project(t.Context(), &pb.ProjectRequest{
		Output: &pb.CompleteToolOutput{ToolName: "docker", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32(1)),
			Stdout: &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(b.String())}},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := resp.GetCanonical().GetCommand()
	source := got.GetStdoutSource()
	if got.GetStdoutPreview() != want || source.GetOriginalLines() != 301 || source.OriginalArtifact == nil {
		t.Fatalf("%q\n%v", got.GetStdoutPreview(), source)
	}
	if !strings.Contains(resp.GetReceipt().GetText(), "301 lines drawn by the program") {
		t.Errorf("%s", resp.GetReceipt().GetText())
	}
	if original := h.Content(t, got.GetArtifacts()[source.GetOriginalArtifact()].GetPath()); string(original) != b.String() {
		t.Errorf("%d bytes of the original are stored", len(original))
	}
}

// A payload that is read twice, here as UTF-16 and then as JSON, has the size that its tool wrote.
func TestSizeBehindTwoReadings(t *testing.T) {
	h := newHarness(t)
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "{\"id\": %d, \"name\": \"host-%d\", \"state\": \"running\"}\r\n", i, i*7)
	}
	var wide []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + b.String())) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	resp, err := h.Project(t.Context(), &pb.ProjectRequest{
		Output: &pb.CompleteToolOutput{ToolName: "pwsh", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32(0)),
			Stdout: &pb.Payload{Source: &pb.Payload_Inline{Inline: wide}},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := resp.GetCanonical().GetCommand()
	source := got.GetStdoutSource()
	if source == nil || source.OriginalArtifact == nil {
		t.Fatalf("%v", source)
	}
	if source.GetOriginalBytes() != uint64(len(wide)) || source.GetOriginalLines() != 400 {
		t.Errorf("the original has %d bytes and %d lines, and %d and 400 were written", source.GetOriginalBytes(), source.GetOriginalLines(), len(wide))
	}
	if original := h.Content(t, got.GetArtifacts()[source.GetOriginalArtifact()].GetPath()); !bytes.Equal(original, wide) {
		t.Errorf("%d bytes of the original are stored", len(original))
	}
}

// Long base64 in a text that does not fit gives its place to other lines; what was asked for stays, and so does all that fits.
func TestBase64IsLifted(t *testing.T) {
	h := newHarness(t)
	data := make([]byte, 9000)
	for i, x := 0, uint32(7); i < len(data); i++ {
		x = x*1664525 + 1013904223
		data[i] = byte(x >> 24)
	}
	run := base64.StdEncoding.EncodeToString(append([]byte("\x89PNG\r\n\x1a\n"), data...))
	page := "<h1>Orders</h1>\n<img src=\"data:image/png;base64," + run + "\">\n" + strings.Repeat("<p>an order was shipped</p>\n", 9)
	for name, c := range map[string]struct {
		text   string
		tokens uint32
		lifted bool
	}{
		"page": {page, 400, true}, "page that fits": {page, 40000, false}, "data alone": {run + "\n", 400, false},
	} {
		resp, err := h.Project(t.Context(), &pb.ProjectRequest{
			Output: &pb.CompleteToolOutput{ToolName: "curl", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
				Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32(0)),
				Stdout: &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(c.text)}},
			}}},
			Policy: &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: c.tokens}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		got := resp.GetCanonical().GetCommand()
		stored := got.GetStdoutSource() != nil && got.GetStdoutSource().OriginalArtifact != nil
		if lifted := strings.Contains(got.GetStdoutPreview(), `<img src="[base64 of image/png, 9008 bytes]">`); lifted != c.lifted || lifted != stored {
			t.Errorf("%s: lifted is %t\n%.300s", name, lifted, got.GetStdoutPreview())
		}
		if c.lifted && string(h.Content(t, got.GetArtifacts()[got.GetStdoutSource().GetOriginalArtifact()].GetPath())) != c.text {
			t.Errorf("%s: the original is not stored", name)
		}
	}
}
