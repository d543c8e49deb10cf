package profile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/zeebo/blake3"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/linerule"
)

// A Set is made of layers, such as the built-in profiles, those of an operator and
// those of a project. Lookups go by command line: Find for what the output looks like,
// Exit for what a code means. Both prefer to know nothing over being wrong.

// extension is the file extension of profiles.
const extension = ".yaml"

// Profile holds the knowledge about one program, or one of its subcommands. Immutable.
type Profile struct {
	name, layer, file   string
	matches             []pattern // commands whose lines the profile knows
	exitMatches         []pattern // commands whose exit codes it knows; the same, unless a project replaced the profile
	exits               map[int32]exitCode
	keep, fold, summary []string
	rules               *linerule.Rules
	signs               *linerule.Rules // of lines by which its text is known: one to sum up is enough, and two to keep are
	read                bool
	relays              bool // its output is what others wrote
	shape               string
	disabled            bool
	rank                int // of its layer; a higher one is stronger
}

// exitCode is the meaning of one exit code.
type exitCode struct {
	class pb.ExitClass
	text  string
}

// classes maps the classes of files to those of the contract.
var classes = map[string]pb.ExitClass{
	"answer": pb.ExitClass_EXIT_CLASS_ANSWER, "failure": pb.ExitClass_EXIT_CLASS_FAILURE,
}

// Name returns the name of the profile, unique in its Set.
func (p *Profile) Name() string { return p.name }

// Layer returns the name of its layer.
func (p *Profile) Layer() string { return p.layer }

// File returns the path of its file in the layer.
func (p *Profile) File() string { return p.file }

// Rules returns the opinions of the profile about lines; nil for none, and for a nil
// Profile.
func (p *Profile) Rules() *linerule.Rules {
	if p == nil {
		return nil
	}
	return p.rules
}

// Read reports whether the output is exactly what was asked for, so that no line is
// taken out of the middle of it.
func (p *Profile) Read() bool { return p != nil && p.read }

// Relays reports whether the output is what others wrote, a file or a log, so that an
// exit status of 0 says nothing of its content.
func (p *Profile) Relays() bool { return p != nil && (p.read || p.relays) }

// Shape returns the kind of the output, one of shape.Names, where it is
// certain, and "" elsewhere.
func (p *Profile) Shape() string {
	if p == nil {
		return ""
	}
	return p.shape
}

// Matches returns the command patterns of the profile, in the order of its file.
func (p *Profile) Matches() []string {
	var list []string
	for _, m := range p.matches {
		list = append(list, m.text)
	}
	return list
}

// Codes returns the exit codes that the profile knows, sorted.
func (p *Profile) Codes() []int32 { return slices.Sorted(maps.Keys(p.exits)) }

// Layer is a folder of profiles.
type Layer struct {
	Name  string // for messages
	Files fs.FS  // its *.yaml at the top are profiles; other files are ignored
	// Project marks the files of a repository that an agent works in. They match commands
	// and sort lines, and nothing else: their exit codes, read and shape are rejected, and
	// a profile that they replace keeps its exit meanings.
	Project bool
}

// Set holds the profiles of all layers. Immutable, and safe for concurrent use. A nil
// Set has no profiles.
type Set struct {
	profiles []*Profile
	programs map[string][]match // patterns by the program that they begin with
	wild     []match            // patterns that begin with a word with a star
	digest   string
	choices  choices

	texts   *linerule.Texts
	known   []*Profile      // that texts knows, in its order
	unnamed *linerule.Rules // for a command without a profile
	rules   map[*Profile]*linerule.Rules
}

