package profile

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"sync"

	"github.com/toolresult/toolresult/preview/linerule"
)

// Report holds the findings of a check of profiles.
type Report struct {
	Profiles, Fixtures int
	WithoutFixture     []string // names of profiles that have no fixture
	Problems           []string // each with its place
}

// Check compares the profiles of one layer with their fixtures, the files NAME/*.txt
// in a folder. A fixture holds when its command has the profile, its codes mean what
// it states, each line has the verdict of its mark, no line that looks like an error
// is folded, and some line is left. Every pattern of a profile with fixtures must
// decide about a line in one of them.
func (s *Set) Check(layer string, fixtures fs.FS) *Report {
	r := &Report{}
	for _, p := range s.Profiles() {
		if p.layer != layer {
			continue
		}
		r.Profiles++
		list, err := readFixtures(fixtures, p.name)
		if err != nil {
			r.problem("%v", err)
			continue
		}
		if len(list) == 0 {
			r.WithoutFixture = append(r.WithoutFixture, p.name)
			continue
		}
		decided := map[string]bool{}
		for _, f := range list {
			r.Fixtures++
			r.checkFixture(s, p, f, decided)
		}
		r.checkIdle(p, decided)
	}
	return r
}

// problem adds a problem.
func (r *Report) problem(format string, a ...any) {
	r.Problems = append(r.Problems, fmt.Sprintf(format, a...))
}

// checkFixture compares one fixture with its profile. It adds the patterns that decide
// about a line to decided.
func (r *Report) checkFixture(s *Set, p *Profile, f *Fixture, decided map[string]bool) {
	if len(f.Lines)+len(f.Exits) == 0 {
		r.problem("%s: has neither lines nor codes", f.File)
	}
	if found := s.Find(f.Command); found != p && len(f.Lines) > 0 {
		name := "none"
		if found != nil {
			name = found.name + " of " + found.layer
		}
		r.problem("%s: the profile of %q is %s, and not %s", f.File, f.Command, name, p.name)
		return
	}
	for _, e := range f.Exits {
		m := s.Exit(f.Command, e.Code)
		if _, own := p.exits[e.Code]; !own {
			r.problem("%s: code %d is not one of %s", f.File, e.Code, p.name)
		}
		if m.GetText() != e.Text || m.GetClass() != classes[e.Class] {
			r.problem("%s: code %d means %q, and not %q as %s", f.File, e.Code, m.GetText(), e.Text, e.Class)
		}
	}
	left, lines := 0, 0
	for _, l := range f.Lines {
		v, why := p.rules.Explain([]byte(l.Text))
		decided[v.String()+why] = true
		if v != l.Verdict {
			r.problem("%s, line %d: %q is %s by %q, and the mark says %s", f.File, l.Number, l.Text, v, why, l.Verdict)
		}
		if v == linerule.Fold && looksLikeError(l.Text) {
			r.problem("%s, line %d: %q looks like an error, and is folded by %q", f.File, l.Number, l.Text, why)
		}
		if strings.TrimSpace(l.Text) != "" {
			lines++
			if v != linerule.Fold {
				left++
			}
		}
	}
	if lines > 0 && left == 0 {
		r.problem("%s: every line is folded", f.File)
	}
}

// checkIdle reports the patterns that decide about no line.
func (r *Report) checkIdle(p *Profile, decided map[string]bool) {
	for _, list := range []struct {
		verdict  linerule.Verdict
		patterns []string
	}{{linerule.Fold, p.fold}, {linerule.Keep, p.keep}, {linerule.Summary, p.summary}} {
		for _, pattern := range list.patterns {
			if !decided[list.verdict.String()+pattern] {
				r.problem("%s: the %s pattern %q decides about no line of a fixture", p.file, list.verdict, pattern)
			}
		}
	}
}

// Words that a careful reader would not let go. Names of files and packages may
// contain them ("Compiling thiserror"), and a count of zero is good news.
var (
	errorWords = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:^|[\s\[("'*:|])(?:errors?|err!|fail|failed|failures?|fatal|panic|panicked|exception|traceback|warn|warnings?|denied|` +
			`cannot|could not|unable|refused|aborted|killed|critical|undefined|conflicts?|not found|no such|timed out|deprecated|rejected|unreachable)(?:$|[\s\])"'!:,;.])`)
	})
	noErrorWords = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:0|no) (?:errors?|failures?|failed|warnings?)\b|\b(?:errors?|failures?|failed|warnings?)[:=] ?0\b`)
	})
)

// looksLikeError reports whether a line may state an error or a warning.
func looksLikeError(line string) bool {
	return errorWords().MatchString(noErrorWords().ReplaceAllString(line, ""))
}
