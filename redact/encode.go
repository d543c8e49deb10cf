package redact

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"
)

// Encodings of a registered value: as it is, hexadecimal, base64 at each of
// three offsets, percent encodings of several libraries, and inside of JSON
// strings, once and twice, escaped for HTML and XML, and quoted for shells and
// programs. Tools nest them seldom deeper. A value of several lines is also searched for with a margin before each
// of them.

// form is one encoding of a value, or a piece of it.
type form struct {
	bytes string
	kind  int
}

// maxPiece is the length of the longest form. Longer ones are searched for in
// pieces, each for itself.
const maxPiece = 16 << 10

// pieces splits an encoding to forms of about the same length.
func pieces(f string, kind int) (list []form) {
	n := (len(f) + maxPiece - 1) / maxPiece
	for k := range n {
		list = append(list, form{f[k*len(f)/n : (k+1)*len(f)/n], kind})
	}
	return list
}

// encodings returns the distinct forms of a value. Encodings are made of the
// value with its line ends, and of it without; the forms have none that count.
func encodings(stripped, whole []byte) []string {
	seen := map[string]bool{}
	var list []string
	add := func(s string) {
		s = string(strip([]byte(s)))
		if len(s) >= MinValue && !seen[s] {
			seen[s] = true
			list = append(list, s)
		}
	}
	add(string(stripped))
	for _, margin := range margins {
		lines := []byte(strings.ReplaceAll(string(whole), "\n", "\n"+margin))
		form := strip(lines)
		if len(form) == len(stripped) || len(form) > maxPiece || repeats(form) { // one line, or mostly margins
			continue
		}
		add(string(form))
		add(jsonForm(lines, "", lowerHex, false))
	}
	inputs := [][]byte{whole}
	if len(stripped) != len(whole) {
		inputs = append(inputs, stripped)
	}
	for _, v := range inputs {
		for _, escape := range markupEscapes {
			if e := escape.Replace(string(v)); e != string(v) {
				add(e)
				add(jsonForm([]byte(e), "", lowerHex, false))
				add(jsonForm([]byte(e), "<>&", lowerHex, false))
			}
		}
		for _, quote := range quotings {
			if q := quote.Replace(string(v)); q != string(v) {
				add(q)
			}
		}
		add(hex.EncodeToString(v))
		add(strings.ToUpper(hex.EncodeToString(v)))
		for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			for shift := range 3 {
				add(core(e, v, shift))
			}
		}
		for _, digits := range []string{upperHex, lowerHex} {
			add(percent(v, "", digits, true))
		}
		if plain(v) {
			continue // nothing else to encode
		}
		for _, w := range urlWriters {
			add(percent(v, w.kept, upperHex, false))
			if w.lower {
				add(percent(v, w.kept, lowerHex, false))
			}
			if w.plus {
				add(strings.ReplaceAll(percent(v, w.kept+" ", upperHex, false), " ", "+"))
			}
		}
		for _, j := range jsonForms(v) {
			add(j)
			add(jsonForm([]byte(j), "", lowerHex, false))
			add(jsonForm([]byte(j), "/", lowerHex, false))
		}
	}
	return list
}

const upperHex, lowerHex = "0123456789ABCDEF", "0123456789abcdef"

// margins are what tools write before each line of a text that they show: the signs of diffs, quotes of mail, comments, and the
// indentation of YAML.
var margins = []string{"-", "+", " ", "< ", "> ", "# ", "  ", "    ", "      ", "        ", "\t"}

// markupEscapes are the escapes of HTML and XML, as far as encoders go.
var markupEscapes = []*strings.Replacer{
	strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;"),
	strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;"),
	strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;"),
	strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;"),
	strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;"),                                             // Python
	strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;"),                                               // Go
	strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#039;"),                                             // PHP
	strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;", "`", "&#x60;", "=", "&#x3D;"),               // Handlebars
	strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;", "/", "&#x2F;", "`", "&#x60;", "=", "&#x3D;"), // Mustache
	strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;", "/", "&#47;"),
}

