package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// readResults reads results.
func readResults(path string) (r Results, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// writeResults writes results.
func writeResults(path string, r Results) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return err
	}
	// A line for each side, so that a diff can be read.
	text := strings.NewReplacer(`{"Name"`, "\n\t{\"Name\"", `{"Payload"`, "\n{\"Payload\"", `,"Log":`, ",\n\"Log\":", `,"Disk":`, ",\n\"Disk\":", `,"Bulk":`, ",\n\"Bulk\":").
		Replace(b.String())
	return os.WriteFile(path, []byte(text), 0o644)
}

// rewriteDocument writes the parts of a document anew.
func rewriteDocument(path string, blocks []block) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	out, err := replaceBlocks(string(text), blocks)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(out), 0o644)
}

// Markers around a part.
func markers(name string) (begin, end string) {
	return "<!-- performance: " + name + " -->\n\n", "\n<!-- /performance -->\n"
}

// replaceBlocks returns a document with new parts.
func replaceBlocks(document string, list []block) (string, error) {
	for _, b := range list {
		begin, end := markers(b.name)
		before, rest, found := strings.Cut(document, begin)
		if !found {
			return "", fmt.Errorf("the document lacks the marker %q", strings.TrimSpace(begin))
		}
		_, after, found := strings.Cut(rest, end)
		if strings.HasPrefix(rest, end[1:]) { // nothing was there yet
			after, found = rest[len(end)-1:], true
		}
		if !found {
			return "", fmt.Errorf("the document lacks the end of %q", strings.TrimSpace(begin))
		}
		document = before + begin + b.text + end + after
	}
	return document, nil
}

var (
	part = regexp.MustCompile(`(?s)<!-- performance: .*?<!-- /performance -->`)
	// named are numbers that are no measures: in code, in targets of links, and the sizes and floors that are measured.
	named = regexp.MustCompile("`[^`]*`|\\]\\([^)]*\\)|\\b(?:4 KB|64 KB|1 MB|1 GiB|p50|p99)\\b")
)

// strayNumbers returns the lines outside of the parts that have a number.
func strayNumbers(document string) (lines []string) {
	for line := range strings.Lines(part.ReplaceAllString(document, "")) {
		if strings.ContainsAny(named.ReplaceAllString(line, ""), "0123456789") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}
