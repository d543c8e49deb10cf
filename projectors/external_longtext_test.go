package projectors_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// A log in JSON is shown as the text that it is, wherever a tool puts it, and the data around it beside it.
func TestLongTextInJSON(t *testing.T) {
	t.Parallel()
	log := strings.Repeat("compiling\n", 2000) + "main.go:7:2: undefined: x\n" + strings.Repeat("linking\n", 2000)
	data, err := json.Marshal(map[string]any{"log": log, "code": 2})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(string(data))
	if err != nil {
		t.Fatal(err)
	}
	const around = `{"code":2,"log":"[shown as text: 4001 lines, 36026 bytes]"}`
	block := `{"type":"text","text":` + string(text) + `}`
	for name, result := range map[string]string{
		"text":            content(block),
		"structured":      `{"content":[],"structuredContent":` + string(data) + `}`,
		"both":            `{"content":[` + block + `],"structuredContent":` + string(data) + `}`,
		"structured more": `{"content":[{"type":"text","text":"done"}],"structuredContent":` + string(data) + `}`,
	} {
		got, err := newCaller().mcp(result)
		if err != nil {
			t.Fatal(name, err)
		}
		r := got.GetExternalMcp()
		if name == "structured more" { // it has a text of its own
			if r.GetTextPreview() != "done" || strings.Contains(r.GetStructuredPreview(), "shown as text") {
				t.Errorf("%s: %q, %q", name, r.GetTextPreview(), r.GetStructuredPreview())
			}
			continue
		}
		if !strings.Contains(r.GetTextPreview(), "\nmain.go:7:2: undefined: x\n") || strings.TrimSpace(r.GetStructuredPreview()) != around || r.SourceArtifact == nil {
			t.Errorf("%s: %q, %q", name, r.GetTextPreview(), r.GetStructuredPreview())
		}
	}
	failed, err := newCaller().mcp(`{"content":[` + block + `],"isError":true}`)
	if err != nil {
		t.Fatal(err)
	}
	if e := failed.GetError(); !strings.Contains(e.String(), "undefined: x") || !strings.Contains(e.String(), "shown as text: 4001 lines") {
		t.Errorf("%v", e)
	}
	other, err := newCaller().json(string(data))
	if err != nil {
		t.Fatal(err)
	}
	if r := other.GetExternalJson(); !strings.Contains(r.GetTextPreview(), "undefined: x") || strings.TrimSpace(r.GetStructuredPreview()) != around {
		t.Errorf("%q, %q", r.GetTextPreview(), r.GetStructuredPreview())
	}
}
