package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// pkg is a package as go list describes it.
type pkg struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Imports, TestImports, XTestImports []string
	Module                             struct{ Path, Dir string }
}

func (p pkg) name() string { return strings.TrimPrefix(p.ImportPath, p.Module.Path+"/") }

// list returns the packages of some patterns that have tests and are not generated. A package that is a test suite itself is
// none of them: what its checks are worth shows in the packages that run it.
func list(patterns []string) ([]pkg, error) {
	cmd := exec.Command("go", append([]string{"list", "-pgo=off", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports,Module"}, patterns...)...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var all []pkg
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		own := strings.Split(p.name(), "/")[0] // tests of the binary and programs of the house are not measured
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 && len(p.GoFiles) > 0 && own != "gen" && own != "integration" && !slices.Contains(p.Imports, "testing") {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no package with tests matches")
	}
	return all, nil
}

// tally is what came of the mutants of a package.
type tally struct{ killed, survived, equivalent, broken int }

// share is the percentage that was killed of those that could be.
func (t tally) share() float64 {
	if t.killed+t.survived == 0 {
		return 100
	}
	return 100 * float64(t.killed) / float64(t.killed+t.survived)
}

// try tries the mutants of a package.
func (o options) try(out io.Writer, p pkg, known map[string]string) (t tally, err error) {
	var all []mutant
	for _, file := range p.GoFiles {
		path, err := filepath.Rel(p.Module.Dir, filepath.Join(p.Dir, file))
		if err != nil {
			return t, err
		}
		found, err := places(p.Module.Dir, path)
		if err != nil {
			return t, err
		}
		all = append(all, found...)
	}
	began := time.Now()
	covered, err := p.covered()
	if err != nil {
		return t, err
	}
	limit := max(o.timeout, 5*time.Since(began))
	began = time.Now()
	next, mu := draw(all, o.seed), sync.Mutex{}
	var failed error
	var wait sync.WaitGroup
	for range max(1, o.workers) {
		wait.Go(func() {
			for {
				mu.Lock()
				if len(next) == 0 || t.killed+t.survived+t.equivalent >= o.seeds || failed != nil {
					mu.Unlock()
					return
				}
				m := next[0]
				next = next[1:]
				mu.Unlock()
				fate, err := o.fate(p, m, covered, known, limit)
				mu.Lock()
				failed = errors.Join(failed, err)
				if t.killed+t.survived+t.equivalent < o.seeds {
					t.count(out, m, fate, o.verbose)
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	fmt.Fprintf(out, "%-30s %3d of %4d places, %d killed, %d survived, %d equivalent, %d did not compile, %.0f %%, %.0f s\n", p.name(),
		t.killed+t.survived+t.equivalent, len(all), t.killed, t.survived, t.equivalent, t.broken, t.share(), time.Since(began).Seconds())
	return t, failed
}

// count counts a mutant, and prints it if it survived.
func (t *tally) count(out io.Writer, m mutant, fate fate, verbose bool) {
	switch fate {
	case killed:
		t.killed++
	case broken:
		t.broken++
	case equivalent:
		t.equivalent++
	default:
		t.survived++
	}
	if fate == survived || fate == uncovered || verbose && fate == killed {
		fmt.Fprintf(out, "%s: %s:%d\n\t- %s\n\t+ %s\n\t%s\n", fate, m.file, m.line, oneLine(m.from), oneLine(m.to), m.id())
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// fate is what became of a mutant.
type fate string

const (
	killed     fate = "killed"
	survived   fate = "SURVIVED"
	uncovered  fate = "SURVIVED, no test runs it"
	equivalent fate = "equivalent"
	broken     fate = "does not compile"
)

// fate runs the tests of a package with a mutant.
func (o options) fate(p pkg, m mutant, covered coverage, known map[string]string, limit time.Duration) (fate, error) {
	if _, ok := known[m.id()]; ok {
		return equivalent, nil
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	overlay, err := m.overlay(p.Module.Dir, dir)
	if err != nil {
		return "", err
	}
	if !covered.has(filepath.Base(m.file), m.line) {
		if p.builds(overlay) {
			return uncovered, nil
		}
		return broken, nil
	}
	args := []string{"test", "-overlay=" + overlay, "-count=1", "-short", "-vet=off", "-failfast", "-timeout", limit.String(), p.ImportPath}
	if slices.Contains(append(p.TestImports, p.XTestImports...), "pgregory.net/rapid") {
		args = append(args, "-rapid.nofailfile")
	}
	text, err := inGroup(2*limit, p.Module.Dir, args...)
	switch {
	case err == nil:
		return survived, nil
	case bytes.Contains(text, []byte("[build failed]")), bytes.Contains(text, []byte("[setup failed]")):
		return broken, nil
	}
	return killed, nil
}

// overlay writes the changed file, and the file that tells the go command of it.
func (m mutant) overlay(root, dir string) (string, error) {
	path := filepath.Join(root, m.file)
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if !bytes.HasPrefix(source[min(m.begin, len(source)):], []byte(m.from)) {
		return "", fmt.Errorf("%s was changed meanwhile", m.file)
	}
	changed := slices.Concat(source[:m.begin], []byte(m.to), source[m.begin+len(m.from):])
	mutated, overlay := filepath.Join(dir, "mutated.go"), filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]map[string]string{"Replace": {path: mutated}})
	if err != nil {
		return "", err
	}
	return overlay, errors.Join(os.WriteFile(mutated, changed, 0o600), os.WriteFile(overlay, text, 0o600))
}

// builds reports whether the package compiles with an overlay.
func (p pkg) builds(overlay string) bool {
	_, err := inGroup(10*time.Minute, p.Module.Dir, "build", "-overlay="+overlay, "-o", os.DevNull, p.ImportPath)
	return err == nil
}

// inGroup runs the go command in a process group of its own, of which nothing is left after a time.
func inGroup(limit time.Duration, dir string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	return cmd.CombinedOutput()
}

// coverage has the lines that tests run, by the base name of the file.
type coverage map[string][][2]int

func (c coverage) has(file string, line int) bool {
	return slices.ContainsFunc(c[file], func(r [2]int) bool { return r[0] <= line && line <= r[1] })
}

// coverLine is a line of a coverage profile: file, first line, last line, statements, count.
var coverLine = regexp.MustCompile(`^(.+):(\d+)\.\d+,(\d+)\.\d+ \d+ (\d+)$`)

// covered runs the tests without a mutant: they must pass, and say which lines they run.
func (p pkg) covered() (coverage, error) {
	profile, err := os.CreateTemp("", "mutate")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(profile.Name()) }()
	if err := profile.Close(); err != nil {
		return nil, err
	}
	out, err := inGroup(time.Hour, p.Module.Dir, "test", "-count=1", "-short", "-coverprofile", profile.Name(), p.ImportPath)
	if err != nil {
		return nil, fmt.Errorf("the tests do not pass without a mutant: %w\n%s", err, out)
	}
	text, err := os.ReadFile(profile.Name())
	if err != nil {
		return nil, err
	}
	c := coverage{}
	for line := range strings.Lines(string(text)) {
		if m := coverLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil && m[4] != "0" {
			first, _ := strconv.Atoi(m[2]) // the pattern has digits
			last, _ := strconv.Atoi(m[3])
			c[filepath.Base(m[1])] = append(c[filepath.Base(m[1])], [2]int{first, last})
		}
	}
	return c, nil
}

// readEquivalents reads a file of mutants that change nothing: ID // REASON. Empty lines and those with # are comments.
func readEquivalents(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	known := map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, reason, ok := strings.Cut(line, " // ")
		if !ok || len(reason) < 10 {
			return nil, fmt.Errorf("%s: %q has no reason", path, line)
		}
		known[id] = reason
	}
	return known, nil
}
