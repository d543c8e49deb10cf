package config

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
)

// Bounds of the tokens of a receipt, as policy.proto states them.
const (
	MinReceiptTokens = 16
	MaxReceiptTokens = 200_000
)

// maxBudgets bounds the list of budgets, which is looked through for each call.
const maxBudgets = 256

// Budget is what receipts of a tool may cost where their caller does not say. Tool and Model are patterns of the shell, as
// [path.Match] has them, but for one thing: "*" also stands for text with slashes. An empty Model is any model, also one
// that the caller does not name.
type Budget struct {
	Tool, Model string
	Tokens      int
}

// String writes a budget as [ParseBudget] reads it: "TOOL=TOKENS" or "TOOL@MODEL=TOKENS".
func (b Budget) String() string {
	model := ""
	if b.Model != "" {
		model = "@" + b.Model
	}
	return b.Tool + model + "=" + strconv.Itoa(b.Tokens)
}

// ParseBudget reads a budget. Names of tools have no "@" and no "=", so that the first "@" begins the model and the last
// "=" ends it.
func ParseBudget(text string) (Budget, error) {
	const form = "has an element that is not of the form TOOL=TOKENS or TOOL@MODEL=TOKENS"
	at := strings.LastIndexByte(text, '=')
	if at < 0 {
		return Budget{}, errors.New(form)
	}
	tokens, err := strconv.Atoi(strings.TrimSpace(text[at+1:]))
	if err != nil {
		return Budget{}, errors.New(form)
	}
	tool, model, named := strings.Cut(strings.TrimSpace(text[:at]), "@")
	if named && model == "" {
		return Budget{}, errors.New(form)
	}
	return Budget{Tool: tool, Model: model, Tokens: tokens}, nil
}

// Matches reports whether the budget is for a tool and a model.
func (b Budget) Matches(tool, model string) bool {
	return matches(b.Tool, tool) && (b.Model == "" || matches(b.Model, model))
}

// matches matches a pattern that was checked, with slashes like other characters.
func matches(pattern, text string) bool {
	const slash = "\x01"
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", slash), strings.ReplaceAll(text, "/", slash))
	return ok && err == nil
}

// budgetsKind is a list of budgets.
func budgetsKind() kind[[]Budget] {
	words := func(list []Budget) []string {
		texts := make([]string, len(list))
		for i, b := range list {
			texts[i] = b.String()
		}
		return texts
	}
	return kind[[]Budget]{
		name:     "budgets",
		wanted:   "a list of budgets such as Bash=4000",
		parse:    parseBudgets,
		text:     func(list []Budget) string { return strings.Join(words(list), ",") },
		fromYAML: yamlTexts,
		native:   func(list []Budget) any { return words(list) }, // never null
	}
}

// parseBudgets reads a list of budgets with commas between them. An empty text is an empty list.
func parseBudgets(text string) ([]Budget, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var list []Budget
	for word := range strings.SplitSeq(text, ",") {
		b, err := ParseBudget(word)
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	return list, nil
}

// goodBudgets accepts patterns that path.Match can read and tokens within the bounds of a request. A list that is rejected
// here would fail, or match nothing, only when a call needs it.
func goodBudgets() bound[[]Budget] {
	bounds := fmt.Sprintf("%d to %d", MinReceiptTokens, MaxReceiptTokens)
	return bound[[]Budget]{help: bounds + " tokens each", check: func(_ Config, list []Budget) error {
		if len(list) > maxBudgets {
			return fmt.Errorf("has %d elements, at most %d are allowed", len(list), maxBudgets)
		}
		for _, b := range list {
			switch {
			case !isPattern(b.Tool), b.Model != "" && !isPattern(b.Model):
				return errors.New("has an element whose tool or model is no pattern: printable ASCII without spaces, commas and, in a tool, @ and =")
			case strings.ContainsAny(b.Tool, "@="):
				return errors.New("has a tool with @ or =, which no tool has")
			case b.Tokens < MinReceiptTokens || b.Tokens > MaxReceiptTokens:
				return errors.New("has an element out of bounds: " + bounds)
			}
		}
		return nil
	}}
}

// isPattern reports whether a text is a pattern that can be written in a list.
func isPattern(text string) bool {
	_, err := path.Match(text, "")
	odd := strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || r == ',' })
	return text != "" && err == nil && !odd
}
