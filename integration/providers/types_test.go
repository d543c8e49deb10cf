package providers_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// messageTypes are the SDKs' own for messages that their users hold as JSON: the package, what
// it exports, and the type. The SDK of Amazon takes bytes for base64, that of Mistral
// has other names of members: what they send is checked, not what they are given.
var messageTypes = map[string]struct{ imported, from, messages string }{
	"anthropic_messages": {"Anthropic", "@anthropic-ai/sdk", "Anthropic.MessageParam[]"},
	"gemini":             {"{ Content }", "@google/genai", "Content[]"},
	"ollama":             {"{ Message }", "ollama", "Message[]"},
	"openai_chat":        {"OpenAI", "openai", "OpenAI.Chat.ChatCompletionMessageParam[]"},
	"openai_responses":   {"OpenAI", "openai", "OpenAI.Responses.ResponseInputItem[]"},
}

// checkTypes lets the TypeScript compiler check turns against the types of the SDKs for
// JavaScript: each is a file with a constant.
func checkTypes(t *testing.T, node string, jobs []job, table *table) {
	t.Helper()
	dir := filepath.Join(node, "types")
	err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755))
	files := map[string]*job{}
	for i := range jobs {
		j := &jobs[i]
		of, typed := messageTypes[j.Provider]
		if !typed || j.Kind != turns {
			continue
		}
		name := strings.ReplaceAll(j.ID, "/", ".") + ".ts"
		files[name] = j
		source := "import type " + of.imported + " from '" + of.from + "';\n" +
			"export const messages: " + of.messages + " = " + text(j.Messages) + ";\n"
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(source), 0o644))
	}
	options := `{"compilerOptions": {"strict": true, "noEmit": true, "skipLibCheck": true, "module": "nodenext", "types": []}}`
	if err = errors.Join(err, os.WriteFile(filepath.Join(dir, "tsconfig.json"), []byte(options), 0o644)); err != nil {
		t.Fatal(err)
	}
	_, err = output(t.Context(), dir, nil, "node", "../node_modules/typescript/bin/tsc", "--pretty", "false", "--project", ".")
	faults := map[string]string{}
	if err != nil {
		for _, fault := range regexp.MustCompile(`(?m)^([^\s(]+\.ts)\(.*(\n .*)*`).FindAllStringSubmatch(err.Error(), -1) {
			faults[fault[1]] += fault[0] + "\n"
		}
		if len(faults) == 0 {
			t.Fatal(err)
		}
	}
	for name, j := range files {
		n := table.typed[j.Provider]
		if n == nil {
			n = &count{}
			table.typed[j.Provider] = n
		}
		n.all++
		t.Run("typescript/"+j.ID, func(t *testing.T) {
			if faults[name] != "" {
				t.Error(faults[name])
				return
			}
			n.ok++
		})
	}
}
