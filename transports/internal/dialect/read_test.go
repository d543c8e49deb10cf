package dialect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// describe writes a message in short: its role and its blocks.
func describe(m Message) string {
	var b strings.Builder
	b.WriteString([]string{"other", "user", "assistant", "tool"}[m.Role] + ":")
	for _, block := range m.Blocks {
		switch {
		case block.Call != nil:
			c := block.Call
			fmt.Fprintf(&b, " call(%s %s %s)", c.ID, c.Name, c.Arguments)
			if c.Custom {
				b.WriteString("custom")
			}
		case block.Result != nil:
			r := block.Result
			fmt.Fprintf(&b, " result(%s %s %s)", r.ID, r.Name, r.Text)
			if r.Failed {
				b.WriteString("failed")
			}
		case block.Text != nil:
			fmt.Fprintf(&b, " %q", *block.Text)
		default:
			b.WriteString(" kept")
		}
	}
	return b.String() + m.Flaw
}

// The messages of each provider's reference, and those that its SDKs and other runtimes write.
func TestReadMessagesOfProviders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		provider   pb.Provider
		text, want string
	}{
		{pb.Provider_PROVIDER_OPENAI_CHAT, `{"role":"system","content":"x"}`, `other: "x"`},
		{pb.Provider_PROVIDER_OPENAI_CHAT, `{"role":"user","content":[{"type":"text","text":"x"},{"type":"image_url","image_url":{}}]}`, `user: "x" kept`},
		{pb.Provider_PROVIDER_OPENAI_CHAT, `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"a","arguments":"{}"}}]}`, `assistant: call(c1 a {})`},
		{pb.Provider_PROVIDER_OPENAI_CHAT, `{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"custom","custom":{"name":"a","input":"x y"}}]}`, `assistant: call(c1 a x y)custom`},
		{pb.Provider_PROVIDER_OPENAI_CHAT, `{"role":"assistant","content":"x","tool_calls":null}`, `assistant: "x"`},
		{pb.Provider_PROVIDER_OPENAI_CHAT, `{"role":"assistant","content":"x","tool_calls":[]}`, `assistant: "x"tool_calls is an empty list`},
		{pb.Provider_PROVIDER_OPENAI_CHAT, `{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}`, `tool: result(c1  x)`},
		{pb.Provider_PROVIDER_OPENAI_CHAT, `{"role":"tool","tool_call_id":"c1"}`, `tool: result(c1  )`},
		{pb.Provider_PROVIDER_MISTRAL, `{"role":"tool","tool_call_id":"c1","name":"a","content":"x"}`, `tool: result(c1 a x)`},
		{pb.Provider_PROVIDER_OLLAMA, `{"role":"assistant","content":"","tool_calls":[{"function":{"name":"a","arguments":{"x":1.10}}}]}`, `assistant: call( a {"x":1.10})`},
		{pb.Provider_PROVIDER_OLLAMA, `{"role":"tool","tool_name":"a","content":"x"}`, `tool: result( a x)`},
		{pb.Provider_PROVIDER_OPENAI_RESPONSES, `{"role":"user","content":"x"}`, `user: "x"`},
		{pb.Provider_PROVIDER_OPENAI_RESPONSES, `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]}`, `assistant: "x"`},
		{pb.Provider_PROVIDER_OPENAI_RESPONSES, `{"type":"function_call","call_id":"c1","name":"a","arguments":"{}"}`, `assistant: call(c1 a {})`},
		{pb.Provider_PROVIDER_OPENAI_RESPONSES, `{"type":"custom_tool_call","call_id":"c1","name":"a","input":"x"}`, `assistant: call(c1 a x)custom`},
		{pb.Provider_PROVIDER_OPENAI_RESPONSES, `{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"x"}]}`, `tool: result(c1  x)`},
		{pb.Provider_PROVIDER_OPENAI_RESPONSES, `{"type":"reasoning","id":"rs_1","summary":[]}`, `other:`},
		{pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, `{"role":"user","content":"x"}`, `user: "x"`},
		{pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, `{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"x"},{"type":"tool_use","id":"t1","name":"a","input":{"n":1}}]}`, `assistant: kept "x" call(t1 a {"n":1})`},
		{pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"text","text":"x"}]},{"type":"image","source":{}}]}`, `user: result(t1  x)failed kept`},
		{pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1"}]}`, `user: result(t1  )`},
		{pb.Provider_PROVIDER_GEMINI, `{"role":"model","parts":[{"text":"t","thought":true},{"text":"","thoughtSignature":"s"},{"text":"x"},{"functionCall":{"name":"a"}}]}`, `assistant: kept kept "x" call( a {})`},
		{pb.Provider_PROVIDER_GEMINI, `{"role":"function","parts":[{"functionResponse":{"id":"c1","name":"a","response":{"output":"x"}}},{"functionResponse":{"name":"b","response":{"error":"y"}}}]}`, `user: result(c1 a x) result( b y)failed`},
		{pb.Provider_PROVIDER_BEDROCK_CONVERSE, `{"role":"assistant","content":[{"reasoningContent":{}},{"text":"x"},{"toolUse":{"toolUseId":"t1","name":"a","input":{}}}]}`, `assistant: kept "x" call(t1 a {})`},
		{pb.Provider_PROVIDER_BEDROCK_CONVERSE, `{"role":"user","content":[{"toolResult":{"toolUseId":"t1","status":"error","content":[{"json":{}},{"text":"x"}]}},{"cachePoint":{}}]}`, `user: result(t1  x)failed kept`},
	} {
		d, _ := Lookup(c.provider)
		o, err := rawjson.Parse([]byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if got := describe(d.Shape.Read(o)); got != c.want {
			t.Errorf("%v: %s is read as %s, not %s", c.provider, c.text, got, c.want)
		}
	}
}

