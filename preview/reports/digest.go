package reports

import (
	"bytes"
	"strings"
)

// Some programs print a line for each test or each finding, and their names repeat what
// is around them. The digest of such a text has the same by file, with fewer words, and
// then the lines about anything else.

// Digest is the readable form of such a text.
type Digest struct {
	text  []byte
	names int // lines before the others, with an empty one between them
	lines int // of the form
	early int // of these that have a share of a budget before others
	share int // in percent

	passed bool // its own lines name tests that passed
}

// Bounds of a digest: how many lines it is of at least, and how long its own are, in
// bytes.
const (
	leastDigested  = 8
	mostDigestLine = 200
)

// ParseDigest reads the text of a run of tests that passed, or of a compiler or a linter.
// It returns nil for any other text.
func ParseDigest(text []byte) *Digest {
	if bytes.Count(text, []byte{'\n'}) > mostFormLines {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(visibleText(string(text)), "\n"), "\n")
	if len(lines) < leastDigested {
		return nil
	}
	if d := digestPassed(lines); d != nil {
		return d
	}
	return digestFindings(lines)
}

// Text returns the readable form. It ends with a line end.
func (d *Digest) Text() []byte { return d.text }

// Len returns the lines of the form.
func (d *Digest) Len() int { return d.lines }

// Names returns the number of its first lines that are by file, the most important first.
// If others follow, the last of them is empty.
func (d *Digest) Names() int { return d.names }

// Early returns how many of these come before others, and the percentage of a budget that
// they may have.
func (d *Digest) Early() (lines, share int) { return d.early, d.share }

// Passed reports whether the lines by file name tests that passed.
func (d *Digest) Passed() bool { return d.passed }

// digestWriter collects the lines of a digest.
type digestWriter struct {
	ranks [][]string // lines by their importance, from 0
	late  []string   // lines that come after all others
}

// add adds a line of some importance, from 0.
func (w *digestWriter) add(rank int, line string) {
	for len(w.ranks) <= rank {
		w.ranks = append(w.ranks, nil)
	}
	w.ranks[rank] = append(w.ranks[rank], line)
}

// addList adds a list behind a heading, in as many lines as it takes. Each further line
// begins with another heading and is less important than the one before, up to a last
// importance.
func (w *digestWriter) addList(rank, last int, heading, further, separator string, list []string) {
	line, empty := heading, true
	for _, one := range list {
		if !empty && len(line)+len(one) > mostDigestLine {
			w.add(rank, line+separator)
			rank = max(rank, min(rank+1, last))
			line, empty = further, true
		}
		if !empty {
			line += separator
		}
		line, empty = line+" "+one, false
	}
	w.add(rank, line)
}

// end returns the digest, with the lines that are not in it behind it.
func (w *digestWriter) end(share int, others []string) *Digest {
	var b bytes.Buffer
	d := &Digest{share: share}
	add := func(line string) {
		b.WriteString(line)
		b.WriteByte('\n')
		d.lines++
	}
	for _, rank := range w.ranks {
		for _, line := range rank {
			add(line)
		}
	}
	d.early = d.lines
	for _, line := range w.late {
		add(line)
	}
	d.names = d.lines
	gap := true
	for _, line := range others {
		if strings.TrimSpace(line) == "" {
			gap = true
			continue
		}
		if gap {
			add("")
			gap = false
		}
		add(line)
	}
	if d.lines > d.names {
		d.names++
	}
	d.text = b.Bytes()
	return d
}
