// Package redacttest plants secrets in texts: every rule and every registered
// value in each of its encodings, where a search that works on lines, chunks or
// plain text would lose them. All of it is made up, and the same every time.
package redacttest

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"net/url"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolresult/toolresult/redact"
)

// Plant is a text with one secret in it.
type Plant struct {
	Kind       string // of the placeholder
	Where      string // rule or encoding, and place
	Text       []byte
	Secret     []byte // as it is in Text, without what Visible removes
	Registered bool   // it is found only if Secrets are registered
}

// Planted returns some thousand plants: each expression of each rule, and each
// encoding of each value, at every place. A plant of a rule is sampled from the
// expression itself, so a new rule is tested without a line of code.
func Planted() []Plant {
	var list []Plant
	random := source(1)
	for _, r := range redact.BuiltIn().Rules() {
		for k, e := range r.Expressions {
			for _, p := range places {
				before, secret, after := random.sample(r, e)
				list = append(list, p.plant(r.Kind, fmt.Sprintf("rule %d", k), before, secret, after, false))
			}
		}
	}
	for _, s := range Secrets() {
		for _, f := range forms(s.Value) {
			for _, p := range slices.Concat(places, seams) {
				if p.json && f.name == "json twice" {
					continue // three times is not found
				}
				list = append(list, p.plant(s.Name, f.name, "", f.text, "", true))
			}
		}
	}
	return list
}

// Secrets are the values of registered plants: one as short as allowed, one with
// every character that an encoder escapes, one with a line end behind it, one that is
// not ASCII, and one of several lines.
func Secrets() []redact.Secret {
	return []redact.Secret{
		{Name: "short", Value: []byte("k7#Qp!9z")},
		{Name: "DB_PASSWORD", Value: []byte(`p"ss\w/rd<with>&'all +of~it`)},
		{Name: "deploy.token", Value: []byte("Zq3vT8xW2nB6mK1pR9sD4fG7hJ0lC5yE\n")},
		{Name: "unicode", Value: []byte("pässwörd-密码-🔑-9182")},
		{Name: "key-file", Value: []byte("-----BEGIN THING-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\nVJTUt9Us8cKjMzEfYyjiWA4R4nQ\n-----END THING-----\n")},
	}
}

// Visible returns a text as a terminal of endless width would show it: without
// line ends, backspaces and sequences. A secret must not be in it.
func Visible(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '\n' || b[i] == '\r' || b[i] == '\b':
		case b[i] == 0x1b && i+1 < len(b) && b[i+1] == '[':
			for i += 2; i < len(b) && (b[i] < 0x40 || b[i] > 0x7e); i++ {
			}
		case b[i] == 0x1b && i+1 < len(b) && b[i+1] == ']':
			for i += 2; i < len(b) && b[i] != 7 && !(b[i] == '\\' && b[i-1] == 0x1b); i++ {
			}
		default:
			out = append(out, b[i])
		}
	}
	return out
}

// Least is the length from which on a part of a secret counts as seen.
const Least = 12

// Seen returns a part of the secret that is in a text, of at least Least bytes
// or the whole secret, or nil.
func (p Plant) Seen(text []byte) []byte {
	texts := [][]byte{text, Visible(text)}
	n := min(Least, len(p.Secret))
	for i := 0; i+n <= len(p.Secret); i++ {
		part := p.Secret[i : i+n]
		if bytes.Count(part, part[:1]) == n {
			continue // a run of one character, such as dashes
		}
		if strings.Contains(p.Kind, string(part)) {
			continue // the placeholder has it
		}
		for _, t := range texts {
			if bytes.Contains(t, part) {
				return part
			}
		}
	}
	return nil
}

// place is the text around a secret, and the change made to it.
type place struct {
	name          string
	before, after string
	json          bool                // inside of a JSON string
	inside        func(string) string // of registered values only
}

// places are where a secret is in real output: alone, in lines, in JSON, behind
// control sequences.
var places = []place{
	{name: "alone"},
	{name: "in a line", before: "2026-01-02T03:04:05Z step 3: ", after: " done\nnext line\n"},
	{name: "at line ends", before: "first line\n", after: "\nlast line"},
	{name: "in JSON", before: `{"level":"info","msg":"`, after: `","n":1}` + "\n", json: true},
	{name: "in colour", before: "out: \x1b[1;32m", after: "\x1b[0m rest\r\n"},
	{name: "behind progress", before: "10%\r20%\r100%\r", after: "\rdone\n"},
	{name: "in quotes", before: "cmd ' ", after: " '\n"},
}

// seams are places that cut a secret.
var seams = []place{
	{name: "coloured inside", inside: func(s string) string { return between(s, "\x1b[0m\x1b[38;5;12m") }},
	{name: "wrapped", before: "x ", after: " y", inside: func(s string) string { return between(s, "\n") }},
	{name: "wrapped by a terminal", inside: func(s string) string { return between(s, " \b\r\n"[1:]) }},
	{name: "in a title", before: "\x1b]0;title ", after: "\x07 rest"},
	{name: "linked inside", inside: func(s string) string { return between(s, "\x1b]8;;https://example.com\x1b\\") }},
}

