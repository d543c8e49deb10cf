package steps

import (
	"bytes"
	"strings"
)

// Step is where a line lies among the steps of a log.
type Step uint8

// The places of a line. The zero Step says nothing.
const (
	Unknown   Step = iota
	Succeeded      // in a step that ended well
	CleanUp        // in what is done after the step that failed, to clean up
)

// Of returns for each of n lines the step that it lies in; nil when no line has one
// that is known. The lines may have gaps, which their numbers show.
//
// The lines are in their bare form (textscan.Bare) and without their times (salience.TimeLength).
func Of(n int, line func(i int) (text []byte, number int64)) []Step {
	f := finder{n: n, line: line, open: map[string]map[string]int{}, buildKit: map[string]bool{}}
	for i := range n {
		f.add(i, f.text(i))
	}
	return f.places()
}

// span is a run of lines, by their indices.
type span struct{ from, to int }

// finder finds the steps of a log in one pass.
type finder struct {
	n         int // lines
	line      func(i int) (text []byte, number int64)
	open      map[string]map[string]int // where the steps begin that have not ended, by kind and name
	succeeded []span
	cleanUp   []span
	// Since a step failed. It is for the services that stop there.
	failed bool
	// The title of a group of a GitHub log, until its command is seen; 0 for none, else its index and one.
	title int
	// Where a clean-up began that counts only if the log says later that the job failed; 0 for none, else its index and one.
	maybe int

	jenkins  jenkinsStages
	mixed    bool // the lines of jobs of make are mixed
	maven    mavenModules
	buildKit map[string]bool // whether steps ended well, by their number
	tests    goTests
}

// text returns the text of a line.
func (f *finder) text(i int) []byte {
	text, _ := f.line(i)
	return text
}

// begin opens a step. One of the same kind and name that is open is forgotten.
func (f *finder) begin(kind, name string, at int) {
	if f.open[kind] == nil {
		f.open[kind] = map[string]int{}
	}
	f.open[kind][name] = at
}

// end closes a step, and returns its lines, up to one, if it is open.
func (f *finder) end(kind, name string, at int) (s span, ok bool) {
	from, ok := f.open[kind][name]
	delete(f.open[kind], name)
	return span{from, at}, ok && from <= at
}

// succeed closes a step that ended well.
func (f *finder) succeed(kind, name string, at int) {
	if s, ok := f.end(kind, name, at); ok {
		f.succeeded = append(f.succeeded, s)
	}
}

// unlessFailed closes a step with a line that ends it in any case. It ended well
// if no sign of a failure closed it before, and none was in a gap of the list.
func (f *finder) unlessFailed(kind, name string, at int) {
	if s, ok := f.end(kind, name, at); ok && f.whole(s) {
		f.succeeded = append(f.succeeded, s)
	}
}

// whole reports whether the list has all lines of a span.
func (f *finder) whole(s span) bool {
	_, first := f.line(s.from)
	_, last := f.line(s.to)
	return last-first == int64(s.to-s.from)
}

// next begins a step that begins only if the one of its kind before ended well.
func (f *finder) next(kind string, at int) {
	f.unlessFailed(kind, "", at-1)
	f.begin(kind, "", at)
}

// fail closes all steps of a kind: none of those that are open ends well.
func (f *finder) fail(kind string) { clear(f.open[kind]) }

// places returns the steps of all lines.
func (f *finder) places() []Step {
	f.buildKitSteps()
	if len(f.succeeded) == 0 && len(f.cleanUp) == 0 {
		return nil
	}
	places := make([]Step, f.n)
	paint(places, f.succeeded, Succeeded)
	paint(places, f.cleanUp, CleanUp)
	return places
}

// paint sets the lines of spans, which may overlap, in one pass.
func paint(places []Step, spans []span, step Step) {
	depth := make([]int, len(places)+1)
	for _, s := range spans {
		depth[s.from]++
		depth[s.to+1]--
	}
	inside := 0
	for i := range places {
		if inside += depth[i]; inside > 0 {
			places[i] = step
		}
	}
}

// sign is how a line begins that begins or ends a step, and what follows from
// it. The act gets the index of the line and what is behind the beginning.
type sign struct {
	begin string
	act   func(f *finder, at int, rest []byte)
}

// signsOf are the signs by their first byte. Of two that hold the first counts.
var signsOf = func() (table [256][]sign) {
	for _, signs := range [][]sign{travisSigns, githubSigns, azureSigns, gitlabSigns, jenkinsSigns, makeSigns, buildSigns, rpmSigns, imageSigns, buildbotSigns, goSigns, googleSigns} {
		for _, s := range signs {
			table[s.begin[0]] = append(table[s.begin[0]], s)
		}
	}
	return table
}()

