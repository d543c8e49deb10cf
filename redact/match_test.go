package redact

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// among is the property of being one of some bytes.
func among(list string) func(c byte) bool {
	return func(c byte) bool { return strings.IndexByte(list, c) >= 0 }
}

const (
	digits    = "0123456789"
	letters   = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	wordBytes = digits + letters + "_"
)

// matcherOf is a matcher of the built-in rules on a text.
func matcherOf(text string, end bool) *matcher {
	f := newPatternFinder(BuiltIn(), &marks{patterns: &BuiltIn().kinds}, false)
	f.v = view{b: []byte(text), end: end}
	return &f.matcher
}

// Each class of bytes has exactly its members, wherever it decides.
func TestClassesHaveTheirBytes(t *testing.T) {
	t.Parallel()
	one := func(c byte) string { return string([]byte{c}) }
	escaped := func(text string) bool { return escape([]byte(text), 0, true, nil) == len(text) }
	met := func(n needs, text string) bool { return n.met([]byte(text)) }
	for name, class := range map[string]struct{ got, want func(c byte) bool }{
		"word":                      {isWord, among(wordBytes)},
		"name":                      {isName, among(wordBytes + ".-")},
		"hexadecimal digit":         {isHex, among(digits + "abcdefABCDEF")},
		"upper":                     {func(c byte) bool { return upper(c) != c }, among(letters[:26])},
		"lower":                     {func(c byte) bool { return lower(c) != c }, among(letters[26:])},
		"end of a control sequence": {func(c byte) bool { return escaped("\x1b[" + one(c)) }, func(c byte) bool { return c >= 0x40 && c <= 0x7e }},
		"in a control sequence":     {func(c byte) bool { return escaped("\x1b[" + one(c) + "m") }, func(c byte) bool { return c >= 0x20 && c < 0x40 }},
		"in a title":                {func(c byte) bool { return escaped("\x1b]" + one(c) + "\a") }, func(c byte) bool { return c >= 0x20 }},
		"end of a title":            {func(c byte) bool { return escaped("\x1b]x" + one(c)) }, among("\a")},
		"behind ESC in a title":     {func(c byte) bool { return escaped("\x1b]x\x1b" + one(c)) }, among("\\")},
		"two bytes":                 {func(c byte) bool { return escaped("\x1b" + one(c)) }, among("78=>Mc")},
		"character set":             {func(c byte) bool { return escaped("\x1b" + one(c) + "B") }, among("()[")},
		"stepped over":              {func(c byte) bool { return skip([]byte{c, 'x'}, 0, true, nil) == 1 }, among("\n\r\b")},
		"digit of a secret":         {func(c byte) bool { return met(aDigit, "--"+one(c)) }, among(digits)},
		"letter of a secret":        {func(c byte) bool { return met(aLetter, "--"+one(c)) }, among(letters)},
		"capital inside":            {func(c byte) bool { return met(noWord, "a"+one(c)) }, among(digits + letters[26:])},
		"letter behind a capital":   {func(c byte) bool { return met(noWord, "-A"+one(c)) }, among(digits + letters[:26])},
		"begin of a template":       {func(c byte) bool { return placeholder([]byte(one(c) + "bq")) }, among("$%@")},
		"begin of a path":           {func(c byte) bool { return path([]byte(one(c) + "b/q")) }, among("/.~")},
		"end of a secret":           {func(c byte) bool { return stops[c] }, func(c byte) bool { return c <= 0x20 || among("`'\";\\,)}]<>&|\x7f")(c) }},
		"behind a word":             {func(c byte) bool { at, _ := matcherOf(one(c), true).edgeAfter(0); return !at }, among(wordBytes)},
		"before a word":             {func(c byte) bool { return !matcherOf(one(c)+"x", true).edgeBefore(1) }, among(wordBytes)},
		"escape before a word":      {func(c byte) bool { return matcherOf(`\`+one(c)+"x", true).edgeBefore(2) && isWord(c) }, among("nrtbf0")},
		"percent before a word":     {func(c byte) bool { return matcherOf("%a"+one(c)+"x", true).edgeBefore(3) && isWord(c) }, among(digits + "abcdefABCDEF")},
		"operator of a gap":         {func(c byte) bool { to, _ := matcherOf(one(c)+"x", true).gapFrom(0); return to == 1 }, among("=:>,")},
		"body of a key":             {func(c byte) bool { return blockOf(strings.Repeat(one(c), 64)+"\nx", true) > 0 }, among(digits + letters + "+/=")},
	} {
		for c := range 256 {
			if got, want := class.got(byte(c)), class.want(byte(c)); got != want {
				t.Errorf("%s: %q: %v, want %v", name, byte(c), got, want)
			}
		}
	}
}

// blockOf returns where the key that begins before a text ends.
func blockOf(text string, end bool) int {
	f := newPatternFinder(BuiltIn(), &marks{}, false)
	f.v = view{b: []byte(text), end: end}
	to, ok := f.blockEnd(0)
	if !ok {
		return -2
	}
	return to
}

// A key ends with its last line, or where its lines no longer look like one. One that is too short is none.
func TestBlocksEndWhereTheKeyDoes(t *testing.T) {
	t.Parallel()
	line, last := strings.Repeat("Ab3/", 8), "-----END RSA PRIVATE KEY-----"
	body := "\n" + line + "\n" + line + "\n"
	for name, c := range map[string]struct {
		text string
		want int
		end  bool
	}{
		"whole":                      {body + last + " x\n", len(body + last), false},
		"escaped line ends":          {`\n` + line + `\n` + line + `\n` + last + `"`, len(`\n` + line + `\n` + line + `\n` + last), true},
		"64 bytes are enough":        {"\n" + line + line + "\n" + last, len("\n" + line + line + "\n" + last), true},
		"63 bytes are not":           {"\n" + line + line[1:] + "\n" + last, -1, true},
		"63 bytes, without an end":   {"\n" + line + line[1:] + "\n\nx", -1, true},
		"64 bytes, without an end":   {"\n" + line + line + "\n\nx y\n", len("\n" + line + line), true},
		"16 in a row are a line":     {"\n" + strings.Repeat(line[:16]+"\n", 4) + last, len("\n" + strings.Repeat(line[:16]+"\n", 4) + last), true},
		"15 are none":                {"\n" + strings.Repeat(line[:15]+"\n", 9) + last, -1, true},
		"two other lines are passed": {body + "a b\nc d\n" + line + "\n", len(body + "a b\nc d\n" + line), true},
		"three are not":              {body + "a b\nc d\ne f\n" + line + "\n", len(body) - 1, true},
		"headers are passed":         {"\nProc-Type: 4,ENCRYPTED\nDEK-Info: x\nA: b\nC: d\n" + body + last, len("\nProc-Type: 4,ENCRYPTED\nDEK-Info: x\nA: b\nC: d\n" + body + last), true},
		"another key begins":         {body + "-----BEGIN RSA PRIVATE KEY-----", len(body) - 1, true},
		"nine dashes end nothing":    {body + "----END KEY-----\n" + line + "\n", len(body + "----END KEY-----\n" + line), true},
		"more must come":             {body + line, -2, false},
		"and none does":              {body + line, len(body + line), true},
		"an escape at the end":       {body + line + `\`, -2, false},
		"an escape at the very end":  {body + line + `\`, len(body+line) + 1, true},
		"no further than the bound":  {strings.Repeat("\n"+line, 600), -3, true},
	} {
		got := blockOf(c.text, c.end)
		if c.want == -3 {
			if got < maxBlock || got > maxBlock+2*len(line) {
				t.Errorf("%s: %d", name, got)
			}
		} else if got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	for text, want := range map[string]int{"-----END KEY-----": 17, "x -----END A KEY----- y": 21, "-----END": 0, "-----END KEY": 0, "KEY-----": 0, "-----END KEY x-----": 19} {
		if got := keyEnd([]byte(text)); got != want || endsKey([]byte(text)) != (want > 0) {
			t.Errorf("%q ends at %d, want %d", text, got, want)
		}
	}
	for text, want := range map[string]bool{"A: b": true, ": b": false, "a b: c": false, "a": false, strings.Repeat("a", 23) + ":": true, strings.Repeat("a", 24) + ":": false} {
		if got := header([]byte(text)); got != want {
			t.Errorf("%q is a header: %v", text, got)
		}
	}
}

// The gap between a name and its value has bounds, and waits for bytes that decide.
func TestGapsHaveBounds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"=x": 1, ": x": 2, " = 'x": 4, "\":\"x": 3, "_name=x": 6, "=>x": 2, "?=x": 2, "||x": 2, "|||x": 3, ":::=x": 4, "====x": 4, ":::::x": 4, "|x": -1, "?x": -1, "x": -1, "=": -1, "": -1,
		strings.Repeat("a", maxNameRest) + "=x": maxNameRest + 1, strings.Repeat("a", maxNameRest+1) + "=x": -1, strings.Repeat("'", maxQuotes) + "=x": maxQuotes + 1, strings.Repeat("'", maxQuotes+1) + "=x": -1,
		"=" + strings.Repeat("'", maxQuotes) + "x": maxQuotes + 1, "=" + strings.Repeat("'", maxQuotes+1) + "x": maxQuotes + 1, "!=x": -1, "\t= x": 3, "=\\\"x": 3,
	} {
		to, wait := matcherOf(text, true).gapFrom(0)
		if wait || to != want {
			t.Errorf("the value behind %q begins at %d (wait %v), want %d", text, to, wait, want)
		}
	}
	for _, text := range []string{"", "a", "a ", "'", "=", ":", "||", "='"} {
		if to, wait := matcherOf(text, false).gapFrom(0); !wait || to != -1 {
			t.Errorf("%q decides: %d", text, to)
		}
	}
}

// A word begins behind an escape or a terminal sequence, and not inside of another word.
func TestEdgesOfWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true, " ": true, "a": false, "0": false, `\n`: true, `\x`: false, `\0`: true, "%20": true, "%2": false, "%zz": false, "a%aa": true, "\x1b[31m": true, "[31m": false, "\x1b[m": true, "\x1b[1;31:4?m": true, "\x1b[1xm": false,
		`\u001b[31m`: true, `\x1b[31m`: true, `\033[31m`: true, `\u0022`: true, `\x22`: true, `\u002`: false, `u0022`: false, `\x2g`: false, `\033`: true, `\133`: false, `\u00aé`: true, `\u00ab`: true, `\xab`: true, "\x1b[" + strings.Repeat("1", 40) + "m": false,
		"x[31m": false, "\\u001b" + "[" + strings.Repeat("1", 28) + "m": true, "31m": false,
	} {
		if got := matcherOf(text+"x", true).edgeBefore(len(text)); got != want {
			t.Errorf("a word begins behind %q: %v", text, got)
		}
	}
	for _, c := range []struct {
		text     string
		end      bool
		at, wait bool
	}{{"", true, true, false}, {"", false, false, true}, {"a", false, false, false}, {"-", false, true, false}, {"[x", false, true, false}, {"[redacted:", false, false, true}, {"[redacted:github-pat]", false, false, false}, {"[redacted:nobody]", false, true, false}} {
		if at, wait := matcherOf(c.text, c.end).edgeAfter(0); at != c.at || wait != c.wait {
			t.Errorf("a word ends before %q: %v, wait %v", c.text, at, wait)
		}
	}
	for text, want := range map[string]bool{strings.Repeat("*", MinValue): false, strings.Repeat("*", MinValue-1) + "x": true, "*": true} {
		m := matcherOf(text, true)
		m.same = true
		if at, _ := m.edgeAfter(0); at != want {
			t.Errorf("a word ends before %q: %v", text, at)
		}
	}
}

// The second look distinguishes words, paths and templates from secrets.
func TestSecretsAreNoWordsPathsOrTemplates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"/usr": true, "./x": true, "~/x": true, "~x1&y": false, "/x1&y": false, ".x1": true, ".x1&y": false, `C:\x`: true, "C:/x": true, "C:x": false, "a:": false, "a/b/c/d": true, "a/b/c": false, "http://x": true, "a::b": true, "abc": false, "C:/": true,
	} {
		if got := path([]byte(text)); got != want {
			t.Errorf("%q is a path: %v", text, got)
		}
	}
	for text, want := range map[string]bool{
		"aaaaaaa": true, "aaaaaab": false, "True": true, "CHANGEME": true, "yourToken": true, "process.env.X": true, "an-EXAMPLE-of": true, "a1xxxx": true, "a1xxx": false, "q****": true, "a${b}": true, "q{{x": true, "qwerty": false, "[x]": true, "[x&y": false, "{name}": true, "{n&me": false, "<your key>": true, "<n&me": false, "(none)": true, "(n&me": false,
		"$HOME/x": true, "$Pa5s&w": false, "%NAME%": true, "@Dm1n!x": false, "@name": true, "%s": true, "%7Cab": false, "$(cat x)": true,
		"abcdefghijklmnopqrstuvwxyz0": true, strings.Repeat("ab", 17) + "xample": false, strings.Repeat("ab", 16) + "example.": true, strings.Repeat("ab", 17) + "example": false, "/users/x": true, "014df517-39d1-4453-b7b3-9930c563627c": true,
	} {
		if got := placeholder([]byte(text)); got != want {
			t.Errorf("%q takes the place of a secret: %v", text, got)
		}
	}
	for _, c := range []struct {
		n    needs
		text string
		want bool
	}{
		{aDigit, "abc", false}, {aDigit | aLetter, "a1", true}, {aDigit | aLetter, "12", false}, {noWord, "Abc", false}, {noWord, "abC", true}, {noWord, "ABC", false}, {noWord, "ab1", true}, {mixed, "a1", true}, {mixed, "aB", false}, {mixed, "aB-", true}, {mixed, "1-", false}, {noPath, "/a", false}, {noPath, "a", true}, {0, "", true},
	} {
		if got := c.n.met([]byte(c.text)); got != c.want {
			t.Errorf("needs %b are met by %q: %v", c.n, c.text, got)
		}
	}
	for text, want := range map[string]float64{"": 0, "aaaa": 0, "abab": 1, "abcd": 2, strings.Repeat("a", entropyBytes) + "bcd": 0} {
		if got := entropy([]byte(text)); got != want {
			t.Errorf("the entropy of %.10q is %v, want %v", text, got, want)
		}
	}
}

// A compiled expression matches where the standard library's does, and finds the same secret.
func TestCompiledExpressionsAgreeWithRegexp(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		`token`, `(?i)token`, `ab[0-9]{3}`, `ab[0-9]{2,4}c`, `abc(d+)e`, `abcd[a-d]*d`, `abcd(?:x|yz|)w`, `abcd(?:xy){1,3}z`, `abcd([a-c]{1,3})([b-d]{1,3})e`, `abcd.e`, `(?s)abcd.e`, `abcd[^x]e`, `abc(?:d|[0-9]e)+?f`,
		`abcdé?x`, `(?i)ab[c-e]1(x)`, `abcd\b`, `abcd[x-z]?\bq?`, `(ab|abcd)x`, `abcd(x?)(y?)`,
	} {
		c := &compiler{}
		patterns, err := c.compile(source, 0)
		if err != nil {
			if !strings.ContainsAny(source, "é+?") {
				t.Errorf("%s: %v", source, err)
			}
			continue
		}
		oracle := regexp.MustCompile(`^(?:` + source + `)`)
		rapid.Check(t, func(t *rapid.T) {
			text := rapid.StringOfN(rapid.SampledFrom([]rune("abcdABCDexyz01 \ntokenw")), 0, 12, -1).Draw(t, "text")
			if from := rapid.IntRange(0, 4).Draw(t, "from"); from > 0 {
				text = "abcd"[:from] + text
			}
			m := matcher{set: &Patterns{classes: c.classes}, marks: &marks{}, runs: make([]run, len(c.classes)), edge: -1, v: view{b: []byte(text), end: true}}
			found := -1
			for i := range patterns {
				if r := m.try(&patterns[i], 0, false); r.ok && r.to > found {
					found = r.to
				}
			}
			want := oracle.FindStringSubmatchIndex(text)
			if (found >= 0) != (want != nil) {
				t.Fatalf("%s in %q: ends at %d, by regexp %v", source, text, found, want)
			}
			if len(patterns) == 1 && want != nil {
				to := want[1]
				if len(want) > 2 && want[3] >= 0 {
					to = want[3]
				}
				if found != to {
					t.Fatalf("%s in %q: ends at %d, by regexp %v", source, text, found, want)
				}
			}
			m.v.end = false // whatever comes behind, a decision stays
			for i := range patterns {
				m.runs = make([]run, len(c.classes))
				if r := *m.try(&patterns[i], 0, false); !r.wait && r.ok && want == nil {
					t.Fatalf("%s in the beginning %q is decided: %+v", source, text, r)
				}
			}
		})
	}
}

// What cannot be compiled is an error, and not a pattern that means something else.
func TestUnsupportedExpressionsAreErrors(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		`(`, `abcd(?:xy)*`, `abcd(?:xy){1,9}`, `abcdé`, `abcd(?:xé)?`, `(abcd\pLé)`, `abcd(?:ab|cd|ef|gh)(?:ab|cd|ef|gh)(?:ab|cd|ef|gh)(?:ab|cd|ef|gh)`, `^abcd`, `ab\Bcd`, `abcd(?:(?:aa|bb|cc|dd|ee){2}){2}`, `(?:(?:aa|bb|cc|dd|ee|ff|gg|hh|ii|jj){2})`,
	} {
		c := &compiler{}
		if patterns, err := c.compile(source, 0); err == nil {
			t.Errorf("%s: %d patterns", source, len(patterns))
		}
	}
	c := &compiler{}
	if p, err := c.compile(`abcd(?:xy){0,8}`, 0); err != nil || len(p) != 9 {
		t.Errorf("%d patterns, %v", len(p), err)
	}
	if p, err := c.compile(`ab[x]{3,}`, 0); err != nil || p[0].steps[len(p[0].steps)-2].max != maxRun {
		t.Errorf("%+v, %v", p, err)
	}
	for _, data := range []string{
		`{`, `{"Rules":[{"id":"a","regex":"("}]}`, `{"Rules":[{"id":"a","regex":"abcd","allow":["x.y"]}]}`, `{"Rules":[{"id":"a","regex":"abcd","allow":[""]}]}`, `{"Rules":[{"id":"a","regex":"[a-z][a-z][a-z][a-z]"}]}`, `{"Rules":[{"id":"a","regex":"abc"}]}`,
	} {
		if _, err := load([]byte(data)); err == nil {
			t.Errorf("%s is loaded", data)
		}
	}
	p, err := load([]byte(`{"Version":"v9","Rules":[{"id":"zz","regex":"abcd[0-9]+","allow":[".+EXAMPLE$"]},{"id":"b","regex":"\\b(bcde[0-9]+)"}]}`))
	if err != nil || p.Version() != "gitleaks v9, changes 3" || p.rules[0].allow[0] != "EXAMPLE" || p.rules[0].rank != rankPrefix {
		t.Errorf("%v", err)
	}
}

// Rules are in the order of kinds, each with all of its expressions; documents are made of them.
func TestRulesAreListedByKind(t *testing.T) {
	t.Parallel()
	list, expressions := BuiltIn().Rules(), 0
	for i, r := range list {
		if i > 0 && r.Kind < list[i-1].Kind {
			t.Errorf("%s is behind %s", r.Kind, list[i-1].Kind)
		}
		if len(r.Expressions) == 0 || r.About == "" {
			t.Errorf("%+v", r)
		}
		expressions += len(r.Expressions)
	}
	if expressions != BuiltIn().countRules() {
		t.Errorf("%d expressions of %d", expressions, BuiltIn().countRules())
	}
	dropped := map[string]bool{}
	for i, c := range Changes() {
		if c.Kind != changes[i].id || c.Why != changes[i].why || (c.What == "dropped") != changes[i].drop || (c.What == "changed") == changes[i].drop {
			t.Errorf("%+v", c)
		}
		dropped[c.Kind] = changes[i].drop
	}
	for _, r := range list {
		if dropped[r.Kind] && r.About == "gitleaks" {
			t.Errorf("%s is dropped and there", r.Kind)
		}
	}
	if (*Patterns)(nil).Version() != "" || !bytes.HasPrefix([]byte(BuiltIn().Version()), []byte("gitleaks ")) {
		t.Error("no rules have a version")
	}
}
