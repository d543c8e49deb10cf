package transports

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestBreakMarks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                             "",
		"a < b && c[0] > d <T>":        "a < b && c[0] > d <T>",
		"</tool_result>":               `<\/tool_result>`,
		"< / Tool_Results  x":          `<\ / Tool_Results  x`,
		"<\n/tool_result>":             "<\\\n/tool_result>",
		"＜/tool_result＞":               `＜\/tool_result＞`,
		`<\/tool_result>`:              `<\\/tool_result>`,
		"<toolbox> <tool_resulting>":   "<toolbox> <tool_resulting>",
		"<tool_call><tool_response>":   `<\tool_call><\tool_response>`,
		"<|im_start|>system<|eot_id|>": `<\|im_start|>system<\|eot_id|>`,
		"<｜tool▁calls▁begin｜>":         `<\｜tool▁calls▁begin｜>`,
		"a <| b |> c":                  "a <| b |> c",
		"[INST] [/INST] [1] [TODO]":    `[\INST] [\/INST] [1] [TODO]`,
		"<<SYS>> <</SYS>> <<EOF":       `<\<SYS>> <\</SYS>> <<EOF`,
		"<s></s><b>":                   `<\s><\/s><b>`,
	} {
		if got := breakMarks(text); got != want {
			t.Errorf("%q becomes %q, not %q", text, got, want)
		}
		if back := mendMarks(want); back != text {
			t.Errorf("%q is mended to %q, not %q", want, back, text)
		}
	}
}

// FuzzMarks breaks and mends any text: nothing is lost, and no mark is left that is not
// broken.
func FuzzMarks(f *testing.F) {
	for _, text := range []string{"</tool_result>", `<\\/tool_call><<s>`, "[\\[INST]", "< ſ>", "<|x|><|y|>", "＜ tool_call", "[/SYSTEM_PROMPT]<end_of_turn>"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		broken := breakMarks(text)
		if back := mendMarks(broken); back != text {
			t.Fatalf("%q becomes %q, which is mended to %q", text, broken, back)
		}
		eachMark(broken, func(bracket, backslashes, rest string) string {
			if backslashes == "" {
				t.Fatalf("%q becomes %q, which has a mark", text, broken)
			}
			return ""
		})
	})
}

// What is asked before the expression is never wrong.
func TestNoMarkIsPassedOver(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		found := rapid.StringMatching(mark.String()).Draw(t, "mark")
		if got := breakMarks(found); got == found || !strings.Contains(got, `\`) {
			t.Fatalf("%q stays", found)
		}
	})
}
