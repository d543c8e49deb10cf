package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// module has the measures of a module. Generated files, testdata, vendored code and nested modules do not count.
type module struct {
	name     string
	root     string
	packages map[string]*folder // by folder in root

	fileLines     []int // of files without tests
	functionLines []int
	interfaces    []int // methods that an interface declares; embedded ones do not count
	exported      int   // names of packages, types, functions, methods, constants and variables
	documented    int
	examples      int
}

// folder has the measures of a package.
type folder struct {
	files        int // without tests
	lines        int
	commentLines int
	testLines    int
}

var (
	moduleLine = regexp.MustCompile(`(?m)^module\s+(\S+)`)
	// generated is the line by which the go command knows generated files (go help generate).
	generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
)

// measure reads the module in a folder.
func measure(dir string) (*module, error) {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil, err
	}
	name := moduleLine.FindSubmatch(text)
	if name == nil {
		return nil, fmt.Errorf("%s has no module line", filepath.Join(dir, "go.mod"))
	}
	m := &module{name: string(name[1]), root: dir, packages: map[string]*folder{}}
	return m, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if path != dir && skipped(path) {
				return filepath.SkipDir
			}
			return nil
		case filepath.Ext(path) == ".go":
			return m.readFile(path)
		}
		return nil
	})
}

// skipped reports whether a folder holds no code of the module.
func skipped(path string) bool {
	name := filepath.Base(path)
	if name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return true
	}
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	return err == nil
}

// readFile adds a file to the measures.
func (m *module) readFile(path string) error {
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if generated.Match(source) {
		return nil
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	dir, err := filepath.Rel(m.root, filepath.Dir(path))
	if err != nil {
		return err
	}
	p := m.packages[dir]
	if p == nil {
		p = &folder{}
		m.packages[dir] = p
	}
	lines := bytes.Count(source, []byte("\n"))
	if strings.HasSuffix(path, "_test.go") {
		p.testLines += lines
		m.countExamples(file)
		return nil
	}
	p.files++
	p.lines += lines
	m.fileLines = append(m.fileLines, lines)
	p.commentLines += commentLines(set, file)
	m.countDeclarations(set, file)
	return nil
}

// countExamples counts the functions that the documentation shows as examples.
func (m *module) countExamples(file *ast.File) {
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Example") {
			m.examples++
		}
	}
}

// commentLines counts the lines that have a comment. Lines with code and a comment count, directives such as go:build do not.
func commentLines(set *token.FileSet, file *ast.File) int {
	lines := map[int]bool{}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:") {
				continue
			}
			for line := set.Position(c.Pos()).Line; line <= set.Position(c.End()).Line; line++ {
				lines[line] = true
			}
		}
	}
	return len(lines)
}

// countDeclarations measures functions and interfaces, and counts exported names.
func (m *module) countDeclarations(set *token.FileSet, file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		if i, ok := n.(*ast.InterfaceType); ok {
			m.interfaces = append(m.interfaces, declaredMethods(i))
		}
		return true
	})
	public := file.Name.Name != "main"
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			m.functionLines = append(m.functionLines, set.Position(d.End()).Line-set.Position(d.Pos()).Line+1)
			if public && d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) {
				m.countName(d.Doc)
			}
		case *ast.GenDecl:
			if public {
				m.countSpecs(d)
			}
		}
	}
}

// countSpecs counts the exported types, constants and variables of a declaration. The comment of a group documents all
// of its constants or variables, as godoc shows them.
func (m *module) countSpecs(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				m.countName(d.Doc, s.Doc, s.Comment)
			}
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() {
					m.countName(d.Doc, s.Doc, s.Comment)
				}
			}
		}
	}
}

// countName counts an exported name, which is documented by any of docs.
func (m *module) countName(docs ...*ast.CommentGroup) {
	m.exported++
	for _, doc := range docs {
		if doc != nil {
			m.documented++
			return
		}
	}
}

// declaredMethods returns the number of methods that an interface declares itself.
func declaredMethods(i *ast.InterfaceType) (n int) {
	for _, field := range i.Methods.List {
		if _, ok := field.Type.(*ast.FuncType); ok {
			n += len(field.Names)
		}
	}
	return n
}

// receiver returns the name of the type of a method.
func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	for {
		switch u := t.(type) {
		case *ast.StarExpr:
			t = u.X
		case *ast.IndexExpr:
			t = u.X
		case *ast.IndexListExpr:
			t = u.X
		case *ast.Ident:
			return u.Name
		default:
			return ""
		}
	}
}