// quotings are how shells and programs write a value into a string of theirs.
var quotings = []*strings.Replacer{
	strings.NewReplacer("'", `'\''`),                                  // a shell
	strings.NewReplacer("'", `'"'"'`),                                 // Python's shlex
	strings.NewReplacer("'", "''"),                                    // SQL, YAML
	strings.NewReplacer(`\`, `\\`, "'", `\'`),                         // Python, PHP
	strings.NewReplacer(`\`, `\\`, "'", `\'`, `"`, `\"`),              // PHP's addslashes
	strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`"),  // a shell between double quotes
	strings.NewReplacer(`\`, `\\`, `"`, `\"`, "#{", `\#{`, "$", `\$`), // Ruby, PHP
	strings.NewReplacer(bashQuoted()...),                              // printf %q, set -x
}

// bashQuoted returns the bytes before which Bash puts a backslash, and what it writes.
func bashQuoted() (pairs []string) {
	for _, c := range " !\"$&'()*,;<>?[\\]^`{|}" {
		pairs = append(pairs, string(c), `\`+string(c))
	}
	return pairs
}

// urlWriters are what writers of URLs leave as it is, beside letters and digits.
var urlWriters = []struct {
	kept  string
	lower bool // some write lower hexadecimal
	plus  bool // some write a space as "+"
}{
	{"", false, true},                     // Rust
	{"_", true, true},                     // C# of old
	{"-._~", true, true},                  // RFC 3986
	{"-_.", true, true},                   // PHP
	{"-_.*", true, true},                  // forms: browsers, Java
	{"-._~!'()*", true, true},             // JavaScript: encodeURIComponent
	{"-._~!'()*;/?:@&=+$,#", true, false}, // encodeURI
	{"-._~/", true, false},                // Python
	{"-._~$&+:=@", false, false},          // Go: segments of paths
	{"-._~$&+,;=", false, false},          // users
	{"-._~!$&'()*+,;=:@", false, false},   // Java
	{"-._~!$&'()*+,;=:@/?", false, false},
	{"-._~!$%&'()*+,|", false, false}, // WHATWG: users, queries, paths
	{"-._~!$%&()*+,/:;=?@[\\]^`{|}", false, false},
	{"-._~!$%&'()*+,/:;=@[\\]^|", false, false},
}

// plain reports whether v is letters and digits, which most encodings leave as
// they are.
func plain(v []byte) bool {
	for _, c := range v {
		if !isWord(c) || c == '_' {
			return false
		}
	}
	return true
}

// core encodes a value that begins shift bytes behind a multiple of three in
// base64, and returns the characters that do not depend on the bytes around it.
func core(e *base64.Encoding, v []byte, shift int) string {
	padded := append(make([]byte, shift), v...)
	text := e.EncodeToString(padded)
	from := (shift*8 + 5) / 6
	to := len(padded) * 8 / 6
	return text[from:to]
}

// percent encodes everything, or all but letters, digits and the kept
// characters.
func percent(v []byte, kept, digits string, everything bool) string {
	out := make([]byte, 0, 3*len(v))
	for _, c := range v {
		if !everything && (isWord(c) && c != '_' || strings.IndexByte(kept, c) >= 0) {
			out = append(out, c)
		} else {
			out = append(out, '%', digits[c>>4], digits[c&15])
		}
	}
	return string(out)
}

// jsonForms returns the forms of a value inside of a JSON string. Encoders
// differ in the characters that they escape without need.
func jsonForms(v []byte) (list []string) {
	for _, e := range jsonEncoders {
		if s := jsonForm(v, e.extra, e.digits, e.ascii); !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// jsonEncoders are the characters that encoders escape without need.
var jsonEncoders = []struct {
	extra, digits string
	ascii         bool // all but ASCII is escaped
}{
	{"", lowerHex, false},
	{"", upperHex, false},
	{"", lowerHex, true}, // Python
	{"", upperHex, true},
	{"/", lowerHex, false},
	{"/", lowerHex, true},    // PHP
	{"<>&", lowerHex, false}, // Go, Rails
	{"<>&", upperHex, false},
	{"<>&", lowerHex, true},
	{"<>&/", lowerHex, false},
	{"<>&='", lowerHex, false},   // Gson
	{"<>&'+`\"", upperHex, true}, // .NET
	{"<>&'+`\"", lowerHex, true},
	{"<>&'+`\"", upperHex, false},
	{"<>&'+`\"/", lowerHex, false},
	{"<>&'\"", upperHex, true}, // PHP, with all JSON_HEX flags
	{"<>&'\"/", upperHex, true},
}

// jsonForm encodes a value as one encoder does (RFC 8259, section 7).
func jsonForm(v []byte, extra, digits string, ascii bool) string {
	out := make([]byte, 0, len(v)+16)
	for i := 0; i < len(v); {
		r, n := utf8.DecodeRune(v[i:])
		switch {
		case r == '/' && strings.IndexByte(extra, '/') >= 0:
			out = append(out, `\/`...)
		case r < 0x80 && strings.IndexByte(extra, byte(r)) >= 0:
			out = escapeRune(out, r, digits)
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case r < 0x20 && strings.IndexByte("\b\f\n\r\t", byte(r)) >= 0:
			out = append(out, '\\', "bfnrt"[strings.IndexByte("\b\f\n\r\t", byte(r))])
		case r < 0x20 || r == 0x7f && ascii:
			out = escapeRune(out, r, digits)
		case r > 0xffff && ascii:
			out = escapeRune(out, 0xd800+(r-0x10000)>>10, digits)
			out = escapeRune(out, 0xdc00+(r-0x10000)&0x3ff, digits)
		case r > 0x7f && ascii && !(r == utf8.RuneError && n == 1):
			out = escapeRune(out, r, digits)
		default:
			out = append(out, v[i:i+n]...)
		}
		i += n
	}
	return string(out)
}

// escapeRune appends \u and four digits.
func escapeRune(out []byte, r rune, digits string) []byte {
	return append(out, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
