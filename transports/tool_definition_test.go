package transports_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports"
	"github.com/toolresult/toolresult/transports/internal/turntest"
)

// TestToolDefinitions compares the definitions with golden files, and every schema with the requirements of the
// provider's reference.
func TestToolDefinitions(t *testing.T) {
	t.Parallel()
	for _, provider := range turntest.Providers() {
		tools, err := transports.ToolDefinitions(provider)
		if err != nil || len(tools) != 1 || tools[0].GetName() != envelope.ReadTool {
			t.Fatalf("%v: %v, %v", provider, tools, err)
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, []byte(tools[0].GetDefinitionJson()), "", "  "); err != nil {
			t.Fatalf("%v: %v", provider, err)
		}
		name := strings.ToLower(strings.TrimPrefix(provider.String(), "PROVIDER_"))
		checkGolden(t, filepath.Join("testdata", "tools", name+".json"), indented.String()+"\n")
		checkDefinition(t, provider, []byte(tools[0].GetDefinitionJson()))
	}
}

// definition has the parts of a definition where each provider's reference has them.
type definition struct {
	Type        string
	Name        string
	Description string
	Strict      *bool
	Parameters  *schema
	InputSchema *schema `json:"input_schema"`
	Function    *definition
	ToolSpec    *struct {
		Name, Description string
		InputSchema       struct{ JSON *schema }
	}
}

type schema struct {
	Type                 string
	Properties           map[string]struct{ Type, Description string }
	Required             []string
	AdditionalProperties *bool
}

func checkDefinition(t *testing.T, provider pb.Provider, text []byte) {
	t.Helper()
	var d definition
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		t.Fatalf("%v: %v", provider, err)
	}
	name, description, s := d.Name, d.Description, d.Parameters
	switch provider {
	case pb.Provider_PROVIDER_OPENAI_CHAT, pb.Provider_PROVIDER_MISTRAL, pb.Provider_PROVIDER_OLLAMA:
		if d.Type != "function" {
			t.Errorf("%v: type %q", provider, d.Type)
		}
		name, description, s = d.Function.Name, d.Function.Description, d.Function.Parameters
	case pb.Provider_PROVIDER_OPENAI_RESPONSES:
		if d.Type != "function" || d.Strict == nil || *d.Strict {
			t.Errorf("%v: type %q, strict %v", provider, d.Type, d.Strict)
		}
	case pb.Provider_PROVIDER_ANTHROPIC_MESSAGES:
		s = d.InputSchema
	case pb.Provider_PROVIDER_BEDROCK_CONVERSE:
		name, description, s = d.ToolSpec.Name, d.ToolSpec.Description, d.ToolSpec.InputSchema.JSON
	}
	object, types := "object", []string{"string", "integer"}
	if provider == pb.Provider_PROVIDER_GEMINI {
		object, types = "OBJECT", []string{"STRING", "INTEGER"}
	}
	if name != envelope.ReadTool || len(description) < 100 || len(description) > 1024 || s == nil || s.Type != object {
		t.Fatalf("%v: %s", provider, text)
	}
	if !slices.Equal(s.Required, []string{"result"}) || (s.AdditionalProperties == nil) != (provider == pb.Provider_PROVIDER_GEMINI) {
		t.Errorf("%v: required %v, additional %v", provider, s.Required, s.AdditionalProperties)
	}
	for _, argument := range []string{"result", "lines", "tail", "match", "context", "pointer", "page"} {
		p, ok := s.Properties[argument]
		if !ok || p.Description == "" || !slices.Contains(types, p.Type) {
			t.Errorf("%v: argument %s is %v", provider, argument, p)
		}
	}
	if len(s.Properties) != 7 {
		t.Errorf("%v: %d arguments", provider, len(s.Properties))
	}
}

// A definition without a known provider is rejected.
func TestToolDefinitionsNeedAProvider(t *testing.T) {
	t.Parallel()
	for _, p := range []pb.Provider{pb.Provider_PROVIDER_UNSPECIFIED, 99} {
		if tools, err := transports.ToolDefinitions(p); err == nil {
			t.Errorf("%v has %v", p, tools)
		}
	}
}
