package toolapi_test

import (
	"fmt"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Two tokens that are known by their form.
const (
	token      = "ghp_Zk4mT8qR2vW9xB3nJ7pL6sD1fG5hY0cA8eUw"
	otherToken = "glpat-Xk3mQ8rT2vW9yB4nZ7pL"
)

// TestPagesCutNoHiddenSecret reads lines that are longer than a page, and full of tokens with invisible characters inside: no page
// begins or ends with a part of one.
func TestPagesCutNoHiddenSecret(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for name, seam := range map[string]string{"zero width space": "\u200b", "colour": "\x1b[31m", "keycap": "\ufe0f"} {
		hidden := strings.Join(strings.Split(token, ""), seam)
		for shift := range 12 {
			line := strings.Repeat("x ", shift) + strings.Repeat(hidden+" and some words between ", 60)
			result := d.keep(t, fmt.Sprint("s", shift), line+"\n")
			arguments := map[string]any{"result": result}
			for n := 0; ; n++ {
				resp := d.ask(t, fmt.Sprint("s", shift), &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 300}}, arguments)
				text := resp.GetCanonical().GetText()
				bare := strings.ReplaceAll(text.GetContentPreview(), seam, "")
				for from := 0; from+6 <= len(token); from++ {
					if strings.Contains(bare, token[from:from+6]) {
						t.Fatalf("%s, page %d: %q shows %q", name, n, text.GetContentPreview(), token[from:from+6])
					}
				}
				if !strings.Contains(bare, "some words") {
					t.Errorf("%s, page %d: %q", name, n, bare)
				}
				if text.GetNextPage() == "" {
					break
				}
				arguments["page"] = text.GetNextPage()
			}
		}
	}
}

// TestPagesShowWhatWasStored reads a file that was read without patterns: what looks like a secret in it is shown, and what
// hides one is not, on the same page.
func TestPagesShowWhatWasStored(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	text := "a = " + token + "\nb = " + otherToken[:9] + "\u200b" + otherToken[9:] + "\nc = 3\n"
	resp, err := d.Project(t.Context(), &pb.ProjectRequest{
		Output: &pb.CompleteToolOutput{ToolName: "Read", Result: &pb.CompleteToolOutput_FileRead{FileRead: &pb.FileReadOutput{
			Path: "a.conf", Content: &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(text)}},
		}}},
		Call: &pb.CallReference{SessionId: "s"},
		Policy: &pb.ProjectionPolicy{
			ArtifactPolicy: pb.ArtifactPolicy_ARTIFACT_POLICY_ALWAYS,
			Redaction:      &pb.RedactionPolicy{Patterns: pb.PatternRedaction_PATTERN_REDACTION_OFF},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(resp.GetCanonical().GetFileRead().GetArtifacts()[0].GetPath(), "memory/")
	page := d.ask(t, "s", nil, map[string]any{"result": name}).GetCanonical().GetText().GetContentPreview()
	if !strings.Contains(page, "a = "+token+"\n") || strings.Contains(page, otherToken[9:]) || !strings.Contains(page, "c = 3") {
		t.Errorf("%q", page)
	}
}
