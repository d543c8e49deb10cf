// Package inner finds the command of a model in the line that a host gives to a shell.
package inner

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Command returns what a line gives to eval, which hosts put around the command of the model, or the line. It names the command in
// the receipt, and is never run.
func Command(line string) string {
	if !strings.Contains(line, "eval ") {
		return line
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return line
	}
	found := line
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if ok && len(call.Args) > 1 && call.Args[0].Lit() == "eval" {
			if text, ok := literal(call.Args[1]); ok {
				found = text
			}
		}
		return true
	})
	return found
}

// literal returns the text of a word without expansions.
func literal(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.SglQuoted:
			if part.Dollar {
				return "", false
			}
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok || strings.Contains(lit.Value, `\`) {
					return "", false
				}
				b.WriteString(lit.Value)
			}
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(part.Value, `\`, ""))
		default:
			return "", false
		}
	}
	return b.String(), true
}
