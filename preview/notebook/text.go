package notebook

import (
	"html"
	"strconv"
	"strings"

	"github.com/toolresult/toolresult/preview/textscan"
)

// plain returns a text on one line, without escapes.
func plain(text string) string {
	text = textscan.OneLine(string(textscan.WithoutEscapes([]byte(text))))
	return strings.TrimRight(text, " ")
}

// textLines returns lines as a terminal shows them at last, without empty ones.
func textLines(lines []string) (list []string) {
	for _, line := range lines {
		line = strings.TrimRight(line, "\r")
		if line = plain(line[strings.LastIndexByte(line, '\r')+1:]); strings.TrimSpace(line) != "" {
			list = append(list, line)
		}
	}
	return list
}

// bytesText returns a size as text.
func bytesText(size int) string {
	if size < 1<<10 {
		return strconv.Itoa(size) + " bytes"
	}
	return strconv.Itoa(size>>10) + " KB"
}

// Elements of HTML that end a line, and those whose text nobody reads.
const (
	lineEnds = " /tr br /p /div /li /h1 /h2 /h3 /h4 /caption /pre /summary "
	unread   = " style script svg head "
)

// htmlLines returns the text of HTML with a line for each row of a table and for each paragraph.
func htmlLines(source string) (list []string) {
	var line strings.Builder
	flush := func() {
		if text := plain(html.UnescapeString(line.String())); strings.TrimSpace(text) != "" {
			list = append(list, text)
		}
		line.Reset()
	}
	for source != "" {
		text, rest, _ := strings.Cut(source, "<")
		if text = strings.Join(strings.Fields(text), " "); text != "" {
			line.WriteString(text)
		}
		tag, behind, _ := strings.Cut(rest, ">")
		source = behind
		name := strings.ToLower(strings.TrimRight(firstWord(tag), "/"))
		switch {
		case name == "":
		case strings.Contains(unread, " "+name+" "):
			if at := strings.Index(source, "</"+name); at >= 0 {
				source = source[at:]
			} else {
				source = ""
			}
		case name == "td" || name == "th":
			line.WriteString("  ")
		case strings.Contains(lineEnds, " "+name+" "):
			flush()
		}
	}
	flush()
	return list
}

// firstWord returns a text up to its first blank.
func firstWord(text string) string {
	if i := strings.IndexAny(text, " \t\r\n"); i >= 0 {
		return text[:i]
	}
	return text
}
