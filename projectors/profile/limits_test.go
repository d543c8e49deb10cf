package profile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/toolresult/toolresult/projectors/profile"
)

const oneProfile = "name: x\nmatch: [x]\nexit:\n  3: {class: answer, text: %s}\n"

// Every bound of a file of profiles is reached, and one more is an error.
func TestFilesHaveBounds(t *testing.T) {
	t.Parallel()
	patterns := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf("x c%d", i))
		}
		return "name: x\nmatch: [" + strings.Join(list, ", ") + "]\n"
	}
	padded := func(n int) string {
		return "name: x\nmatch: [x]\n" + strings.Repeat("#", n-len("name: x\nmatch: [x]\n"))
	}
	for name, c := range map[string]struct{ most, more string }{
		"text":    {fmt.Sprintf(oneProfile, strings.Repeat("a", 200)), fmt.Sprintf(oneProfile, strings.Repeat("a", 201))},
		"code":    {strings.Replace(fmt.Sprintf(oneProfile, "a"), "3:", "255:", 1), strings.Replace(fmt.Sprintf(oneProfile, "a"), "3:", "256:", 1)},
		"no code": {strings.Replace(fmt.Sprintf(oneProfile, "a"), "3:", "1:", 1), strings.Replace(fmt.Sprintf(oneProfile, "a"), "3:", "0:", 1)},
		"match":   {patterns(64), patterns(65)},
		"bytes":   {padded(64 << 10), padded(64<<10 + 1)},
	} {
		if _, err := profile.Load(layer("mine", "x.yaml", c.most)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var bad *profile.Error
		if _, err := profile.Load(layer("mine", "x.yaml", c.more)); !errors.As(err, &bad) || bad.Layer != "mine" || bad.File != "x.yaml" {
			t.Errorf("%s: one more is %v", name, err)
		}
	}
	for _, c := range []struct {
		n    int
		want bool
	}{{1024, true}, {1025, false}} {
		var files []string
		for i := range c.n {
			files = append(files, fmt.Sprintf("p%d.yaml", i), fmt.Sprintf("name: p%d\nmatch: [p%d]\n", i, i))
		}
		if _, err := profile.Load(layer("mine", files...)); (err == nil) != c.want {
			t.Errorf("%d files: %v", c.n, err)
		}
	}
}

// The digest of a Set changes with every name, file, content and trust of its layers, because results depend on each.
func TestDigestCoversEveryLayer(t *testing.T) {
	t.Parallel()
	content := "name: x\nmatch: [x]\n"
	project := layer("mine", "x.yaml", content)
	project.Project = true
	seen := map[string]string{}
	for name, layers := range map[string][]profile.Layer{
		"one": {layer("mine", "x.yaml", content)}, "another content": {layer("mine", "x.yaml", content+"\n")}, "another name": {layer("mine", "y.yaml", strings.ReplaceAll(content, "x", "y"))},
		"of a project": {project}, "two": {layer("mine", "x.yaml", content), layer("yours", "x.yaml", content)}, "none": nil,
	} {
		s := load(t, layers...)
		if other, known := seen[s.Digest()]; known {
			t.Errorf("%s has the digest of %s", name, other)
		}
		if again := load(t, layers...); again.Digest() != s.Digest() {
			t.Errorf("%s has two digests", name)
		}
		seen[s.Digest()] = name
	}
}

// A command line is read up to a bound, and commands behind a number of wrappers are none.
func TestCommandLinesHaveBounds(t *testing.T) {
	t.Parallel()
	s := load(t, layer("mine", "x.yaml", fmt.Sprintf(oneProfile, "a")))
	for n, want := range map[int]bool{65_536: true, 65_537: false} {
		line := "x " + strings.Repeat("a", n-2)
		if found := s.Find(line) != nil; found != want || (s.Exit(line, 3) != nil) != want {
			t.Errorf("a line of %d bytes: %v", n, found)
		}
	}
	for n, want := range map[int]bool{8: true, 9: false} {
		if found := s.Find(strings.Repeat("nice ", n)+"x") != nil; found != want {
			t.Errorf("%d wrappers: %v", n, found)
		}
	}
	for n, want := range map[int]string{8: "x 1 2 3 4 5 6 7", 9: "x 1 2 3 4 5 6 7 ..."} {
		if c := s.Explain("x 1 2 3 4 5 6 7 8"[:2*n-1]); c.Command != want {
			t.Errorf("%d words are %q, want %q", n, c.Command, want)
		}
	}
	for n, want := range map[int]bool{16: true, 17: false} {
		if c := s.Explain(strings.TrimSuffix(strings.Repeat("x; ", n), "; ")); (c.Profile != nil) != want {
			t.Errorf("%d commands: %q", n, c.Steps)
		}
	}
}

