package eval

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A Step is an output that an agent read, and what its next action used of it.
type Step struct {
	ID         string            `json:"id"`
	Kind       string            `json:"kind"`        // view, find or run
	Tool       string            `json:"tool"`        // empty for a command
	Command    string            `json:"command"`     // command line, or arguments of the tool
	ExitStatus *int32            `json:"exit_status"` // nil if unknown
	Action     map[string]string `json:"action"`      // kinds of the needles of the next action, by needle
	Thought    map[string]string `json:"thought"`     // kinds of the needles of the words beside it, by needle
	Message    string            `json:"message"`     // said with the call
	Task       string            `json:"task"`        // asked of the agent
	Project    string            `json:"project"`
	Text       string            `json:"-"` // output of the tool
}

// ReadSteps reads the steps in folder: steps.jsonl, and docs/ID.txt for each.
func ReadSteps(folder string) (list []*Step, err error) {
	lines, err := os.ReadFile(filepath.Join(folder, "steps.jsonl"))
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(lines) {
		s := &Step{}
		if err := json.Unmarshal(line, s); err != nil {
			return nil, err
		}
		text, err := os.ReadFile(filepath.Join(folder, "docs", s.ID+".txt"))
		if err != nil {
			return nil, err
		}
		s.Text = string(text)
		list = append(list, s)
	}
	return list, nil
}

// Kept returns the share of needles that text still has, from 0 to 1.
func (s *Step) Kept(text string) float64 {
	needles := map[string]string{}
	for _, m := range []map[string]string{s.Action, s.Thought} {
		for n, kind := range m {
			needles[n] = kind
		}
	}
	kept := 0
	for n, kind := range needles {
		if holds(text, kind, n) {
			kept++
		}
	}
	return float64(kept) / float64(len(needles))
}

// holds reports whether text has a needle.
func holds(text, kind, n string) bool {
	switch kind {
	case "line":
		return regexp.MustCompile(`(?m)(?:^|[:\[\s]|[Ll]ine )` + n + `(?:[:,\]|\s-]|$)`).MatchString(text)
	case "path":
		if strings.Contains(text, n) {
			return true
		}
		parts := 0
		for part := range strings.SplitSeq(n, "/") {
			if part == "" || part == "." || part == ".." {
				continue
			}
			if parts++; !hasWholeWord(text, part) {
				return false
			}
		}
		return parts > 1
	case "quote":
		return strings.Contains(text, n)
	}
	return hasWholeWord(text, n)
}

// hasWholeWord reports whether text has word with no letter, digit or underscore beside it.
func hasWholeWord(text, word string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		i += from
		if (i == 0 || !isWordByte(text[i-1])) && (i+len(word) == len(text) || !isWordByte(text[i+len(word)])) {
			return true
		}
		from = i + 1
	}
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
