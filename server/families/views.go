package families

import (
	"slices"
	"strings"
	"unicode"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors/profile"
)

// ViewTokens is the default budget of the receipt of a view, in tokens: of what an agent asked for
// by name, which it will ask for again where it is cut. It is the largest of all, and shows more
// than 95 % of recorded views whole.
const ViewTokens = 8000

// DefaultTokens returns the default budget of the receipt of a tool, in tokens: that of the family,
// and of a view more. The command line is empty for tools that run no command.
func (f *Family) DefaultTokens(tool, commandLine string) int {
	if f.isView(tool, commandLine) {
		return max(f.Tokens, ViewTokens)
	}
	return f.Tokens
}

// ResultTokens is DefaultTokens for a canonical result. Of a command line that was cut it is the
// budget of a view, so that no receipt that fitted fails.
func (f *Family) ResultTokens(r *pb.CanonicalToolResult) int {
	if f.Name == "command" && r.GetCommand().GetCommandDigest() != "" {
		return max(f.Tokens, ViewTokens)
	}
	return f.DefaultTokens(r.GetToolName(), r.GetCommand().GetCommandPreview())
}

// isView reports whether a tool shows a file, or a command line does.
func (f *Family) isView(tool, commandLine string) bool {
	switch f.Name {
	case "command":
		return commandLine != "" && f.Profiles.Explain(commandLine).Range != profile.Ranked
	case "text", "external_mcp", "external_json":
		return namesView(tool)
	}
	return false
}

// viewWords are words in the names of tools that show a file.
var viewWords = []string{"read", "view", "open", "cat", "nl", "head", "goto", "scroll"}

// otherWords are words in the names of tools that read something else than a file.
var otherWords = []string{
	"url", "web", "page", "browser", "image", "screenshot", "mail", "email", "message", "messages", "log", "logs", "console", "network", "result", "results",
	"query", "graph", "issue", "issues", "terminal", "channel", "thread", "memory",
}

// namesView reports whether a name is that of a tool that shows a file: "Read", "view",
// "mcp__fs__read_text_file".
func namesView(tool string) bool {
	words := strings.FieldsFunc(spaced(tool), func(r rune) bool { return !unicode.IsLetter(r) })
	has := func(list []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, strings.ToLower(w)) })
	}
	return has(viewWords) && !has(otherWords)
}

// spaced separates the words of a name in camel case.
func spaced(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(rune(name[i-1])) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}
