package dialect

import (
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// A name that is replaced keeps what fits and is a word of its own; it must never change, because transcripts have it.
func TestReplacedNamesKeepTheirBeginning(t *testing.T) {
	t.Parallel()
	openAI := OpenAINames
	g := gemini()
	for _, c := range []struct {
		pattern    Pattern
		name, want string
	}{
		{openAI, "read", "read"}, {openAI, "run command", "run_command_"}, {openAI, "é", "___"}, {openAI, "", "_"},
		{openAI, strings.Repeat("a", 65), strings.Repeat("a", 56) + "_"}, {openAI, strings.Repeat("a", 64), strings.Repeat("a", 64)},
		{g.Names, "1 a", "_1_a_"}, {g.Names, "-a", "_-a_"}, {g.Names, "a/b", "a_b_"}, {g.Names, "_a", "_a"},
		{g.Names, strings.Repeat("1", 80), "_" + strings.Repeat("1", 55) + "_"},
	} {
		got := c.pattern.FunctionName(c.name)
		exact := got == c.want
		if !exact && (!strings.HasPrefix(got, c.want) || len(got) != len(c.want)+6) || exact != c.pattern.Accepts(c.name) {
			t.Errorf("%q became %q, want %q", c.name, got, c.want)
		}
	}
}

// tool returns the message of a result, with blocks behind it.
func tool(r Result, behind ...Block) Message {
	return Message{Role: RoleTool, Blocks: append([]Block{{Result: &r}}, behind...)}
}

// The JSON of each provider for results with and without media and notices, as its reference has it.
func TestResultsAreWrittenAsDocumented(t *testing.T) {
	t.Parallel()
	image := &pb.Media{MediaType: "image/png", Source: &pb.Media_Data{Data: []byte("xyz")}}
	pdf := &pb.Media{MediaType: "application/pdf", Name: "a.pdf", Source: &pb.Media_Data{Data: []byte("xyz")}}
	plain := Result{ID: "c1", Name: "read", Text: "x"}
	with := func(m ...*pb.Media) Result { return Result{ID: "c1", Text: "x", Media: m} }
	for _, c := range []struct {
		provider pb.Provider
		message  Message
		want     string
	}{
		{pb.Provider_PROVIDER_MISTRAL, tool(plain), `[{"role":"tool","tool_call_id":"c1","name":"read","content":"x"}]`},
		{pb.Provider_PROVIDER_MISTRAL, tool(Result{ID: "c1", Text: "x"}), `[{"role":"tool","tool_call_id":"c1","content":"x"}]`},
		{pb.Provider_PROVIDER_MISTRAL, tool(plain, TextBlock("n")),
			`[{"role":"tool","tool_call_id":"c1","name":"read","content":[{"type":"text","text":"x"},{"type":"text","text":"n"}]}]`},
		{pb.Provider_PROVIDER_OLLAMA, tool(plain, TextBlock("n")), `[{"role":"tool","tool_name":"read","content":"x"},{"role":"user","content":"n"}]`},
		{pb.Provider_PROVIDER_OPENAI_CHAT, Message{Role: RoleTool}, `[]`},
		{pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, tool(plain), `[{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"x"}]}]`},
		{pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, tool(Result{ID: "c1", Text: "x", Failed: true}),
			`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"x","is_error":true}]}]`},
		{pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, tool(with(image, pdf)),
			`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"x"},` +
				`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"eHl6"}},` +
				`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"eHl6"},"title":"a.pdf"}]}]}]`},
		{pb.Provider_PROVIDER_OPENAI_RESPONSES, tool(plain), `[{"type":"function_call_output","call_id":"c1","output":"x"}]`},
		{pb.Provider_PROVIDER_OPENAI_RESPONSES, tool(with(image, pdf)),
			`[{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"x"},` +
				`{"type":"input_image","image_url":"data:image/png;base64,eHl6"},` +
				`{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,eHl6"}]}]`},
	} {
		d, _ := Lookup(c.provider)
		if got := string(rawjson.Array(d.Shape.Write(c.message))); got != c.want {
			t.Errorf("%v: %s\nwant %s", c.provider, got, c.want)
		}
	}
}

// Empty content says nothing beside calls alone: a message that is empty stays so.
func TestEmptyContentIsKeptWithoutCalls(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"role":"assistant","content":""}`:                                                                    `assistant: ""`,
		`{"role":"assistant","content":"","tool_calls":[]}`:                                                    `assistant: ""tool_calls is an empty list`,
		`{"role":"assistant","content":"","tool_calls":[{"id":"c","function":{"name":"a","arguments":"{}"}}]}`: `assistant: call(c a {})`,
	} {
		o, err := rawjson.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		d, _ := Lookup(pb.Provider_PROVIDER_OPENAI_CHAT)
		if got := describe(d.Shape.Read(o)); got != want {
			t.Errorf("%s is read as %s", text, got)
		}
	}
}
