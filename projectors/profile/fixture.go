package profile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Fixture is output of a program with what its profile is to say of it:
//
//	$ go test ./...
//	? 1 failure some tests failed
//
//	- === RUN   TestA
//	+     a_test.go:12: got 1, want 2
//	= FAIL
//	  a line of which nothing is known
//
// First the command line; then codes with class and text, if any; then an empty
// line and the output, each line behind its mark and a space.
type Fixture struct {
	File    string // for messages
	Command string
	Exits   []FixtureExit
	Lines   []FixtureLine
}

// FixtureExit is the expected meaning of an exit code.
type FixtureExit struct {
	Code        int32
	Class, Text string
}

// FixtureLine is a line and its expected verdict.
type FixtureLine struct {
	Number  int // in the file, from 1
	Verdict linerule.Verdict
	Text    string
}

// marks holds the marks of the verdicts, in the order of linerule.Verdict.
const marks = " -+="

// ParseFixture reads a fixture. Its error names the file and the line.
func ParseFixture(file, source string) (*Fixture, error) {
	f := &Fixture{File: file}
	header, output, _ := strings.Cut(source, "\n\n")
	for i, line := range strings.Split(strings.TrimSuffix(header, "\n"), "\n") {
		if err := f.header(line); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", file, i+1, err)
		}
	}
	if f.Command == "" {
		return nil, fmt.Errorf("%s: does not begin with a command line, %q", file, "$ COMMAND")
	}
	if output == "" {
		return f, nil
	}
	number := strings.Count(header, "\n") + 2
	for line := range strings.SplitSeq(strings.TrimSuffix(output, "\n"), "\n") {
		number++
		if line == "" {
			line = "  "
		}
		mark := strings.IndexByte(marks, line[0])
		if mark < 0 || len(line) < 2 || line[1] != ' ' {
			return nil, fmt.Errorf("%s, line %d: does not begin with a mark (-, +, = or a space) and a space", file, number)
		}
		f.Lines = append(f.Lines, FixtureLine{number, linerule.Verdict(mark), line[2:]})
	}
	return f, nil
}

// header reads a line before the output.
func (f *Fixture) header(line string) error {
	if command, ok := strings.CutPrefix(line, "$ "); ok && f.Command == "" {
		f.Command = command
		return nil
	}
	words := strings.SplitN(line, " ", 4)
	if len(words) != 4 || words[0] != "?" {
		return fmt.Errorf("is neither %q nor %q", "$ COMMAND", "? CODE CLASS TEXT")
	}
	code, err := strconv.ParseInt(words[1], 10, 32)
	if err != nil {
		return fmt.Errorf("%q is not an exit code", words[1])
	}
	f.Exits = append(f.Exits, FixtureExit{int32(code), words[2], words[3]})
	return nil
}

// String returns the text that ParseFixture reads.
func (f *Fixture) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "$ %s\n", f.Command)
	for _, e := range f.Exits {
		fmt.Fprintf(&b, "? %d %s %s\n", e.Code, e.Class, e.Text)
	}
	if len(f.Lines) > 0 {
		b.WriteByte('\n')
	}
	for _, l := range f.Lines {
		if l.Text != "" || l.Verdict != linerule.None {
			b.WriteString(marks[l.Verdict:l.Verdict+1] + " " + l.Text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// SetVerdicts gives each line the verdict of the profile of the fixture's command.
// Without a profile the verdicts stay.
func (f *Fixture) SetVerdicts(s *Set) {
	p := s.Find(f.Command)
	if p == nil {
		return
	}
	for i := range f.Lines {
		f.Lines[i].Verdict = p.Rules().Classify([]byte(f.Lines[i].Text))
	}
}

// readFixtures reads the fixtures of a profile, sorted by name.
func readFixtures(files fs.FS, name string) ([]*Fixture, error) {
	paths, err := fs.Glob(files, name+"/*.txt")
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	var list []*Fixture
	for _, path := range paths {
		source, err := fs.ReadFile(files, path)
		if err != nil {
			return nil, err
		}
		f, err := ParseFixture(path, string(source))
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

// NewFixture returns a fixture of the output of a command: its lines as a preview
// shows them, with the verdicts of their profile. The only errors are those of output.
func NewFixture(s *Set, commandLine string, output io.Reader) (*Fixture, error) {
	f := &Fixture{Command: commandLine}
	for r := bufio.NewReader(output); ; {
		line, err := r.ReadString('\n')
		if line != "" {
			f.Lines = append(f.Lines, FixtureLine{Number: len(f.Lines) + 1, Text: lastState(line)})
		}
		if errors.Is(err, io.EOF) {
			f.SetVerdicts(s)
			return f, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// lastState returns a line without its end, in the last state that the program gave it
// by carriage returns.
func lastState(line string) string {
	line = strings.TrimRight(line, "\r\n")
	return textscan.OneLine(line[strings.LastIndexByte(line, '\r')+1:])
}
