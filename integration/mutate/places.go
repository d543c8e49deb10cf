package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is one change of one file.
type mutant struct {
	file     string // relative to the root of the module
	line     int
	function string // name, with its receiver's type
	kind     string // negate, nil error, drop call, bound
	from, to string // the text, before and after
	begin    int    // offset of from in the file
	nth      int    // which of the same in the function, from 0
}

// id names a mutant without its line, so that it has the same name after unrelated edits.
func (m mutant) id() string {
	text := strings.Join(strings.Fields(m.from), " ")
	return fmt.Sprintf("%s %s: %s %q #%d", m.file, m.function, m.kind, text, m.nth)
}

// places returns the mutants of a file that the syntax allows. Some do not compile.
func places(root, file string) ([]mutant, error) {
	source, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := finder{set: set, source: source, file: file, seen: map[string]int{}}
	for _, d := range tree.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
			f.function = nameOf(d)
			ast.Inspect(d.Body, f.visit)
		}
	}
	return f.found, nil
}

// nameOf is the name of a function, with its receiver's type.
func nameOf(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if index, ok := typ.(*ast.IndexExpr); ok { // of a generic type
		typ = index.X
	}
	if name, ok := typ.(*ast.Ident); ok {
		return name.Name + "." + d.Name.Name
	}
	return d.Name.Name
}

// finder collects the mutants of a file.
type finder struct {
	set      *token.FileSet
	source   []byte
	file     string
	function string
	seen     map[string]int // how often a change was found in its function
	found    []mutant
}

// add adds a mutant that replaces the text of a node.
func (f *finder) add(kind string, node ast.Node, replace func(text string) string) {
	begin, end := f.set.Position(node.Pos()), f.set.Position(node.End()).Offset
	text := string(f.source[begin.Offset:end])
	m := mutant{
		file: f.file, line: begin.Line, function: f.function, kind: kind, from: text, to: replace(text), begin: begin.Offset,
	}
	key := m.id()
	m.nth = f.seen[key]
	f.seen[key]++
	f.found = append(f.found, m)
}

// bounds are comparisons and those that differ from them at the bound alone.
var bounds = map[token.Token]string{token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">"}

// visit finds the mutants at a node.
func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		f.add("negate", n.Cond, func(text string) string { return "!(" + text + ")" })
		f.dropped(n.Init)
	case *ast.ReturnStmt:
		if len(n.Results) > 0 {
			if last, ok := n.Results[len(n.Results)-1].(*ast.Ident); ok && last.Name == "err" {
				f.add("nil error", last, func(string) string { return "nil" })
			}
		}
	case *ast.BinaryExpr:
		if other, ok := bounds[n.Op]; ok {
			x, y := f.text(n.X), f.text(n.Y)
			f.add("bound", n, func(string) string { return x + " " + other + " " + y })
		}
	case *ast.ExprStmt:
		if _, ok := n.X.(*ast.CallExpr); ok && !isPanic(n.X) {
			f.add("drop call", n, func(string) string { return "" })
		}
	case *ast.BlockStmt:
		for _, s := range n.List {
			f.dropped(s)
		}
	}
	return true
}

// dropped finds a call whose only result is an error that is kept: err := f(), err = f().
func (f *finder) dropped(s ast.Stmt) {
	assign, ok := s.(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
		return
	}
	name, ok := assign.Lhs[0].(*ast.Ident)
	if _, call := assign.Rhs[0].(*ast.CallExpr); ok && call && name.Name == "err" {
		f.add("drop call", assign.Rhs[0], func(string) string { return "error(nil)" })
	}
}

func (f *finder) text(n ast.Node) string {
	return string(f.source[f.set.Position(n.Pos()).Offset:f.set.Position(n.End()).Offset])
}

// isPanic reports a panic: without it most functions do not compile.
func isPanic(x ast.Expr) bool {
	name, ok := x.(*ast.CallExpr).Fun.(*ast.Ident)
	return ok && name.Name == "panic"
}

// draw returns the mutants in the order in which a seed tries them.
func draw(all []mutant, seed uint64) []mutant {
	rank := func(m mutant) string {
		sum := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, seed), m.id()...))
		return string(sum[:])
	}
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b mutant) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}
