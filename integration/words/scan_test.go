package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// rule rejects words. They are compared as a whole: a rule for a word does not reject a longer one that contains it.
type rule struct {
	words string // a regular expression of words in lower case
	say   string // the plain word
	only  kind   // where it is rejected; 0: everywhere
	scope string // the folder in which it is rejected, with those below; "": all
}

// kind is a kind of text.
type kind int

const (
	anywhere kind = iota
	inNames       // identifiers that Go code declares
	inGo          // identifiers and comments of Go code
)

// rules are the words that are rejected.
var rules = []rule{
	{words: `books?|bookkeeping`, say: "catalog"},
	{words: `library|libraries`, say: "catalog", only: inNames, scope: "artifactstore"},
	{words: `clerks?`, say: "worker, group commit"},
	{words: `gives?|orders?|rules|most`, say: "submit, options, max batch", only: inNames, scope: "internal/groupcommit"},
	{words: `came|arrived|intake`, say: "received"},
	{words: `brought`, say: "custom"},
	{words: `whose`, say: "owner", only: inNames},
	{words: `whom it belongs to`, say: "owner"},
	{words: `rooms?`, say: "package, remaining space"},
	{words: `witness|witnesses|testimony`, say: "recorded head"},
	{words: `judges?|judged|doubts?|doubted|contradicts?|contradicted`, say: "verify, inconsistency, conflict"},
	{words: `holdings|held`, say: "inventory"},
	{words: `tells?|told`, say: "callback, notify, report"},
	{words: `poisoned`, say: "failed"},
	{words: `unsound`, say: "corrupt"},
	{words: `damaged`, say: "corrupt", scope: "auditlog"},
	{words: `refuses?|refused|refusing|refusals?`, say: "reject, status error"},
	{words: `legs?|sittings?`, say: "CI job, test suite"},
	{words: `so many`, say: "n, the number of"},
	{words: `stands`, say: "is, holds"},
	{words: `nobody asks`, say: "disabled when nil"},
	{words: `may be called at once`, say: "safe for concurrent use"},
	{words: `what it is|what is kept|how much there is`, say: "the noun"},
	{words: `left out`, say: "omitted", only: inGo},
}

// exceptions are phrases in which a word is plain English, or another's.
var exceptions = regexp.MustCompile(`\b(?:` + strings.Join([]string{
	`connections? refused|refused connections?|refused_stream|refused stream`, // TCP and HTTP/2
	`(?:a|the|of|model's|its) refusals? of (?:a|the) model|refusal\.delta`,    // of a model that declines
	`locks? (?:is |are |was |be )?held|held locks?|held under (?:the|a) lock|mu held`,
	`(?:tell|tells|told) [a-z ]{0,40}\bapart`,
	`(?:can|cannot|to) tell (?:which|whether|how|one)`,
	`stands for`,
	`how far the (?:command|task) came|tell the operator`, // hints that models read
	`beyond doubt|no doubt|in doubt`,
	`(?:lines? [0-9]+(?:-[0-9]+)?|[0-9]+ bytes) left out`, // markers of receipts
}, "|") + `)\b`)

// finding is a word in a folder.
type finding struct {
	folder, word, say string
	at                string // a file and line that has it
}

// scan finds the words of all files below a folder.
func scan(root string) ([]finding, error) {
	var list []finding
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path) // path is below root
		if d.IsDir() {
			if skipped(name) {
				return filepath.SkipDir
			}
			return nil
		}
		found, err := scanFile(path, filepath.ToSlash(name))
		list = append(list, found...)
		return err
	})
	return list, err
}

// skipped reports whether a folder is not ours to word: generated code, inputs of tests, and records of decisions, which
// keep the words of their time.
func skipped(name string) bool {
	switch base := filepath.Base(name); base {
	case "testdata", "node_modules":
		return true
	default:
		return name == "gen" || filepath.ToSlash(name) == "docs/adr" || base != "." && strings.HasPrefix(base, ".")
	}
}

