package redacttest

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

//go:embed shapes.txt
var shapesText string

// Shape is a form in which tools print a secret.
type Shape struct {
	Group string
	Line  string // of shapes.txt
	parts []shapePart
}

// shapePart is a text, or what is drawn at its place.
type shapePart struct {
	text   string
	kind   byte // as shapes.txt explains; 0 for a text
	length int
	secret bool
}

// Shapes returns the shapes of shapes.txt.
func Shapes() (list []Shape) {
	group := ""
	for line := range strings.Lines(shapesText) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "## "); ok {
			group = name
			continue
		}
		if line != "" && line != "#" && !strings.HasPrefix(line, "# ") {
			list = append(list, Shape{group, line, shapeParts(line)})
		}
	}
	return list
}

// shapeParts cuts a line of shapes.txt. It panics for one that is wrong.
func shapeParts(line string) (parts []shapePart) {
	line = strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(line)
	for line != "" {
		at := strings.IndexAny(line, "⟦⟨")
		if at < 0 {
			return append(parts, shapePart{text: line})
		}
		secret := strings.HasPrefix(line[at:], "⟦")
		end := strings.IndexAny(line[at:], "⟧⟩")
		inside := line[at+len("⟦") : at+end]
		n, err := strconv.Atoi(inside[1:])
		if err != nil {
			panic(fmt.Sprintf("redacttest: shape %q: %v", line, err))
		}
		parts = append(parts, shapePart{text: line[:at]}, shapePart{kind: inside[0], length: n, secret: secret})
		line = line[at+end+len("⟧"):]
	}
	return parts
}

// Drawn is a shape with random values.
type Drawn struct {
	Text    string
	Secrets []string // the values that must not be shown
}

// Draw fills a shape, for every seed with other values.
func (s Shape) Draw(seed uint64) Drawn {
	random := source(seed)
	for _, c := range []byte(s.Line) {
		random = random*31 + source(c)
	}
	var d Drawn
	var text strings.Builder
	for _, p := range s.parts {
		text.WriteString(p.text)
		if p.kind == 0 {
			continue
		}
		value := random.value(p.kind, p.length)
		text.WriteString(value)
		if p.secret {
			d.Secrets = append(d.Secrets, value)
		}
	}
	d.Text = text.String()
	return d
}

const (
	digits = "0123456789"
	lowers = "abcdefghijklmnopqrstuvwxyz"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	words  = lowers + uppers + digits
)

// alphabets are those of the kinds of values.
var alphabets = map[byte]string{
	'w': words, 'k': words + "-_", 'b': words + "+/", 'p': words + "!@#%^*-_+=.?", 'h': digits + "abcdef", 'H': digits + "ABCDEF", 'l': lowers, 'L': lowers + digits,
	'U': uppers + digits, 'd': digits, 's': uppers + "234567", 'g': "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}

// value draws a value of a kind. Short ones of letters and digits have both, as generators of passwords see to.
func (s *source) value(kind byte, length int) string {
	switch kind {
	case 'B':
		b := make([]byte, length)
		for i := range b {
			b[i] = byte(s.below(256))
		}
		return base64.StdEncoding.EncodeToString(b)
	case 'i':
		return strings.Join([]string{s.value('h', 8), s.value('h', 4), s.value('h', 4), s.value('h', 4), s.value('h', 12)}, "-")
	case 'c':
		return base64.StdEncoding.EncodeToString([]byte("app:" + s.value('w', length)))
	}
	alphabet := alphabets[kind]
	if alphabet == "" {
		panic(fmt.Sprintf("redacttest: no kind %q of a value", kind))
	}
	for {
		b := make([]byte, length)
		for i := range b {
			b[i] = alphabet[s.below(len(alphabet))]
		}
		if value := string(b); length > 16 || length < 8 || kind == 'd' || kind == 'l' || strings.ContainsAny(value, digits) && strings.ContainsAny(value, lowers+uppers) {
			return value
		}
	}
}

// leastShown is the length of the shortest secret that Shown looks for. Shorter ones are parts of a token that has longer ones.
const leastShown = 8

// Shown returns a part of a secret of the shape that is in a text, of at least six bytes and a third of the secret; "" if none is.
func (d Drawn) Shown(text string) string {
	for _, secret := range d.Secrets {
		if len(secret) < leastShown { // which any text may have
			continue
		}
		n := min(len(secret), max(6, len(secret)/3))
		for from := 0; from+n <= len(secret); from++ {
			if part := secret[from : from+n]; strings.Contains(text, part) {
				return part
			}
		}
	}
	return ""
}
