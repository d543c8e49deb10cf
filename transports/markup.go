package transports

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// The tags of the text fallback. Source: "Native Tool Result Format".
const (
	resultOpen, resultClose = "<tool_result>", "</tool_result>"
	callOpen, callClose     = "<tool_call>", "</tool_call>"
)

// mark is what a chat template or the text fallback takes for the end of a text or the
// beginning of another: our tags and those of models that write calls as text, however
// they are spaced and in any case, and the control tokens of the templates in use.
var mark = regexp.MustCompile(`\A([<＜﹤\[])(\\*)(` + strings.Join([]string{
	`(?i:\s*/?\s*tool_?(?:result|call|response)s?\b)`, // ours, and the tags of Hermes and Qwen
	`[|｜][\pL\pN_▁][\pL\pN_▁ ]{0,40}[|｜]>`,            // <|im_start|>, <|eot_id|>, <｜Assistant｜>
	`(?:start|end)_of_turn>`,                          // Gemma
	`/?(?:s|bos|eos)>`,                                // Llama 2, Mistral, Gemma
	`</?SYS>>`,                                        // Llama 2
	`/?(?:INST|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|SYSTEM_PROMPT|TOOL_CONTENT)\]`, // Llama 2, Mistral
}, "|") + `)`)

const (
	brackets  = "<[＜﹤"
	mayFollow = `\/ |｜<tTsSeEbBiIaA` + "\t\n\v\f\r" // what a mark may have behind its bracket
)

// breakMarks writes text so that no mark is left in it: with a backslash behind the
// bracket, and one more where there is one.
func breakMarks(text string) string {
	return eachMark(text, func(bracket, backslashes, rest string) string { return bracket + `\` + backslashes + rest })
}

// eachMark writes text with every mark as it is told. Nearly all brackets are none of a
// mark; what stands behind them says so before the expression is asked.
func eachMark(text string, write func(bracket, backslashes, rest string) string) string {
	var b strings.Builder
	done := 0
	for at := 0; ; {
		next := strings.IndexAny(text[at:], brackets)
		if next < 0 {
			break
		}
		at += next
		_, size := utf8.DecodeRuneInString(text[at:])
		behind, _ := utf8.DecodeRuneInString(text[at+size:])
		if !strings.ContainsRune(mayFollow, behind) {
			at += size
			continue
		}
		m := mark.FindStringSubmatch(text[at:])
		if m == nil {
			at += size
			continue
		}
		b.WriteString(text[done:at] + write(m[1], m[2], m[3]))
		at += len(m[0])
		done = at
	}
	if done == 0 {
		return text
	}
	return b.String() + text[done:]
}