// scanFile finds the words of a file.
func scanFile(path, name string) ([]finding, error) {
	ext := filepath.Ext(name)
	if ext != ".go" && ext != ".proto" && !isDocument(name) {
		return nil, nil
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := scanner{name: name}
	switch ext {
	case ".go":
		err = s.scanGo(path, source)
	case ".proto":
		for i, line := range strings.Split(string(source), "\n") {
			if _, comment, found := strings.Cut(line, "//"); found {
				s.check(comment, anywhere, i+1)
			}
		}
	default:
		s.scanMarkdown(string(source))
	}
	return s.list, err
}

// isDocument reports whether a file is a document for readers of the repository.
func isDocument(name string) bool {
	return name == "README.md" || name == "CONTRIBUTING.md" || strings.HasPrefix(name, "docs/") && strings.HasSuffix(name, ".md")
}

// scanner finds the words of one file.
type scanner struct {
	name string
	list []finding
}

// check finds words in a text.
func (s *scanner) check(text string, k kind, line int) {
	text = exceptions.ReplaceAllString(strings.ToLower(strings.Join(strings.Fields(text), " ")), "")
	folder := filepath.ToSlash(filepath.Dir(s.name))
	for i, r := range rules {
		if r.only == inNames && k != inNames || r.only == inGo && k == anywhere {
			continue
		}
		if r.scope != "" && folder != r.scope && !strings.HasPrefix(folder, r.scope+"/") {
			continue
		}
		for _, word := range patterns[i].FindAllString(text, -1) {
			s.list = append(s.list, finding{folder: folder, word: word, say: r.say, at: s.name + ":" + strconv.Itoa(line)})
		}
	}
}

// patterns are the expressions of rules, for whole words.
var patterns = func() (list []*regexp.Regexp) {
	for _, r := range rules {
		list = append(list, regexp.MustCompile(`\b(?:`+r.words+`)\b`))
	}
	return list
}()

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// scanGo finds words in comments and in the identifiers that a file declares. Those that it uses are another's to name.
func (s *scanner) scanGo(path string, source []byte) error {
	if generated.Match(source) {
		return nil
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, group := range file.Comments {
		s.check(group.Text(), inGo, set.Position(group.Pos()).Line)
	}
	declared := func(names ...*ast.Ident) {
		for _, n := range names {
			s.check(words(n.Name), inNames, set.Position(n.Pos()).Line)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			declared(n.Name)
		case *ast.TypeSpec:
			declared(n.Name)
		case *ast.ValueSpec:
			declared(n.Names...)
		case *ast.Field:
			declared(n.Names...)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				declared(idents(n.Lhs)...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				declared(idents([]ast.Expr{n.Key, n.Value})...)
			}
		}
		return true
	})
	return nil
}

// idents returns the identifiers among expressions.
func idents(list []ast.Expr) (names []*ast.Ident) {
	for _, e := range list {
		if id, ok := e.(*ast.Ident); ok {
			names = append(names, id)
		}
	}
	return names
}

// words splits an identifier: "ErrNotFound" is "Err Not Found".
func words(name string) string {
	var b strings.Builder
	var last rune
	for _, r := range name {
		if r == '_' || unicode.IsUpper(r) && !unicode.IsUpper(last) {
			b.WriteByte(' ')
		}
		if r != '_' {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

var (
	fence = regexp.MustCompile("(?ms)^\\s*```.*?^\\s*```")
	code  = regexp.MustCompile("`[^`\n]*`")
	link  = regexp.MustCompile(`\]\([^)\n]*\)`)
)

// scanMarkdown finds words in a document. Code and addresses of links are quotations.
func (s *scanner) scanMarkdown(text string) {
	blank := func(t string) string { return strings.Repeat("\n", strings.Count(t, "\n")) }
	text = fence.ReplaceAllStringFunc(text, blank)
	text = link.ReplaceAllString(code.ReplaceAllString(text, " x "), "]")
	for i, line := range strings.Split(text, "\n") {
		s.check(line, anywhere, i+1)
	}
}
