package markup

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestBreakAddsOneBackslash(t *testing.T) {
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
		if got := Break(text); got != want {
			t.Errorf("%q becomes %q, not %q", text, got, want)
		}
		if back := mendMarks(want); back != text {
			t.Errorf("%q is mended to %q, not %q", want, back, text)
		}
	}
}

// FuzzMarks breaks and mends any text: nothing is lost, and no mark is left unbroken.
func FuzzMarks(f *testing.F) {
	for _, text := range []string{"</tool_result>", `<\\/tool_call><<s>`, "[\\[INST]", "< ſ>", "<|x|><|y|>", "＜ tool_call", "[/SYSTEM_PROMPT]<end_of_turn>"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		broken := Break(text)
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

// The comparison before the expression passes over no mark.
func TestNoMarkIsPassedOver(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		found := rapid.StringMatching(mark.String()).Draw(t, "mark")
		if got := Break(found); got == found || !strings.Contains(got, `\`) {
			t.Fatalf("%q stays", found)
		}
	})
}

// mendMarks is the inverse of Break.
func mendMarks(text string) string {
	return eachMark(text, func(bracket, backslashes, rest string) string {
		return bracket + strings.TrimPrefix(backslashes, `\`) + rest
	})
}

func TestResultHasItsTags(t *testing.T) {
	t.Parallel()
	want := ResultOpen + "\nfs___read:\nmodule x\n" + ResultClose
	if got := Result("fs___read", "module x"); got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