// Ids and names at the edges of what each provider documents.
func TestPatternsAcceptWhatIsDocumented(t *testing.T) {
	t.Parallel()
	n := func(length int) string { return strings.Repeat("a", length) }
	for _, c := range []struct {
		provider        pb.Provider
		ids, badIDs     []string
		names, badNames []string
	}{
		{pb.Provider_PROVIDER_OPENAI_CHAT, []string{"call.1", n(40)}, []string{"", "a b", "é", n(41)}, []string{"a-b_1", n(64)}, []string{"", "a.b", n(65)}},
		{pb.Provider_PROVIDER_OPENAI_RESPONSES, []string{n(64)}, []string{n(65)}, []string{n(64)}, []string{"a b"}},
		{pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, []string{"toolu_1-a", n(256)}, []string{"a.b", n(257)}, []string{n(128)}, []string{n(129), "a.b"}},
		{pb.Provider_PROVIDER_GEMINI, []string{"a.b:c"}, []string{"a\tb"}, []string{"_a.b:c-1", n(64)}, []string{"1a", "-a", n(65), "a/b"}},
		{pb.Provider_PROVIDER_BEDROCK_CONVERSE, []string{"a.b:c-_", n(64)}, []string{"a/b", n(65)}, []string{"a-b_1"}, []string{"a.b"}},
		{pb.Provider_PROVIDER_MISTRAL, []string{"aB3456789"}, []string{"12345678", "1234567890", "12345678_"}, []string{"a-b_1"}, []string{"a.b"}},
		{pb.Provider_PROVIDER_CHAT, []string{n(256)}, []string{n(257)}, []string{"a___b"}, []string{"a b"}},
	} {
		d, _ := Lookup(c.provider)
		check := func(p Pattern, texts []string, want bool) {
			for _, text := range texts {
				if p.Accepts(text) != want {
					t.Errorf("%v: %.20q of %d bytes: %v", c.provider, text, len(text), !want)
				}
			}
		}
		check(d.IDs, c.ids, true)
		check(d.IDs, c.badIDs, false)
		check(d.Names, c.names, true)
		check(d.Names, c.badNames, false)
	}
}

// callsAndResults counts the calls and the results among blocks.
func callsAndResults(blocks []Block) string {
	calls, results := 0, 0
	for _, b := range blocks {
		if b.Call != nil {
			calls++
		}
		if b.Result != nil {
			results++
		}
	}
	return fmt.Sprintf("%d calls and %d results", calls, results)
}

// FuzzRead reads any object as a message of every provider. Written again, it has the same calls and results.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		`{"role":"assistant","content":[1,null,"x"],"tool_calls":[7,{}]}`, `{"role":"assistant","tool_calls":[{}]}`, `{"role":"user","content":[{"type":"text"},{"functionCall":{"args":[]}}]}`,
		`{"type":"function_call_output","output":{}}`, `{"role":"model","parts":[{"functionResponse":{"response":{"error":{}}}}]}`, `{"role":"tool","content":[{"toolResult":{}}]}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := rawjson.Parse([]byte(text))
		if err != nil {
			return
		}
		for _, d := range All() {
			m := d.Shape.Read(o)
			if slices.ContainsFunc(m.Blocks, func(b Block) bool { return b.Text == nil && b.Call == nil && b.Result == nil && b.Original == nil }) {
				continue // package transcript rejects it
			}
			var again []Block
			for _, written := range d.Shape.Write(m) {
				o, err := rawjson.Parse(written.Raw())
				if err != nil {
					t.Fatalf("%v: %s is written as %s", d.Provider, text, written.Raw())
				}
				again = append(again, d.Shape.Read(o).Blocks...)
			}
			if got, want := callsAndResults(again), callsAndResults(m.Blocks); got != want {
				t.Fatalf("%v: %s has %s, and %s when it is written again", d.Provider, text, want, got)
			}
		}
	})
}
