package steps

import (
	"bytes"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/preview/textscan"
)

// Steps of make, of tools that build packages and images: see steps.go.

// make says which folder it enters and leaves, also when it fails; then it says
// so first. Once two folders of one level are open at once, jobs run side by
// side, and their lines mix.
var makeSigns = []sign{
	{"make", makeFolder},
	{"gmake", makeFolder},
	{"mingw32-make", makeFolder},
}

// makeFolder takes "[2]: Entering directory '/src'".
func makeFolder(f *finder, at int, rest []byte) {
	if len(rest) == 0 || rest[0] != ':' && rest[0] != '[' {
		return
	}
	level, what, _ := strings.Cut(string(rest), ": ")
	kind := "folder " + level
	if folder, enters := strings.CutPrefix(what, "Entering directory "); enters {
		if _, besides := f.open[kind][""]; besides {
			f.mixed = true
			f.fail("make")
		}
		f.begin(kind, "", at)
		f.begin("make", kind+" "+folder, at)
	}
	if folder, leaves := strings.CutPrefix(what, "Leaving directory "); leaves {
		if !f.mixed {
			f.unlessFailed("make", kind+" "+folder, at)
		}
		f.fail(kind)
	}
	if strings.HasPrefix(what, "*** ") {
		f.fail("make")
	}
}

// Maven, Gradle and Ant say at their end whether they succeeded, Maven also of
// each module. Tests that failed and were ignored are no success.
var buildSigns = []sign{
	{"[INFO] Scanning for projects...", func(f *finder, at int, _ []byte) {
		f.begin("maven", "", at)
		f.maven = mavenModules{done: map[string]span{}}
	}},
	{"Using the MultiThreadedBuilder", func(f *finder, _ int, _ []byte) { f.maven = mavenModules{} }},
	{"[INFO] Building ", func(f *finder, at int, rest []byte) { f.maven.begin(at, string(rest)) }},
	{"[INFO] Reactor Summary", func(f *finder, at int, _ []byte) { f.maven.end(at - 1); f.maven.summary = true }},
	{"[INFO] ", mavenVerdict},
	{"[ERROR] There are test failures", mavenIgnores},
	{"[WARNING] There are test failures", mavenIgnores},
	{"Starting a Gradle Daemon", gradleBegins},
	{"Welcome to Gradle ", gradleBegins},
	{"> Configure project", gradleBegins},
	{"> Task :", gradleBegins},
	{"Buildfile: ", func(f *finder, at int, _ []byte) { f.begin("build", "", at) }},
	{"There were failing tests", buildFailed},
	{"BUILD FAILED", buildFailed},
	{"BUILD SUCCESSFUL", func(f *finder, at int, _ []byte) { f.succeed("build", "", at) }},
}

func buildFailed(f *finder, _ int, _ []byte) { f.fail("build") }

// gradleBegins begins a run of Gradle, unless one has begun.
func gradleBegins(f *finder, at int, _ []byte) {
	if _, runs := f.open["build"][""]; !runs {
		f.begin("build", "", at)
	}
}

// mavenModules are the modules of a run of Maven, by name.
type mavenModules struct {
	done    map[string]span // nil when they cannot be told apart
	name    string          // of the one that is built
	from    int             // where it begins
	summary bool            // of the run was begun
}

// begin takes "Core :: API 1.2-SNAPSHOT      [2/7]"; "Building jar: x.jar" has no
// such number.
func (m *mavenModules) begin(at int, title string) {
	i := strings.LastIndexByte(title, '[')
	if i < 0 || strings.IndexByte(title[i:], '/') < 0 || m.done == nil {
		return
	}
	m.end(at - 1)
	title = strings.TrimRight(title[:i], " ")
	m.name, m.from = title[:max(0, strings.LastIndexByte(title, ' '))], at
	if _, twice := m.done[m.name]; twice {
		m.done = nil
	}
}

// end ends the module that is built.
func (m *mavenModules) end(at int) {
	if m.done != nil && m.name != "" {
		m.done[m.name] = span{m.from, at}
	}
	m.name = ""
}

// mavenIgnores takes it that tests failed that are ignored.
func mavenIgnores(f *finder, _ int, _ []byte) {
	f.fail("maven")
	f.maven.name = ""
}

