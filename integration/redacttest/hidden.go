package redacttest

import (
	"encoding/base64"
	"fmt"
	"html"
	"strings"
)

// invisible is what a reader does not see inside of a word: of Unicode, of terminals, of pages. They are written by
// their numbers in the standards, apart from the tables of the code that removes them.
var invisible = map[string]string{
	"zero width space": "\u200b", "zero width non-joiner": "\u200c", "zero width joiner": "\u200d", "word joiner": "\u2060", "byte order mark": "\ufeff",
	"left to right": "\u200e", "override": "\u202e", "isolate": "\u2066", "pop isolate": "\u2069", "soft hyphen": "\u00ad", "variation": "\ufe0f",
	"variation supplement": "\U000e0101", "tag": "\U000e0041", "invisible times": "\u2062", "shorthand control": "\U0001bca0", "filler": "\u3164",
	"colour": "\x1b[31m", "colour with parameters": "\x1b[38;2;1;2;3m", "erase": "\x1b[K", "charset": "\x1b(B", "title": "\x1b]0;title\x07",
	"link": "\x1b]8;;https://example.org\x1b\\", "device control": "\x1bPq#0\x1b\\", "C1 control": "\u009b31m", "no character": "\x00", "bell": "\x07",
	"shift": "\x0e\x0f", "delete": "\x7f", "overstrike": "x\b", "comment": "<!-- x -->", "element": "<b></b>", "CDATA": "<![CDATA[]]>", "entity": "&#8203;", "named entity": "&zwnj;",
}

// around are ways to write all of a secret that our transforms undo.
var around = map[string]func(string) string{
	"redrawn line":     func(s string) string { return "starting ...\r" + s + "\x1b[K\r\n" },
	"decimal entities": func(s string) string { return eachByte(s, "&#%d;") },
	"hex entities":     func(s string) string { return eachByte(s, "&#x%x;") },
	"escapes of JSON":  func(s string) string { return `"` + eachByte(s, `\u%04x`) + `"` },
	"named entities":   html.EscapeString,
	"data URI": func(s string) string {
		return "data:text/plain;base64," + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("a line of some text\n", 40)+s+"\n"))
	},
	"base64": func(s string) string {
		return base64.StdEncoding.EncodeToString([]byte(strings.Repeat("a line of some text\n", 40) + s + "\n"))
	},
	"cursor": func(s string) string { return s[:9] + "zz\x1b[2D" + s[9:] },
	"wide":   func(s string) string { return "\xff\xfe" + strings.Join(strings.Split(s, ""), "\x00") + "\x00" },
}

func eachByte(s, form string) (all string) {
	for i := range len(s) {
		all += fmt.Sprintf(form, s[i])
	}
	return all
}

// Hidden returns the texts that a transform of ours makes a secret of, by the name of what hides it: an invisible seam in its
// middle, such seams between all of its bytes, another way to write all of it, or nothing.
func Hidden(secret string) map[string]string {
	all := map[string]string{"nothing": secret}
	for name, seam := range invisible {
		all[name] = secret[:9] + seam + secret[9:]
		all[name+" often"] = strings.Join(strings.Split(secret, ""), seam)
	}
	for name, write := range around {
		all[name] = write(secret)
	}
	return all
}
