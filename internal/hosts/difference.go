package hosts

import (
	"bytes"
	"fmt"
)

// Difference is a file with its text before and after. A nil text is a file that is not there.
type Difference struct {
	Path          string
	Before, After []byte
}

// String returns the difference for people: the lines that differ, with two lines around them.
func (d Difference) String() string {
	before, after := lines(d.Before), lines(d.After)
	head := 0
	for head < min(len(before), len(after)) && before[head] == after[head] {
		head++
	}
	tail := 0
	for tail < min(len(before), len(after))-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", name(d.Path, d.Before), name(d.Path, d.After))
	write := func(mark string, list []string) {
		for _, line := range list {
			fmt.Fprintf(&b, "%s%s\n", mark, line)
		}
	}
	write(" ", before[max(0, head-2):head])
	write("-", before[head:len(before)-tail])
	write("+", after[head:len(after)-tail])
	write(" ", before[len(before)-tail:min(len(before), len(before)-tail+2)])
	return b.String()
}

// name returns the name of a file in a difference.
func name(path string, text []byte) string {
	if text == nil {
		return "/dev/null"
	}
	return path
}

// lines returns the lines of a text.
func lines(text []byte) (list []string) {
	for line := range bytes.Lines(text) {
		list = append(list, string(bytes.TrimRight(line, "\r\n")))
	}
	return list
}