// mavenVerdict takes the lines at the end of a run: "BUILD SUCCESS", and "Core ::
// API ........ SUCCESS [  1.2 s]" of its summary.
func mavenVerdict(f *finder, at int, rest []byte) {
	switch {
	case bytes.HasPrefix(rest, []byte("BUILD SUCCESS")):
		f.succeed("maven", "", at)
	case bytes.HasPrefix(rest, []byte("BUILD FAILURE")):
		f.fail("maven")
	case f.maven.summary:
		name, _, succeeded := bytes.Cut(rest, []byte(" SUCCESS ["))
		if s, ok := f.maven.done[string(bytes.TrimRight(name, " ."))]; ok && succeeded {
			f.succeeded = append(f.succeeded, s)
		}
	}
}

// rpmbuild runs the scripts of a package one after another, and stops at the
// first that fails.
var rpmSigns = []sign{
	{"Executing(%", func(f *finder, at int, _ []byte) { f.next("rpm", at) }},
	{"error: Bad exit status", func(f *finder, _ int, _ []byte) { f.fail("rpm") }},
}

// Docker and Podman number the steps of an image and stop at the first that
// fails. BuildKit builds side by side: each line begins with the number of its
// step.
var imageSigns = []sign{
	{"Step ", imageStep},
	{"STEP ", imageStep},
	{"The command '/bin/", func(f *finder, _ int, _ []byte) { f.fail("image") }},
	{"Error: ", func(f *finder, _ int, _ []byte) { f.fail("image") }},
	{"#", buildKitVerdict},
}

// instructions are those that a step of an image can be.
var instructions = [...]string{
	"ADD ", "ARG ", "CMD ", "COPY ", "ENTRYPOINT ", "ENV ", "EXPOSE ", "FROM ", "HEALTHCHECK ", "LABEL ", "ONBUILD ", "RUN ", "SHELL ",
	"STOPSIGNAL ", "USER ", "VOLUME ", "WORKDIR ",
}

// isInstruction reports whether a text begins with an instruction.
func isInstruction(text []byte) bool {
	return slices.ContainsFunc(instructions[:], func(i string) bool { return bytes.HasPrefix(text, []byte(i)) })
}

// imageStep takes "3/7 : RUN make" of Docker and "3/7: RUN make" of Podman. The
// first step of an image says nothing of the one before.
func imageStep(f *finder, at int, rest []byte) {
	n, digits := textscan.Number(rest)
	if digits == 0 || !isInstruction(bytes.TrimLeft(rest[digits:], "/0123456789 :")) {
		return
	}
	if n == 1 {
		f.fail("image")
	}
	f.next("image", at)
}

// buildKitVerdict takes "12 DONE 3.4s" and "12 ERROR: ...".
func buildKitVerdict(f *finder, _ int, rest []byte) {
	_, digits := textscan.Number(rest)
	done, failed := bytes.HasPrefix(rest[digits:], []byte(" DONE ")), bytes.HasPrefix(rest[digits:], []byte(" ERROR: "))
	if digits == 0 || !done && !failed {
		return
	}
	before, seen := f.buildKit[string(rest[:digits])]
	f.buildKit[string(rest[:digits])] = done && (before || !seen)
}

// buildKitSteps finds the lines of the steps of BuildKit that ended well.
func (f *finder) buildKitSteps() {
	if len(f.buildKit) == 0 {
		return
	}
	for i := range f.n {
		text := f.text(i)
		if len(text) == 0 || text[0] != '#' {
			continue
		}
		if _, digits := textscan.Number(text[1:]); f.buildKit[string(text[1:1+digits])] {
			f.succeeded = append(f.succeeded, span{i, i})
		}
	}
}

// Buildbot says how each step ended.
var buildbotSigns = []sign{
	{"========= Started ", func(f *finder, at int, rest []byte) {
		name, _, _ := strings.Cut(string(rest), " (results: ")
		f.begin("buildbot", name, at)
	}},
	{"========= Finished ", func(f *finder, at int, rest []byte) {
		if name, how, _ := strings.Cut(string(rest), " (results: "); strings.HasPrefix(how, "0,") {
			f.succeed("buildbot", name, at)
		}
	}},
}
