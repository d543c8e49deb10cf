package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"

	"github.com/pelletier/go-toml/v2"
)

// TOMLFile sets one string in a table of a table in a TOML file: KEY in [TABLE.SUB]. The text around it stays as it is, and
// so does a file whose form of the table is not one of those that people and programs mostly write.
type TOMLFile struct{ Table, Sub, Key, Value string }

// TOMLFiles are several settings of one file.
type TOMLFiles []TOMLFile

// Apply returns the text with all settings.
func (f TOMLFiles) Apply(text []byte) (_ []byte, err error) {
	for _, one := range f {
		if text, err = one.Apply(text); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// Revert returns the text without the settings, the last one first.
func (f TOMLFiles) Revert(text []byte) (_ []byte, err error) {
	for _, one := range slices.Backward(f) {
		if text, err = one.Revert(text); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// errForm is the error of a table in a form that is left alone.
var errForm = errors.New("is in a form that is not edited here; add it by hand")

// Apply returns the text with the setting.
func (f TOMLFile) Apply(text []byte) ([]byte, error) {
	whole := text
	mark, text := cutBOM(text)
	before, err := parseTOML(text)
	if err != nil {
		return nil, err
	}
	switch got := f.lookup(before); got {
	case nil:
	case f.Value:
		return whole, nil
	default:
		return nil, fmt.Errorf("%s.%s.%s: %w", f.Table, f.Sub, f.Key, ErrTaken)
	}
	for _, try := range f.edits(text) {
		if after, err := parseTOML(try); err == nil && f.lookup(after) == f.Value && reflect.DeepEqual(f.without(before), f.without(after)) {
			return append(mark, try...), nil
		}
	}
	return nil, fmt.Errorf("[%s]: %w: %s", f.Table, errForm, f.line())
}

// parseTOML returns the tables of a text.
func parseTOML(text []byte) (map[string]any, error) {
	tables := map[string]any{}
	err := toml.Unmarshal(text, &tables)
	return tables, err
}

// line returns the setting as one line behind the header of its table.
func (f TOMLFile) line() string {
	return fmt.Sprintf("%s = { %s = %s }", f.Sub, f.Key, strconv.Quote(f.Value))
}

// edits returns texts that could have the setting, the most natural one first. Apply takes the first that means what it should.
func (f TOMLFile) edits(text []byte) (list [][]byte) {
	newline := styleOf(text).newline
	pair := f.Key + " = " + strconv.Quote(f.Value)
	insert := func(at int, what string) {
		list = append(list, bytes.Join([][]byte{text[:at], []byte(what), text[at:]}, nil))
	}
	behind := func(name, what string) { // the headers of a table
		for _, at := range regexp.MustCompile(`(?m)^[ \t]*\[[ \t]*`+name+`[ \t]*\][^\n]*\n`).FindAllIndex(text, -1) {
			insert(at[1], what+newline)
		}
	}
	end := ""
	if n := len(text); n > 0 && text[n-1] != '\n' {
		end = newline
	}
	behind(regexp.QuoteMeta(f.Table)+`[ \t]*\.[ \t]*`+regexp.QuoteMeta(f.Sub), pair)
	for _, at := range regexp.MustCompile(`(?m)\b`+regexp.QuoteMeta(f.Sub)+`[ \t]*=[ \t]*\{[ \t]*`).FindAllIndex(text, -1) {
		insert(at[1], pair+" ") // first, because a comma behind the last pair is no TOML 1.0
		insert(at[1], pair+", ")
	}
	behind(regexp.QuoteMeta(f.Table), f.line())
	gap := newline
	if len(text) == 0 {
		gap = ""
	}
	insert(len(text), fmt.Sprintf("%s%s[%s]%s%s%s", end, gap, f.Table, newline, f.line(), newline))
	insert(len(text), fmt.Sprintf("%s%s[%s.%s]%s%s%s", end, gap, f.Table, f.Sub, newline, pair, newline))
	return list
}

// Revert returns the text without the setting. A table that is empty by that goes where it is as Apply writes it.
func (f TOMLFile) Revert(text []byte) ([]byte, error) {
	whole := text
	mark, text := cutBOM(text)
	before, err := parseTOML(text)
	if err != nil {
		return nil, err
	}
	if f.lookup(before) != f.Value {
		return whole, nil
	}
	value := regexp.QuoteMeta(f.Key) + `[ \t]*=[ \t]*` + regexp.QuoteMeta(strconv.Quote(f.Value))
	table := regexp.QuoteMeta(f.Table)
	inline := regexp.QuoteMeta(f.Sub) + `[ \t]*=[ \t]*\{[ \t]*` + value + `[ \t]*\}[ \t]*(?:\r?\n|\z)`
	for _, pattern := range []string{
		`(?m)(?:^\r?\n)?^\[` + table + `\]\r?\n` + inline,
		`(?m)(?:^\r?\n)?^\[` + table + `\.` + regexp.QuoteMeta(f.Sub) + `\]\r?\n` + value + `(?:\r?\n|\z)`,
		`(?m)^[ \t]*` + inline,
		`(?m)^[ \t]*` + value + `[ \t]*(?:\r?\n|\z)`, value + `[ \t]*,[ \t]*`, `,[ \t]*` + value, value,
	} {
		for _, at := range regexp.MustCompile(pattern).FindAllIndex(text, -1) {
			try := append(bytes.Clone(text[:at[0]]), text[at[1]:]...)
			if after, err := parseTOML(try); err == nil && f.lookup(after) == nil && reflect.DeepEqual(f.without(before), f.without(after)) {
				return append(mark, try...), nil
			}
		}
	}
	return nil, fmt.Errorf("%s.%s.%s: %w", f.Table, f.Sub, f.Key, errors.New("is in a form that is not edited here; remove it by hand"))
}

// lookup returns the setting; nil if there is none.
func (f TOMLFile) lookup(tables map[string]any) any {
	table, _ := tables[f.Table].(map[string]any)
	sub, _ := table[f.Sub].(map[string]any)
	return sub[f.Key]
}

// without returns everything but the setting, and but tables of its path that are empty without it.
func (f TOMLFile) without(tables map[string]any) map[string]any {
	root := maps.Clone(tables)
	table, isTable := root[f.Table].(map[string]any)
	if !isTable {
		return root
	}
	table = maps.Clone(table)
	if sub, isTable := table[f.Sub].(map[string]any); isTable {
		sub = maps.Clone(sub)
		delete(sub, f.Key)
		setOrDelete(table, f.Sub, sub)
	}
	setOrDelete(root, f.Table, table)
	return root
}

// setOrDelete sets a table in another one, or deletes it if it is empty.
func setOrDelete(in map[string]any, key string, table map[string]any) {
	in[key] = table
	if len(table) == 0 {
		delete(in, key)
	}
}