// add takes a line without its times.
func (f *finder) add(at int, text []byte) {
	f.jenkinsFollows(text)
	if len(text) == 0 {
		return
	}
	for _, s := range signsOf[text[0]] {
		if bytes.HasPrefix(text, []byte(s.begin)) {
			s.act(f, at, text[len(s.begin):])
		}
	}
}

// Travis CI says of each command of its script phase how it ended. A command of
// the phases before that fails ends the build, and its fold stays open.
var travisSigns = []sign{
	{"$ ", func(f *finder, at int, rest []byte) { f.begin("command", string(rest), at) }},
	{`The command "`, travisExit},
	{"travis_fold:start:", func(f *finder, at int, rest []byte) { f.begin("fold", string(rest), at) }},
	{"travis_fold:end:", travisFoldEnd},
	{"store build cache", maybeCleanUp},
	{"Done. Your build exited with 0", func(f *finder, _ int, _ []byte) { f.maybe = 0 }},
	{"Done. Your build exited with ", jobFailed},
}

// travisExit takes `make test" exited with 2.`, and `make" failed and exited with
// 1 during install.`
func travisExit(f *finder, at int, rest []byte) {
	end := bytes.LastIndex(rest, []byte(`" `))
	if end < 0 {
		return
	}
	switch how := string(rest[end+2:]); {
	case how == "exited with 0.":
		f.succeed("command", string(rest[:end]), at)
	case strings.HasPrefix(how, "exited with "), strings.HasPrefix(how, "failed and exited with "):
		f.fail("command")
		f.fail("fold")
		f.failed = true
	}
}

// travisFoldEnd closes a fold. Those of some phases end only if all commands in
// them did well; others clean up.
func travisFoldEnd(f *finder, at int, rest []byte) {
	name := string(rest)
	s, ok := f.end("fold", name, at)
	phase, _, _ := strings.Cut(name, ".")
	switch phase {
	case "before_install", "install", "before_script", "git":
		if ok && f.whole(s) {
			f.succeeded = append(f.succeeded, s)
		}
	case "after_script", "cache":
		if ok && f.failed {
			f.cleanUp = append(f.cleanUp, s)
		}
	}
}

// GitHub Actions begins a step with a group that has its command, and says
// ##[error] if it failed. No further step begins then, but those that clean up
// and those that want to know.
var githubSigns = []sign{
	{"##[group]Run ", func(f *finder, at int, rest []byte) {
		f.title = at + 1
		if bytes.IndexByte(rest, '@') > 0 && bytes.IndexByte(rest, ' ') < 0 { // an action, "actions/checkout@v4"
			f.githubStep(string(rest))
		}
	}},
	{"shell: ", func(f *finder, _ int, _ []byte) { f.githubStep("") }},
	{"##[endgroup]", func(f *finder, _ int, _ []byte) { f.title = 0 }},
	{"##[error]", func(f *finder, _ int, _ []byte) {
		f.fail("github")
		f.fail("azure")
		f.failed = true
	}},
	{"Post job cleanup.", func(f *finder, at int, _ []byte) {
		f.githubEnd(at)
		if f.failed {
			f.begin("cleanup", "", at)
		}
	}},
	{"Cleaning up orphan processes", func(f *finder, at int, _ []byte) { f.githubEnd(at) }},
	{"Current runner version: ", func(f *finder, _ int, _ []byte) { // another job
		f.fail("github")
		f.fail("cleanup")
		f.failed, f.title = false, 0
	}},
}

// githubStep begins the step whose title was seen: a command, or an action.
func (f *finder) githubStep(action string) {
	if f.title == 0 {
		return
	}
	at := f.title - 1
	f.title = 0
	f.githubEnd(at)
	switch {
	case !f.failed:
		f.begin("github", "", at)
	case strings.HasPrefix(action, "actions/upload-artifact@"), strings.HasPrefix(action, "actions/cache/save@"):
		f.begin("cleanup", "", at)
	}
}

// githubEnd ends a step with the line before one that begins another.
func (f *finder) githubEnd(next int) {
	f.unlessFailed("github", "", next-1)
	if s, ok := f.end("cleanup", "", next-1); ok {
		f.cleanUp = append(f.cleanUp, s)
	}
}

