// Command platforms checks the types of this module, with its tests, as another system has them, from source: nothing is compiled,
// which would take minutes for each system.
//
//	platforms GOOS/GOARCH PACKAGES
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// main exits with 1 when a package has an error, or none was checked.
func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "platforms:", err)
		os.Exit(1)
	}
}

// run is the command.
func run(args []string, out io.Writer) error {
	if len(args) < 2 {
		return errors.New("usage: platforms GOOS/GOARCH PACKAGES")
	}
	goos, goarch, ok := strings.Cut(args[0], "/")
	if !ok {
		return fmt.Errorf("%s is not GOOS/GOARCH", args[0])
	}
	began := time.Now()
	list, err := packages(goos, goarch, args[1:])
	if err != nil {
		return err
	}
	c := newChecker(goarch)
	ours, tests := 0, 0
	for _, p := range list {
		if strings.HasSuffix(p.ImportPath, ".test") { // what calls the tests, which is generated
			continue
		}
		c.check(p)
		if p.isOurs() {
			ours++
		}
		if p.ForTest != "" {
			tests++
		}
	}
	fmt.Fprintf(out, "%s: %d packages of this module, %d of them with tests, %.0f s\n", args[0], ours, tests, time.Since(began).Seconds())
	if ours == 0 {
		return errors.New("no package was checked")
	}
	return errors.Join(c.errs...)
}

// listed is a package as `go list` describes it.
type listed struct {
	Dir        string
	ImportPath string // with the test that it is compiled for, in brackets
	ForTest    string
	GoFiles    []string
	ImportMap  map[string]string // imports that are of other packages than they say
	Module     *struct{ Main bool }
	Error      *struct{ Err string }
}

// isOurs reports whether the package is of this module.
func (p *listed) isOurs() bool { return p.Module != nil && p.Module.Main }

// packages returns packages with their tests and all that they import, which comes before them.
func packages(goos, goarch string, patterns []string) (list []*listed, err error) {
	c := exec.Command("go", append([]string{"list", "-e", "-pgo=off", "-deps", "-test", "-json=Dir,ImportPath,ForTest,GoFiles,ImportMap,Module,Error"}, patterns...)...)
	c.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	c.Stderr = os.Stderr
	text, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		p := &listed{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		if p.Error != nil {
			return nil, fmt.Errorf("%s: %s", p.ImportPath, p.Error.Err)
		}
		list = append(list, p)
	}
}

// checker checks packages in the order in which they import each other.
type checker struct {
	files *token.FileSet
	sizes types.Sizes
	done  map[string]*types.Package // by the import path of go list
	errs  []error                   // of packages of this module
}

// newChecker returns a checker for an architecture.
func newChecker(goarch string) *checker {
	done := map[string]*types.Package{"unsafe": types.Unsafe}
	return &checker{files: token.NewFileSet(), sizes: types.SizesFor("gc", goarch), done: done}
}

// importer finds what a package imports.
type importer struct {
	*checker
	of *listed
}

// Import implements [types.Importer].
func (i importer) Import(path string) (*types.Package, error) {
	if mapped, ok := i.of.ImportMap[path]; ok {
		path = mapped
	}
	if p, ok := i.done[path]; ok {
		return p, nil
	}
	return nil, fmt.Errorf("%s is not there", path)
}

// check checks a package. Of those of other modules only the declarations are looked at.
func (c *checker) check(p *listed) {
	if p.ImportPath == "unsafe" {
		return
	}
	var parsed []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(c.files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			c.errs = append(c.errs, err)
			continue
		}
		parsed = append(parsed, f)
	}
	config := types.Config{
		Importer: importer{c, p}, Sizes: c.sizes, IgnoreFuncBodies: !p.isOurs(), FakeImportC: true,
		Error: func(err error) {
			if p.isOurs() {
				c.errs = append(c.errs, err)
			}
		},
	}
	path, _, _ := strings.Cut(p.ImportPath, " ")
	c.done[p.ImportPath], _ = config.Check(path, c.files, parsed, nil) // Error has its errors
}
