package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/preview/records"
)

// ErrNone is returned for text that is no notebook.
var ErrNone = errors.New("no notebook")

// Bounds of a notebook that is read.
const (
	mostBytes = 4 << 20
	mostLines = 1 << 17 // of the readable form; further ones are left out
	mostLine  = 1000    // bytes of a line of it
)

// Notebook is the readable form of a notebook. Lines count from 0.
type Notebook struct {
	text   []byte
	starts []int32
	ranks  []records.Rank
}

// Text returns the readable form. It ends with a line end.
func (n *Notebook) Text() []byte { return n.text }

// Len returns the number of lines.
func (n *Notebook) Len() int { return len(n.starts) }

// Rank returns the rank of line i.
func (n *Notebook) Rank(i int) records.Rank { return n.ranks[i] }

// cell is a cell of a notebook.
type cell struct {
	kind    string   // "markdown", "code" or "raw"
	number  string   // of its execution, or empty
	source  []string // its lines
	outputs []output
}

// output is an output of a cell: lines of text, an error, or a note of other data.
type output struct {
	lines  []string
	result bool // it is the value of the cell, not printed
	failed bool
	title  string // of an error: its name and its message
	note   string // of data that is no text
}

// Parse reads a notebook: JSON with cells, with a few lines of other text around it. It may be cut.
// It returns ErrNone for other text.
func Parse(text []byte) (*Notebook, error) {
	if len(text) > mostBytes || !bytes.Contains(text, []byte(`"cell_type"`)) {
		return nil, ErrNone
	}
	if cells, err := readCells(text); err == nil {
		return write(nil, cells, nil)
	}
	in, err := records.Enclosed(text)
	if err != nil {
		return nil, ErrNone
	}
	cells, err := readCells(in.Value)
	if err != nil {
		return nil, err
	}
	return write(in.Before, cells, in.After)
}

// multiline is a text: a string of JSON, or a list of strings.
type multiline string

// UnmarshalJSON implements json.Unmarshaler. Other values are no text.
func (m *multiline) UnmarshalJSON(text []byte) error {
	var one string
	if text[0] == '"' && json.Unmarshal(text, &one) == nil {
		*m = multiline(one)
		return nil
	}
	var list []string
	if text[0] == '[' && json.Unmarshal(text, &list) == nil {
		*m = multiline(strings.Join(list, ""))
	}
	return nil
}

// cellJSON and outputJSON are a cell and an output as files have them.
type (
	cellJSON struct {
		Kind    string          `json:"cell_type"`
		Number  json.RawMessage `json:"execution_count"`
		Source  *multiline      `json:"source"`
		Outputs []outputJSON    `json:"outputs"`
	}
	outputJSON struct {
		Kind      string               `json:"output_type"`
		Text      multiline            `json:"text"`
		Data      map[string]multiline `json:"data"`
		Name      string               `json:"ename"`
		Value     string               `json:"evalue"`
		Traceback []string             `json:"traceback"`
	}
)

// readCells reads the cells of a notebook. One that is cut may have lost its format.
func readCells(text []byte) ([]cell, error) {
	var file struct {
		Format json.RawMessage `json:"nbformat"`
		Cells  []cellJSON      `json:"cells"`
	}
	if json.Unmarshal(text, &file) != nil || len(file.Cells) == 0 {
		return nil, ErrNone
	}
	var cells []cell
	for i := range file.Cells {
		c := &file.Cells[i]
		if c.Kind == "" || c.Source == nil {
			return nil, ErrNone
		}
		one := cell{kind: c.Kind, source: strings.Split(string(*c.Source), "\n")}
		if number := string(c.Number); number != "null" && len(number) <= len("1234567") {
			one.number = number
		}
		for k := range c.Outputs {
			one.outputs = append(one.outputs, c.Outputs[k].read())
		}
		cells = append(cells, one)
	}
	return cells, nil
}

// read returns an output as it is written.
func (o *outputJSON) read() output {
	switch {
	case o.Kind == "error":
		return output{failed: true, title: strings.TrimSpace(plain(o.Name) + ": " + plain(o.Value)), lines: textLines(strings.Split(strings.Join(o.Traceback, "\n"), "\n"))}
	case len(o.Data) == 0:
		return output{lines: textLines(strings.Split(string(o.Text), "\n"))}
	}
	kept := output{result: true}
	text := string(o.Data["text/plain"])
	switch html, markdown := o.Data["text/html"], o.Data["text/markdown"]; {
	case markdown != "":
		text = string(markdown)
	case html != "" && (text == "" || isObject(text)):
		kept.lines = htmlLines(string(html))
		return kept
	}
	if note := notes(o.Data); note != "" && (text == "" || isObject(text)) {
		kept.note = strings.TrimSpace(plain(text) + " " + note)
		return kept
	}
	kept.lines = textLines(strings.Split(text, "\n"))
	return kept
}

// isObject reports whether a text only names an object, as a text of other data does.
func isObject(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">") && !strings.Contains(text, "\n")
}

// notes names the data that is no text, with its sizes.
func notes(data map[string]multiline) string {
	var list []string
	for _, kind := range slices.Sorted(maps.Keys(data)) {
		if kind == "text/plain" || kind == "text/html" || data[kind] == "" {
			continue
		}
		size := len(data[kind])
		if strings.HasPrefix(kind, "image/") && kind != "image/svg+xml" {
			size = size * 3 / 4 // it is in base64
		}
		list = append(list, plain(kind)+", "+bytesText(size))
	}
	if len(list) == 0 {
		return ""
	}
	return "[" + strings.Join(list, "; ") + "]"
}
