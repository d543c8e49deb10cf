package pipeline_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"google.golang.org/protobuf/encoding/prototext"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/memory"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/redact"
)

// printed is the output of a command.
func printed(text string) *pb.CompleteToolOutput {
	return &pb.CompleteToolOutput{ToolName: "T", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_Command{
		Command: &pb.CommandOutput{Stdout: servertest.Inline([]byte(text)), ExitStatus: new(int32(0))}}}
}

// fetched is a page.
func fetched(contentType, body string) *pb.CompleteToolOutput {
	return &pb.CompleteToolOutput{ToolName: "T", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_WebFetch{
		WebFetch: &pb.WebFetchOutput{Url: "https://example.org/", Status: 200, ContentType: contentType, Body: servertest.Inline([]byte(body))}}}
}

// answered is the text of an MCP server.
func answered(text string) *pb.CompleteToolOutput {
	return &pb.CompleteToolOutput{ToolName: "T", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_ExternalMcp{
		ExternalMcp: &pb.ExternalMcpOutput{Server: "s", Result: servertest.Inline(fmt.Appendf(nil, `{"content":[{"type":"text","text":%q}]}`, text))}}}
}

// seams are ways to hide a secret that our own transforms undo.
func seams() map[string]func(secret string) *pb.CompleteToolOutput {
	in := func(secret, seam string) string { return secret[:9] + seam + secret[9:] }
	entities := func(secret string) (b string) {
		for _, c := range secret {
			b += fmt.Sprintf("&#%d;", c)
		}
		return b
	}
	wide := func(text string) string {
		b := []byte{0xff, 0xfe}
		for _, u := range utf16.Encode([]rune(text)) {
			b = append(b, byte(u), byte(u>>8))
		}
		return string(b)
	}
	filler := strings.Repeat("The quick brown fox, number 7, jumps over 13 lazy dogs. ", 30)
	return map[string]func(secret string) *pb.CompleteToolOutput{
		"zero width space": func(s string) *pb.CompleteToolOutput { return printed("x " + in(s, "\u200b") + " y\n") },
		"word joiner":      func(s string) *pb.CompleteToolOutput { return printed("x " + in(s, "\u2060") + " y\n") },
		"direction":        func(s string) *pb.CompleteToolOutput { return printed("x " + in(s, "\u202e") + " y\n") },
		"colour":           func(s string) *pb.CompleteToolOutput { return printed("x " + in(s, "\x1b[31m") + " y\n") },
		"in a long output": func(s string) *pb.CompleteToolOutput {
			return printed("x " + in(s, "\u200b") + " y\n" + strings.Repeat(filler+"\n", 200))
		},
		"entities": func(s string) *pb.CompleteToolOutput { return fetched("text/html", "<p>token "+entities(s)+" end</p>") },
		"tags": func(s string) *pb.CompleteToolOutput {
			return fetched("text/html", "<p>token "+in(html.EscapeString(s), "<b></b>")+" end</p>")
		},
		"comment": func(s string) *pb.CompleteToolOutput {
			return fetched("text/html", "<p>token "+in(html.EscapeString(s), "<!-- -->")+" end</p>")
		},
		"UTF-16": func(s string) *pb.CompleteToolOutput {
			return fetched("text/plain; charset=utf-16", wide("token "+s+" end"))
		},
		"zero width space by MCP": func(s string) *pb.CompleteToolOutput { return answered("x " + in(s, "\u200b") + " y") },
		"base64 that is lifted": func(s string) *pb.CompleteToolOutput {
			return answered(base64.StdEncoding.EncodeToString([]byte(filler + s + " " + filler)))
		},
		"data URI": func(s string) *pb.CompleteToolOutput {
			return answered("see data:text/plain;base64," + base64.StdEncoding.EncodeToString([]byte(filler+s+" "+filler)))
		},
	}
}

// TestNothingDerivedShowsASecret hides registered values and tokens of a known form behind each seam: neither the result, nor the
// receipt, nor anything that is stored shows one.
func TestNothingDerivedShowsASecret(t *testing.T) {
	t.Parallel()
	for kind, secret := range map[string]string{"token": "ghp_" + "1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ", "value": "Tr0ub4dor&3<correct>horse"} {
		for name, hide := range seams() {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := newHarness(t).with(t, func(p *servertest.Options) {
					if _, err := p.Secrets.Register("s", []redact.Secret{{Name: "db", Value: []byte("Tr0ub4dor&3<correct>horse")}}); err != nil {
						t.Fatal(err)
					}
				})
				resp, err := s.Project(t.Context(), &pb.ProjectRequest{
					Output: hide(secret), Call: &pb.CallReference{SessionId: "s", CallId: "c"},
					Policy: &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 1500}}},
				})
				if err != nil {
					t.Fatal(err)
				}
				parts := []string{secret, html.EscapeString(secret)}
				for where, text := range shownAndStored(t, resp, s.Store) {
					for _, part := range parts {
						if strings.Contains(text, part) {
							t.Errorf("%s shows it:\n%.600s", where, text)
						}
					}
				}
			})
		}
	}
}

// shownAndStored is all that a projection leaves.
func shownAndStored(t *testing.T, resp *pb.ProjectResponse, store *memory.Store) map[string]string {
	all := map[string]string{"receipt": resp.GetReceipt().GetText(), "canonical": prototext.Format(resp.GetCanonical())}
	err := store.Walk(t.Context(), func(a artifactstore.StoredArtifact) error {
		r, err := store.Open(context.Background(), a.Name)
		if err != nil {
			return err
		}
		defer r.Close()
		content, err := io.ReadAll(r)
		all["artifact "+a.Name] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
