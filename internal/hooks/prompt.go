package hooks

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPrompt bounds the focus of a prompt, in bytes.
const maxPrompt = 8 << 10

// Prompt reads the payload of a hook that a host runs when its user has written a prompt, and
// returns what the agent looks for then; ok is false for other payloads. It is "" if the prompt
// names nothing, as in "yes, go on": the agent then goes on to look for what it looked for before.
// Of a long prompt it has the beginning and the end, which is where a question is.
func Prompt(payload []byte) (focus string, ok bool) {
	var p object
	if json.Unmarshal(payload, &p) != nil {
		return "", false
	}
	prompt, has := p["prompt"]
	switch p.str("hook_event_name") {
	case "UserPromptSubmit", "BeforeAgent":
	case "": // Copilot CLI, and our plugins
		_, tool := p["toolName"]
		if _, result := p["toolResult"]; !has || tool || result {
			return "", false
		}
	default:
		return "", false
	}
	var text string
	if json.Unmarshal(prompt, &text) != nil || namesNothing(text) {
		return "", true
	}
	return ends(strings.ToValidUTF8(strings.TrimSpace(text), "\ufffd"), maxPrompt), true
}

// namesNothing reports whether a prompt has fewer than three words, all of them of letters.
func namesNothing(prompt string) bool {
	letters := func(r rune) bool { return unicode.IsLetter(r) || strings.ContainsRune(",.!?'", r) }
	words := strings.Fields(prompt)
	for _, w := range words {
		inner := strings.TrimRight(w, ",.!?")
		if strings.TrimFunc(w, letters) != "" || strings.ContainsFunc(inner, unicode.IsPunct) {
			return false
		}
	}
	return len(words) < 3
}

// ends returns a text of at most limit bytes: text itself, or its first and its last half on lines
// of their own.
func ends(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	half := (limit - 1) / 2
	first, last := half, len(text)-half
	for !utf8.RuneStart(text[first]) {
		first--
	}
	for !utf8.RuneStart(text[last]) {
		last++
	}
	return text[:first] + "\n" + text[last:]
}