// Azure Pipelines says where a task begins and ends, and ##[error] in between if
// it failed.
var azureSigns = []sign{
	{"##[section]Starting: ", func(f *finder, at int, rest []byte) { f.begin("azure", string(rest), at) }},
	{"##[section]Finishing: ", func(f *finder, at int, rest []byte) {
		name := string(rest)
		if f.failed && (strings.HasPrefix(name, "Post-job: ") || name == "Finalize Job") {
			if s, ok := f.end("azure", name, at); ok {
				f.cleanUp = append(f.cleanUp, s)
			}
			return
		}
		f.unlessFailed("azure", name, at)
	}},
}

// GitLab's runner has stages of its own around the script of a job. If one fails,
// the script does not begin; behind it come those that clean up.
var gitlabSigns = []sign{
	{"Preparing the \"", gitlabStage},
	{"Preparing environment", gitlabStage},
	{"Getting source from ", gitlabStage},
	{"Executing \"step_script\" stage", gitlabScript},
	{"Executing \"build_script\" stage", gitlabScript},
	{"Running after script", maybeCleanUp},
	{"Running after_script", maybeCleanUp},
	{"Saving cache for failed job", maybeCleanUp},
	{"Uploading artifacts for failed job", maybeCleanUp},
	{"Cleaning up project directory", maybeCleanUp},
	{"ERROR: Job failed", jobFailed},
	{"Job succeeded", func(f *finder, _ int, _ []byte) { f.maybe = 0 }},
}

// gitlabStage begins what comes before the script of a job.
func gitlabStage(f *finder, at int, _ []byte) {
	if _, runs := f.open["gitlab"][""]; !runs {
		f.begin("gitlab", "", at)
	}
}

// gitlabScript begins the script, behind stages that did well.
func gitlabScript(f *finder, at int, _ []byte) { f.succeed("gitlab", "", at-1) }

// maybeCleanUp remembers where a clean-up begins, if it is one after a failure.
func maybeCleanUp(f *finder, at int, _ []byte) {
	if f.maybe == 0 {
		f.maybe = at + 1
	}
}

// jobFailed says that the clean-up before it was one after a failure.
func jobFailed(f *finder, at int, _ []byte) {
	if f.maybe > 0 && f.maybe <= at {
		f.cleanUp = append(f.cleanUp, span{f.maybe - 1, at - 1})
	}
	f.maybe = 0
}

// Jenkins says where a stage begins and ends, and of the stages behind one that
// failed that it skips them, in declarative pipelines. Stages that run side by
// side mix their lines.
var jenkinsSigns = []sign{
	{"[Pipeline] parallel", func(f *finder, _ int, _ []byte) { f.jenkins.mixed = true }},
	{"[Pipeline] { (", func(f *finder, at int, rest []byte) {
		j := &f.jenkins
		j.declarative = j.declarative || bytes.HasPrefix(rest, []byte("Declarative: "))
		j.begin, j.last = at+1, bytes.HasPrefix(rest, []byte("Declarative: Post Actions"))
	}},
	{"[Pipeline] // stage", func(f *finder, at int, _ []byte) {
		j := &f.jenkins
		switch {
		case j.begin == 0:
		case j.last:
			j.ended, j.post = nil, &span{j.begin - 1, at}
		case j.declarative && !j.mixed && f.whole(span{j.begin - 1, at}):
			j.ended = &span{j.begin - 1, at}
		}
		j.begin = 0
	}},
	{"ERROR: ", func(f *finder, _ int, _ []byte) { f.jenkins.begin, f.jenkins.ended = 0, nil }},
	{"Finished: FAILURE", func(f *finder, _ int, _ []byte) {
		if f.jenkins.post != nil {
			f.cleanUp = append(f.cleanUp, *f.jenkins.post)
		}
	}},
}

// jenkinsStages are the stages of a log of Jenkins.
type jenkinsStages struct {
	declarative, mixed bool
	begin              int   // index of where the stage begins that is open, and one; 0 for none
	last               bool  // it is that of the actions behind all others
	ended              *span // the last one that has ended, and well if another one does something
	post               *span // that of the actions behind all others
}

// jenkinsFollows takes the next line: the stage before it ended well if it is what
// another stage does.
func (f *finder) jenkinsFollows(text []byte) {
	j := &f.jenkins
	if j.ended == nil || bytes.HasPrefix(text, []byte("[Pipeline] ")) {
		return
	}
	if j.begin > 0 && !j.last && !bytes.HasPrefix(text, []byte("Stage \"")) {
		f.succeeded = append(f.succeeded, *j.ended)
	}
	j.ended = nil
}