// between puts something into every seven bytes of s.
func between(s, what string) string {
	var parts []string
	for chunk := range slices.Chunk([]byte(s), 7) {
		parts = append(parts, string(chunk))
	}
	return strings.Join(parts, what)
}

// plant puts a secret into a place. Before and after are what the expression of a rule
// wants around it.
func (p place) plant(kind, form, before, secret, after string, registered bool) Plant {
	inner := secret
	if p.inside != nil {
		inner = p.inside(secret)
	}
	if p.json {
		before, inner, after = escaped(before), escaped(inner), escaped(after)
		secret = inner
	}
	return Plant{
		Kind: kind, Where: form + ", " + p.name, Registered: registered,
		Text:   []byte(p.before + before + inner + after + p.after),
		Secret: Visible([]byte(secret)),
	}
}

// escaped returns a text as it is inside of a JSON string, by the encoder of the
// standard library. It panics for text that is not UTF-8, which JSON cannot have.
func escaped(s string) string {
	if !utf8.ValidString(s) {
		panic("redacttest: no text")
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), `"`), "\"\n")
}

// named is a form of a value with the name of its encoding.
type named struct{ name, text string }

// forms encodes a value in the ways that are found, with other encoders than the
// search uses where there are any.
func forms(value []byte) []named {
	v := strings.TrimRight(string(value), "\r\n")
	whole := []byte(v)
	var quoted bytes.Buffer
	if err := json.NewEncoder(&quoted).Encode(v); err != nil {
		panic(err)
	}
	inJSON := strings.Trim(strings.TrimSpace(quoted.String()), `"`)
	list := []named{
		{"raw", v},
		{"hex", hex.EncodeToString(whole)},
		{"HEX", strings.ToUpper(hex.EncodeToString(whole))},
		{"query", url.QueryEscape(v)},
		{"path", url.PathEscape(v)},
		{"json", inJSON},
		{"markup", html.EscapeString(v)},
		{"json twice", escaped(inJSON)},
		{"json slashes", strings.ReplaceAll(escaped(v), "/", `\/`)},
	}
	all := ""
	for _, c := range whole {
		all += fmt.Sprintf("%%%02x", c)
	}
	list = append(list, named{"percent", all})
	// In base64 a value has three forms, by its place in a group of three bytes; the
	// letters at its ends depend on the bytes around it, and are not of the form.
	for shift := range 3 {
		around := append(append(bytes.Repeat([]byte("u"), shift), whole...), ":x"...)
		for name, e := range map[string]*base64.Encoding{"base64": base64.StdEncoding, "base64url": base64.URLEncoding} {
			text := e.EncodeToString(around)
			from, to := (shift*8+5)/6, (shift+len(whole))*8/6
			list = append(list, named{fmt.Sprintf("%s %d", name, shift), text[from:to]})
		}
	}
	slices.SortFunc(list, func(a, b named) int { return strings.Compare(a.name, b.name) })
	return list
}

// source is splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
// generators, 2014). It is the same on every platform and in every version of Go, so
// that a plant that is not found can be found again.
type source uint64

// below returns a number from 0 to below n.
func (s *source) below(n int) int {
	*s += 0x9E3779B97F4A7C15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return int((z ^ z>>31) >> 1 % uint64(n))
}

// sample makes a text that an expression matches, and returns what is before the
// secret in it, the secret, and what is behind. Texts that the rule would not accept,
// such as one of too little entropy or one that looks like a path, are made again.
func (s *source) sample(r redact.Rule, expression string) (before, secret, after string) {
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		panic(err)
	}
	for range 1000 {
		g := &grower{source: s, group: r.Group, assigned: r.Assigned}
		if len(r.Behind) > 0 {
			g.text.WriteString(r.Behind[s.below(len(r.Behind))])
		}
		g.grow(tree)
		b, from, to := g.text.String(), 0, g.text.Len()
		if g.captured {
			from, to = g.from, g.to
		}
		before, secret, after = b[:from], b[from:to], b[to:]
		if r.Kind == "private-key" {
			secret = []string{"-----BEGIN PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN PGP PRIVATE KEY BLOCK-----"}[s.below(3)]
			return "", secret + "\n" + g.key() + "-----END PRIVATE KEY-----", "\n"
		}
		switch r.Kind {
		case "assigned-secret", "password", "env-secret": // which need a symbol, at some places
			secret = secret[:2] + "&" + secret[3:]
		}
		path := !strings.HasPrefix(r.About, "gitleaks") && r.Kind != "password-hash" && (strings.Count(secret, "/") > 2 || strings.ContainsAny(secret[:1], "/.~$%@{<(["))
		if entropy(secret) > r.Entropy && strings.ContainsAny(secret, "0123456789") == g.digits && !path {
			return before, secret, after
		}
	}
	panic("redacttest: no sample of " + r.Kind + " " + expression)
}

