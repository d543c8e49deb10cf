package mcp_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// buildLog is the output of a failed build.
func buildLog() string {
	var b strings.Builder
	for i := range 20_000 {
		if i == 9_000 {
			b.WriteString("main.go:7:2: undefined: x\n")
		}
		fmt.Fprintf(&b, "compiling %d\n", i)
	}
	return b.String()
}

// logged is the structured result of a tool.
type logged struct {
	Log string `json:"log"`
}

// named is the argument of a tool.
type named struct {
	Region string `json:"region,omitempty"`
}

// newServer returns a server of the SDK with three tools on a page.
func newServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, &mcp.ServerOptions{PageSize: 3, HasResources: true})
	mcp.AddTool(s, &mcp.Tool{Name: "build"}, func(context.Context, *mcp.CallToolRequest, named) (*mcp.CallToolResult, logged, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: buildLog()}}}, logged{buildLog()}, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "small"}, func(_ context.Context, _ *mcp.CallToolRequest, n named) (*mcp.CallToolResult, logged, error) {
		return nil, logged{"small " + n.Region}, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "picture"}, func(context.Context, *mcp.CallToolRequest, named) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{
			&mcp.TextContent{Text: buildLog()}, &mcp.ImageContent{MIMEType: "image/png", Data: []byte("picture")},
			&mcp.ResourceLink{URI: "file:///x", Name: "x"}, &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///y", Text: "embedded"}},
		}, IsError: true}, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "progress"}, func(ctx context.Context, r *mcp.CallToolRequest, _ named) (*mcp.CallToolResult, any, error) {
		for i := range 4 {
			err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i)})
			if err != nil {
				return nil, nil, err
			}
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "ask"}, func(ctx context.Context, r *mcp.CallToolRequest, _ named) (*mcp.CallToolResult, any, error) {
		made, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 10, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "?"}}}})
		if err != nil {
			return nil, nil, err
		}
		given, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "who?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}})
		if err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: made.Content.(*mcp.TextContent).Text + " " + fmt.Sprint(given.Content["name"])}}}, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "grow"}, func(context.Context, *mcp.CallToolRequest, named) (*mcp.CallToolResult, any, error) {
		mcp.AddTool(s, &mcp.Tool{Name: "grown"}, func(context.Context, *mcp.CallToolRequest, named) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{}, nil, nil
		})
		return &mcp.CallToolResult{Content: []mcp.Content{}}, nil, nil
	})
	return s
}

var handle = regexp.MustCompile(`toolresult_read\(result="([0-9a-z]+)"\)`)

// TestSDK runs a client of the SDK through the proxy to a server of the SDK, in each version of the protocol that has it, on
// standard input and output and on streamable HTTP.
func TestSDK(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run("stdio@"+version, func(t *testing.T) {
			t.Parallel()
			s, e := connect(t, "--", os.Args[0])
			checkTools(t, s, version)
			if version < "2026" { // later versions ask in another way
				checkServerAsks(t, s, e)
			}
		})
		t.Run("http@"+version, func(t *testing.T) {
			t.Parallel()
			server := newServer()
			h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)}))
			t.Cleanup(h.Close) // after the session
			s, e := connect(t, "--url", h.URL)
			checkTools(t, s, version)
			if version < "2026" {
				checkServerAsks(t, s, e)
			}
		})
	}
}

// checkTools checks what the proxy promises of tools and their results.
func checkTools(t *testing.T, s *mcp.ClientSession, version string) {
	t.Helper()
	var names []string
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if tool.OutputSchema != nil {
			t.Errorf("%s has a schema of what results do not have", tool.Name)
		}
		names = append(names, tool.Name)
	}
	if got := strings.Join(names, " "); got != "ask build grow picture progress small toolresult_read" {
		t.Errorf("the tools are %s", got)
	}
	small := call(t, s, "small", map[string]any{"region": "x"})
	if text(small) != `{"log":"small x"}` || fmt.Sprint(small.StructuredContent) != "map[log:small x]" {
		t.Errorf("a small result is %s, %v", text(small), small.StructuredContent)
	}
	built := call(t, s, "build", nil)
	got := text(built)
	m := handle.FindStringSubmatch(got)
	if m == nil || !strings.Contains(got, "main.go:7:2: undefined: x") || len(got) > 10_000 || built.StructuredContent != nil || built.IsError {
		t.Fatalf("the receipt has %d bytes: %.1000s", len(got), got)
	}
	if slice := text(call(t, s, "toolresult_read", map[string]any{"result": m[1], "match": "undefined", "context": 1})); !strings.Contains(slice, "undefined: x") || !strings.Contains(slice, "compiling 8999") {
		t.Errorf("the slice is %s", slice)
	}
	links := 0
	for _, c := range built.Content {
		if link, ok := c.(*mcp.ResourceLink); ok {
			links++
			read, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: link.URI})
			if err != nil || !strings.Contains(read.Contents[0].Text, "compiling 15000") {
				t.Errorf("%s: %v", link.URI, err)
			}
		}
	}
	if (links > 0) != (version >= "2025-06-18") {
		t.Errorf("%d links in version %s", links, version)
	}
	picture := call(t, s, "picture", nil)
	kinds := ""
	for _, c := range picture.Content {
		kinds += fmt.Sprintf("%T ", c)
	}
	if !strings.HasPrefix(kinds, "*mcp.TextContent *mcp.ImageContent *mcp.ResourceLink *mcp.EmbeddedResource ") || !picture.IsError || len(text(picture)) > 10_000 {
		t.Errorf("the content is %s, %d bytes of text, an error: %v", kinds, len(text(picture)), picture.IsError)
	}
}

// checkServerAsks checks that what a server asks and notes passes.
func checkServerAsks(t *testing.T, s *mcp.ClientSession, e events) {
	t.Helper()
	if got := text(call(t, s, "progress", nil)); got != "done" {
		t.Error(got)
	}
	for i := range 4 {
		if got := wait(t, e.progress); got != fmt.Sprint(i) {
			t.Errorf("progress %d is %s", i, got)
		}
	}
	if got := text(call(t, s, "ask", nil)); got != "sampled elicited" {
		t.Errorf("the server was answered %q", got)
	}
	call(t, s, "grow", nil)
	wait(t, e.changes)
}
