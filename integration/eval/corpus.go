package eval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Document is an output of a corpus: a line of its manifest.jsonl.
type Document struct {
	ID         string `json:"id"`
	Path       string `json:"path"` // in the folder of the corpus
	Source     string `json:"source"`
	Command    string `json:"command"`     // empty: not known
	ExitStatus *int32 `json:"exit_status"` // nil: not known
	Split      string `json:"split"`
	Task       string `json:"task"`   // what the agent was asked; empty: not known
	Server     string `json:"server"` // of MCP, whose result the payload is; empty for output of a command
	Tool       string `json:"tool"`   // of the server
	Marks      []Mark `json:"ground_truth"`
	Payload    []byte `json:"-"`
}

// Mark says what matters in a document: lines by number, every line that has all of some words, or any one of some lines.
type Mark struct {
	From int      `json:"line_start"` // 1 for the first; 0: the mark has no numbers
	To   int      `json:"line_end"`   // the last of them
	All  []string `json:"all_of"`
	Any  []string `json:"any_line"`
}

// dropped is the split of documents that the corpora no longer use.
const dropped = "dropped-dev"

// ReadCorpus reads a folder with a manifest.jsonl: documents of one source or, when that is empty, of all.
func ReadCorpus(folder, source string) (list []*Document, err error) {
	manifest, err := os.ReadFile(filepath.Join(folder, "manifest.jsonl"))
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(manifest) {
		d := &Document{}
		if err := json.Unmarshal(line, d); err != nil {
			return nil, err
		}
		if d.Split == dropped || source != "" && source != d.Source {
			continue
		}
		if d.Payload, err = os.ReadFile(filepath.Join(folder, d.Path)); err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("there are no documents in %s", folder)
	}
	return list, nil
}

// Text returns what an agent without receipts reads: the payload, or the text of a result of MCP.
func (d *Document) Text() string {
	if d.Server == "" {
		return string(d.Payload)
	}
	var result struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(d.Payload, &result); err != nil {
		return string(d.Payload)
	}
	var texts []string
	for _, block := range result.Content {
		texts = append(texts, block.Text)
	}
	return strings.Join(texts, "\n")
}

// Failed reports whether the document is what a command printed that failed.
func (d *Document) Failed() bool { return d.ExitStatus != nil && *d.ExitStatus != 0 }