// entropy is Shannon's, in bits for each byte, written apart from the one that it
// tests.
func entropy(s string) (e float64) {
	for c := range 256 {
		if n := strings.Count(s, string([]byte{byte(c)})); n > 0 && c < 0x80 {
			e -= float64(n) / float64(len(s)) * math.Log2(float64(n)/float64(len(s)))
		}
	}
	return e
}

// grower makes a text of an expression: it walks the tree, and chooses a branch, a
// count or a letter wherever there is a choice.
type grower struct {
	*source
	text     strings.Builder
	from, to int  // of the secret in text, once captured
	captured bool // the group of the secret is complete
	inside   bool // of the secret
	group    int  // that is the secret; 0: the first one
	assigned bool // the secret is an assigned value, of which the expression has the begin
	digits   bool // the secret may have some
	turn     int  // letters so far: every third one is a digit
}

// gaps are forms of what is between a name and its value.
var gaps = []string{"_key = '", ": ", "=", `": "`, " := `"}

// assigns are forms of what is between a name and the value that is assigned to it.
var assigns = []string{"=", ": ", ":", " = ", `": "`, " => ", ` =\u003e `, `'] = "`, ":   "}

// grow appends a text that a part of an expression matches.
func (g *grower) grow(t *syntax.Regexp) {
	switch t.Op {
	case syntax.OpLiteral:
		for _, r := range t.Rune {
			switch r {
			case redact.GapRune:
				g.text.WriteString(gaps[g.below(len(gaps))])
			case redact.AssignRune:
				g.text.WriteString(assigns[g.below(len(assigns))])
			case redact.StopRune:
			default:
				if r >= '0' && r <= '9' && !g.captured {
					g.digits = true
				}
				g.text.WriteRune(r)
			}
		}
	case syntax.OpCharClass:
		g.text.WriteByte(g.of(t.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		g.text.WriteByte('x')
	case syntax.OpCapture:
		if g.captured || g.inside || g.group > 0 && t.Cap != g.group {
			g.grow(t.Sub[0])
			return
		}
		g.inside, g.digits, g.from = true, false, g.text.Len()
		g.grow(t.Sub[0])
		if g.assigned {
			g.text.WriteString(g.value('w', 16))
		}
		g.inside, g.captured, g.to = false, true, g.text.Len()
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		if t.Sub[0].Op == syntax.OpCharClass && t.Sub[0].Rune[0] > 0x7f { // the bytes of one letter
			g.text.WriteRune('│')
			return
		}
		least, most := t.Min, t.Max
		switch t.Op {
		case syntax.OpStar:
			least, most = 0, -1
		case syntax.OpPlus:
			least, most = 1, -1
		case syntax.OpQuest:
			least, most = 0, 1
		}
		n := least // few more than needed: the shortest secrets are the easiest to miss
		if most < 0 || most > least+40 {
			most = least + 40
		}
		if least > 1 {
			n += g.below(most - least + 1)
		} else if most > 8 {
			n = 4 + g.below(8)
		}
		for range n {
			g.grow(t.Sub[0])
		}
	case syntax.OpConcat:
		for _, s := range t.Sub {
			g.grow(s)
		}
	case syntax.OpAlternate:
		g.grow(t.Sub[g.below(len(t.Sub))])
	}
}

// of chooses a letter of a class; every third one is a digit, if there are any.
func (g *grower) of(ranges []rune) byte {
	var all, digits []byte
	for i := 0; i < len(ranges); i += 2 {
		for r := max(ranges[i], 0x21); r <= min(ranges[i+1], 0x7e); r++ {
			if r >= '0' && r <= '9' {
				digits = append(digits, byte(r))
			}
			if r < 0x80 && (r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || ranges[len(ranges)-1] < 0x80 && strings.ContainsRune("-_/+~", r)) {
				all = append(all, byte(r))
			}
		}
	}
	if len(digits) > 0 && !g.captured {
		g.digits = true
	}
	if g.turn++; g.turn%3 == 0 && len(digits) > 0 {
		return digits[g.below(len(digits))]
	}
	if len(all) == 0 { // a class of marks alone: a blank if it has one
		for i := 0; i < len(ranges); i += 2 {
			if ranges[i] <= ' ' && ranges[i+1] >= ' ' {
				return ' '
			}
		}
		return byte(ranges[0])
	}
	return all[g.below(len(all))]
}

// key is the middle of a private key.
func (g *grower) key() string {
	var b strings.Builder
	for range 5 {
		for range 64 {
			b.WriteByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[g.below(64)])
		}
		b.WriteByte('\n')
	}
	return b.String()
}
