// Package markup has the tags by which results and calls are written as text, for models without native calls, and
// breaks everything in a tool's text that could be taken for such a tag or for a control token of a chat template.
package markup

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// The tags of the text fallback. Source: "Native Tool Result Format".
const (
	ResultOpen, ResultClose = "<tool_result>", "</tool_result>"
	CallOpen, CallClose     = "<tool_call>", "</tool_call>"
)

// mark matches what a chat template or the text fallback takes for the end of one text or the beginning of another: our
// tags and those of models that write calls as text, however they are spaced and in any case, and the control tokens of
// the templates in use. Its groups are the bracket, the backslashes after it, and the rest.
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
	mayFollow = `\/ |｜<tTsSeEbBiIaA` + "\t\n\v\f\r" // the characters that can follow the bracket of a mark
)

// Break returns text without marks: each gets a backslash after its bracket, and one more if it has some already, so that
// two texts that differ never become the same.
func Break(text string) string {
	return eachMark(text, func(bracket, backslashes, rest string) string { return bracket + `\` + backslashes + rest })
}

// eachMark returns text with every mark replaced. Nearly no bracket in a tool's text begins a mark, so the character after
// it is compared with a set before the slower expression runs.
func eachMark(text string, replace func(bracket, backslashes, rest string) string) string {
	var b strings.Builder
	done := 0
	for at := 0; ; {
		next := strings.IndexAny(text[at:], brackets)
		if next < 0 {
			break
		}
		at += next
		_, size := utf8.DecodeRuneInString(text[at:])
		following, _ := utf8.DecodeRuneInString(text[at+size:])
		if !strings.ContainsRune(mayFollow, following) {
			at += size
			continue
		}
		m := mark.FindStringSubmatch(text[at:])
		if m == nil {
			at += size
			continue
		}
		b.WriteString(text[done:at] + replace(m[1], m[2], m[3]))
		at += len(m[0])
		done = at
	}
	if done == 0 {
		return text
	}
	return b.String() + text[done:]
}

// Result writes the result of a function between its tags. The text must not contain marks.
func Result(name, text string) string {
	return ResultOpen + "\n" + name + ":\n" + text + "\n" + ResultClose
}