// Of two profiles that know a code of the same words, the one of the later layer explains it, and then the first by name.
func TestExitOfTheBestMatch(t *testing.T) {
	t.Parallel()
	of := func(name, match, text string) (string, string) {
		return name + ".yaml", "name: " + name + "\nmatch: ['" + match + "']\nexit:\n  3: {class: answer, text: " + text + "}\n"
	}
	files := func(list ...[2]string) (out []string) {
		for _, f := range list {
			out = append(out, f[0], f[1])
		}
		return out
	}
	pair := func(name, match, text string) [2]string { a, b := of(name, match, text); return [2]string{a, b} }
	s := load(t, layer("one", files(pair("a", "x", "first"), pair("b", "x y", "longer"), pair("d", "x*", "star"))...), layer("two", files(pair("c", "z", "other"), pair("e", "q", "later"))...), layer("three", files(pair("f", "q", "last"))...))
	for line, want := range map[string]string{"x": "first", "x y": "longer", "x z": "first", "xx": "star", "z": "other", "q": "last", "w": ""} {
		if m := s.Exit(line, 3); m.GetText() != want {
			t.Errorf("%q: code 3 means %q, want %q", line, m.GetText(), want)
		}
	}
	if m := s.Exit("x", 4); m != nil {
		t.Errorf("a code that nobody knows means %v", m)
	}
}

// A fixture is written as it is read, marks included.
func TestFixtureIsWrittenAsItIsRead(t *testing.T) {
	t.Parallel()
	const source = "$ x run\n? 3 answer three\n\n- noise\n+ kept\n= total\n  plain\n\n  more\n"
	f, err := profile.ParseFixture("f", source)
	if err != nil || f.String() != source {
		t.Errorf("%q, %v", f, err)
	}
	if len(f.Lines) != 6 || f.Lines[0].Number != 4 || f.Lines[5].Number != 9 || f.Lines[4].Text != "" {
		t.Errorf("%+v", f.Lines)
	}
	made, err := profile.NewFixture(load(t, layer("mine", "x.yaml", "name: x\nmatch: [x]\nfold: ['^noise']\n")), "x", strings.NewReader("noise\r\n10%\r20%\rdone\nlast"))
	if err != nil || made.String() != "$ x\n\n- noise\n  done\n  last\n" {
		t.Errorf("%q, %v", made, err)
	}
	if _, err := profile.NewFixture(nil, "x", failing{}); !errors.Is(err, errBroken) {
		t.Errorf("%v", err)
	}
}

var errBroken = errors.New("broken")

// failing is a file and a reader that cannot be read.
type failing struct{ fs.File }

func (failing) Read([]byte) (int, error)     { return 0, errBroken }
func (failing) Close() error                 { return nil }
func (f failing) Stat() (fs.FileInfo, error) { return f.File.Stat() }

// failingFiles has files of which one cannot be opened, or not read.
type failingFiles struct {
	fstest.MapFS
	unopened, unread string
}

func (f failingFiles) Open(name string) (fs.File, error) {
	file, err := f.MapFS.Open(name)
	switch {
	case name == f.unopened:
		return nil, errBroken
	case name == f.unread && err == nil:
		return failing{file}, nil
	}
	return file, err
}

// ReadFile reads it as Open does.
func (f failingFiles) ReadFile(name string) ([]byte, error) {
	if name == f.unopened || name == f.unread {
		return nil, errBroken
	}
	return f.MapFS.ReadFile(name)
}

// Stat works for a file that cannot be opened, as on a disk where its mode forbids that.
func (f failingFiles) Stat(name string) (fs.FileInfo, error) { return f.MapFS.Stat(name) }

// A file that cannot be read is an error with its name, in a layer and among fixtures.
func TestUnreadableFilesAreErrors(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"x.yaml": {Data: []byte("name: x\nmatch: [x]\n")}, "x/a.txt": {Data: []byte("$ x\n\n  a\n")}, "y.yaml": {Mode: fs.ModeDir}}
	for _, f := range []failingFiles{{files, "x.yaml", ""}, {files, "", "x.yaml"}} {
		if _, err := profile.Load(profile.Layer{Name: "mine", Files: f}); err == nil || !strings.Contains(err.Error(), "x.yaml") || !strings.Contains(err.Error(), "broken") {
			t.Errorf("%v", err)
		}
	}
	s := load(t, layer("mine", "x.yaml", "name: x\nmatch: [x]\n"))
	for _, f := range []failingFiles{{files, "x/a.txt", ""}, {files, "", "x/a.txt"}} {
		if r := s.Check("mine", f); len(r.Problems) != 1 || !strings.Contains(r.Problems[0], "broken") {
			t.Errorf("%+v", r)
		}
	}
	if r := s.Check("mine", fstest.MapFS{"x/a.txt": {Data: []byte("no fixture")}}); len(r.Problems) != 1 {
		t.Errorf("%+v", r)
	}
	if r := s.Check("mine", fstest.MapFS{"x/a.txt": {Data: []byte("$ x\n")}}); !slices.ContainsFunc(r.Problems, func(p string) bool { return strings.Contains(p, "neither lines nor codes") }) {
		t.Errorf("%+v", r)
	}
	if r := s.Check("mine", fstest.MapFS{"x/a.txt": {Data: []byte("$ x\n? 7 answer x\n")}}); !slices.ContainsFunc(r.Problems, func(p string) bool { return strings.Contains(p, "code 7 is not one of x") }) {
		t.Errorf("%+v", r)
	}
}