// Load reads layers, of which a later one is stronger: its profiles replace those of
// the same name in earlier layers. It returns an *Error for each file with a defect,
// all of them joined.
func Load(layers ...Layer) (*Set, error) {
	byName := map[string]*Profile{}
	var problems []error
	sources := blake3.New()
	for rank := range layers {
		profiles, err := readLayer(&layers[rank], sources)
		if err != nil {
			problems = append(problems, err)
		}
		for _, p := range profiles {
			p.rank = rank
			if old := byName[p.name]; old != nil && layers[rank].Project {
				p.exits, p.exitMatches = old.exits, old.exitMatches
			}
			byName[p.name] = p
		}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	s := &Set{digest: fmt.Sprintf("blake3:%x", sources.Sum(nil))}
	for _, p := range byName {
		s.profiles = append(s.profiles, p)
	}
	slices.SortFunc(s.profiles, func(a, b *Profile) int { return cmp.Compare(a.name, b.name) })
	s.index()
	return s, s.indexTexts()
}

// indexTexts prepares to know texts by their lines.
func (s *Set) indexTexts() (err error) {
	var list []linerule.Text
	for _, p := range s.profiles {
		if p.signs != nil && !p.disabled {
			s.known = append(s.known, p)
			list = append(list, linerule.Text{Signs: p.signs, Rules: p.rules})
		}
	}
	if s.texts, err = linerule.NewTexts(list); err != nil {
		return err
	}
	s.unnamed, s.rules = (*linerule.Rules)(nil).Among(s.texts), make(map[*Profile]*linerule.Rules, len(s.profiles))
	for _, p := range s.profiles {
		s.rules[p] = p.rules.Among(s.texts)
	}
	return nil
}

// Rules returns the rules for what a program with a profile printed, or with none: those of the
// profile, which linerule.Rules.ForText extends by those of profiles that know the text. They are nil
// for a nil Set.
func (s *Set) Rules(p *Profile) *linerule.Rules {
	if s == nil {
		return p.Rules()
	}
	if r := s.rules[p]; r != nil {
		return r
	}
	return s.unnamed
}

// Known returns the profiles that know a text by its lines, by name.
func (s *Set) Known(text []byte) (list []*Profile) {
	if s == nil {
		return nil
	}
	for _, i := range s.texts.Known(func(yield func([]byte) bool) {
		for line := range bytes.Lines(text) {
			if !yield(bytes.TrimSuffix(line, []byte{'\n'})) {
				return
			}
		}
	}) {
		list = append(list, s.known[i])
	}
	return list
}

// readLayer reads the files of a layer in the order of their names, and writes their
// content to sources.
func readLayer(l *Layer, sources io.Writer) ([]*Profile, error) {
	names, err := fs.Glob(l.Files, "*"+extension)
	if err == nil {
		_, err = fs.ReadDir(l.Files, ".") // Glob passes over what it cannot read
	}
	if err != nil {
		return nil, fmt.Errorf("profiles of %s: %w", l.Name, err)
	}
	if len(names) > maxFiles {
		return nil, fmt.Errorf("profiles of %s: %d files, at most %d are allowed", l.Name, len(names), maxFiles)
	}
	var profiles []*Profile
	var problems []error
	for _, name := range names {
		r := reader{l, name}
		source, err := r.open()
		if err != nil {
			problems = append(problems, err)
			continue
		}
		p, err := r.parse(source)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		profiles = append(profiles, p)
		fmt.Fprintf(sources, "%t %q %d\n", l.Project, name, len(source)) // a hash takes everything
		_, _ = sources.Write(source)
	}
	problems = append(problems, duplicatePatterns(profiles)...)
	return profiles, errors.Join(problems...)
}

// open reads a file, up to one byte more than it may have.
func (r *reader) open() ([]byte, error) {
	info, err := fs.Stat(r.layer.Files, r.file)
	if err != nil {
		return nil, r.fail(0, "", "%v", err)
	}
	if !info.Mode().IsRegular() { // to open a pipe may take for ever
		return nil, r.fail(0, "", "is not a file")
	}
	f, err := r.layer.Files.Open(r.file)
	if err != nil {
		return nil, r.fail(0, "", "%v", err)
	}
	defer f.Close() // read-only
	source, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, r.fail(0, "", "%v", err)
	}
	return source, nil
}

// duplicatePatterns returns an error for each command pattern that two profiles of a
// layer have.
func duplicatePatterns(profiles []*Profile) []error {
	owner := map[string]*Profile{}
	var problems []error
	for _, p := range profiles {
		for _, m := range p.matches {
			if o := owner[m.text]; o != nil {
				problems = append(problems, &Error{p.layer, p.file, 0, "match", fmt.Sprintf("%q is a pattern of %s too", m.text, o.file)})
			}
			owner[m.text] = p
		}
	}
	return problems
}

// Profiles returns the profiles that are not disabled, by name.
func (s *Set) Profiles() []*Profile {
	if s == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.profiles), func(p *Profile) bool { return p.disabled })
}

// Digest identifies the files of the profiles, as "blake3:" and 64 hex digits. Sets of
// equal digest are equal. It is empty for a nil Set.
func (s *Set) Digest() string {
	if s == nil {
		return ""
	}
	return s.digest
}

// Find returns the profile for the output of a command line, or nil. A command line
// that cannot be understood has none.
func (s *Set) Find(commandLine string) *Profile { return s.Explain(commandLine).Profile }

// The codes that a shell gives for any command. Source: POSIX, Shell Command Language,
// 2.8.2.
const (
	codeNotExecutable = 126
	codeNotFound      = 127
)

// Exit returns the meaning of an exit code, or nil if no profile knows it or if it is
// not certain which program gave it: the command must be the only one of its line, and
// begin with the words of a pattern. The code itself never changes.
func (s *Set) Exit(commandLine string, code int32) *pb.ExitMeaning {
	if code == 0 || commandLine == "" {
		return nil
	}
	words := soleCommand(commandLine)
	if len(words) == 0 {
		return nil
	}
	if f := s.matchExit(words, code); f != nil {
		e := f.profile.exits[code]
		return &pb.ExitMeaning{Program: strings.Join(words[:len(f.pattern.words)], " "), Class: e.class, Text: e.text}
	}
	switch code {
	case codeNotFound:
		return &pb.ExitMeaning{Program: words[0], Class: pb.ExitClass_EXIT_CLASS_FAILURE, Text: "the shell found no such command"}
	case codeNotExecutable:
		return &pb.ExitMeaning{Program: words[0], Class: pb.ExitClass_EXIT_CLASS_FAILURE, Text: "the file is not executable"}
	}
	return nil
}
