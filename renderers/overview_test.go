package renderers_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/tokens"
)

// An overview keeps the newest lines that its budget has space for, states how many are
// missing, and asks for few more than fit.
func TestOverviewKeepsNewestLines(t *testing.T) {
	counter := tokens.Estimate()
	for _, budget := range []int{10, 40, 100, 400, renderers.MaxOverview} {
		asked := 0
		got, err := renderers.Overview(200, budget, 0, counter, func(back int) (renderers.Seen, error) {
			asked++
			return renderers.Seen{Text: fmt.Sprintf("ran command number %d: exit code 1", 200-back)}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		shown := strings.Count(got.Text, "ran command")
		if got.Tokens > budget && shown > 0 {
			t.Errorf("%d tokens with a budget of %d", got.Tokens, budget)
		}
		if asked > shown+12 {
			t.Errorf("%d lines are asked for, and %d shown", asked, shown)
		}
		want := "Earlier tool results: 200\nAlready read and run:"
		if shown == 0 {
			want = "Earlier tool results: 200" // a section without text has no title
		} else if shown < 200 {
			want += fmt.Sprintf("\n[…%d:]\nran command number %d:", 201-shown, 201-shown)
		}
		if !strings.HasPrefix(got.Text, want) || shown > 0 && !strings.HasSuffix(got.Text, "number 200: exit code 1") {
			t.Errorf("budget %d:\n%s\nwant\n%s", budget, got.Text, want)
		}
	}
}

func TestOverviewOfFewResultsShowsAll(t *testing.T) {
	got, err := renderers.Overview(2, 1000, 0, tokens.Estimate(), func(back int) (renderers.Seen, error) {
		return renderers.Seen{Text: []string{"new", "old"}[back]}, nil
	})
	if want := "Earlier tool results: 2\nAlready read and run:\nold\nnew"; err != nil || got.Text != want {
		t.Errorf("%q, %v", got.Text, err)
	}
}

func TestOverviewFailsWithItsLines(t *testing.T) {
	broken := errors.New("broken")
	if got, err := renderers.Overview(2, 1000, 0, tokens.Estimate(), func(int) (renderers.Seen, error) { return renderers.Seen{}, broken }); !errors.Is(err, broken) || got.Text != "" {
		t.Errorf("%q, %v", got.Text, err)
	}
	if _, err := renderers.Overview(1, 1000, 0, tokens.Estimate(), func(int) (renderers.Seen, error) { return renderers.Seen{Text: "\x1b[1m"}, nil }); !errors.Is(err, renderers.ErrNotSanitised) {
		t.Errorf("a line with an escape sequence: %v", err)
	}
}

// Equal rounds share the line of the newest, and each result's first name comes before any
// second one.
func TestOverviewFoldsEqualRounds(t *testing.T) {
	history := []renderers.Seen{ // the oldest first
		{Text: "ran make: exit code 2; stdout: /a", Note: " (superseded)", Names: []string{"src/lex.c", "yylex"}},
		{Text: "ran deploy: exit code 0; stdout: /b", Names: []string{"dep-7f3a91", "eu-west-1", "src/lex.c"}},
		{Text: "ran make: exit code 2; stdout: /a", Note: " (superseded)"},
		{Text: "ran make: exit code 2; stdout: /a"},
	}
	seen := func(back int) (renderers.Seen, error) { return history[len(history)-1-back], nil }
	for _, c := range []struct {
		names int
		want  string
	}{
		{0, "ran deploy: exit code 0; stdout: /b\nran make: exit code 2; stdout: /a (3 times)"},
		{16, "ran deploy: exit code 0; stdout: /b; names: dep-7f3a91\nran make: exit code 2; stdout: /a; names: src/lex.c (3 times)"},
		{100, "ran deploy: exit code 0; stdout: /b; names: dep-7f3a91, eu-west-1\nran make: exit code 2; stdout: /a; names: src/lex.c, yylex (3 times)"},
	} {
		got, err := renderers.Overview(len(history), renderers.MaxOverview, c.names, tokens.Estimate(), seen)
		if want := "Earlier tool results: 4\nAlready read and run:\n" + c.want; err != nil || got.Text != want {
			t.Errorf("%d tokens of names: %v\n%s\nwant\n%s", c.names, err, got.Text, want)
		}
	}
}

// The line of a result has its call, its outcome, its handles and what became of it.
func TestMentions(t *testing.T) {
	edited := &pb.Superseded{Cause: pb.SupersededCause_SUPERSEDED_CAUSE_EDITED}
	for _, c := range []struct {
		name, family, payload, subject string
		by                             renderers.Renderer
		superseded                     *pb.Superseded
		want                           string
	}{
		{"command", "command", `{"disposition":"completed","exit_status":1,"command_preview":"go test"}`, "", renderers.Command(), nil, "ran go test: exit code 1"},
		{"command with output", "command", `{"disposition":"completed","exit_status":0,"command_preview":"ls","stdout_preview":"","stdout_truncated":true,"stdout_artifact":0,
			"stdout_source":{"bytes":9,"lines":3},"artifacts":[{"path":"/a"}]}`, "", renderers.Command(), &pb.Superseded{}, "ran ls: exit code 0; stdout: /a (superseded)"},
		{"command without a line", "command", `{"disposition":"timed_out"}`, "", renderers.Command(), nil, "ran a command: timed out"},
		{"task", "command", `{"disposition":"promoted_to_task","command_preview":"serve","task_handle":{"task_id":"t1"}}`, "", renderers.Command(), nil,
			"ran serve: promoted to background task; Task: t1"},
		{"file", "file_read", `{"path":"a.go","first_line":1,"total_lines":1,"content_preview":"a\n"}`, "", renderers.FileRead(), edited, "read a.go (stale: edited later)"},
		{"file that is kept", "file_read", `{"path":"a.go","first_line":1,"content_preview":"","content_truncated":true,"content_artifact":0,"content_source":{"bytes":9,"lines":3},"artifacts":[{"path":"/a"}]}`,
			"", renderers.FileRead(), nil, "read a.go: /a"},
		{"rest of a file", "file_read", `{"path":"a.go","first_line":7,"content_preview":"a\n"}`, "", renderers.FileRead(), nil, "read a.go from line 7"},
		{"range of no line", "file_read", `{"path":"a.go","first_line":7,"range_lines":0,"content_preview":"a\n"}`, "", renderers.FileRead(), nil, "read a.go from line 7"},
		{"range of a file", "file_read", `{"path":"a.go","first_line":7,"range_lines":3,"content_preview":"a\n"}`, "", renderers.FileRead(), nil, "read a.go, lines 7-9"},
		{"one line of a file", "file_read", `{"path":"a.go","first_line":7,"range_lines":1,"content_preview":"a\n"}`, "", renderers.FileRead(), nil, "read a.go, line 7"},
		{"error", "error", `{"kind":"k","message":"m"}`, "", renderers.Error(), nil, "Tool: Tool error k: m"},
		{"subject", "search", `{"query":"x","empty":true,"files_total":0}`, "TODO", renderers.Declared("search"), nil, "Tool TODO: Search found nothing for x"},
		{"subject that the outcome has", "search", `{"query":"x","empty":true,"files_total":0}`, "x", renderers.Declared("search"), nil, "Tool: Search found nothing for x"},
		{"long command", "command", `{"disposition":"completed","exit_status":0,"command_preview":"` + strings.Repeat("é", 200) + `"}`, "", renderers.Command(), nil,
			"ran " + strings.Repeat("é", 115) + "…: exit code 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := renderers.Mention(c.by, canonical(t, c.family, c.payload), renderers.Policy{Counter: tokens.Estimate()}, c.subject, c.superseded)
			if got.Text+got.Note != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}
