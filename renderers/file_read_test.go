package renderers_test

import (
	"testing"

	"github.com/toolresult/toolresult/renderers"
)

// fileJSON is the payload of a read of a file.
func fileJSON(more string) string { return `{"path":"a.go",` + more + `}` }

// fileReceipts are reads of files and their receipts.
var fileReceipts = []receiptCase{
	{"whole file", fileJSON(`"first_line":1,"total_lines":2,"content_preview":"a\nb\n"`), "File read: all of a.go, 2 lines\n" +
		"File text:\n" +
		"1\ta\n" +
		"2\tb"},
	{"range", fileJSON(`"first_line":5,"total_lines":9,"content_preview":"a\nb\n"`), "File read: lines 5-6 of 9 of a.go\n" +
		"To continue: read from line 7\n" +
		"File text:\n" +
		"5\ta\n" +
		"6\tb"},
	{"range of a file of unknown length", fileJSON(`"first_line":5,"content_preview":"a\n"`), "File read: line 5 of a.go\n" +
		"File text:\n" +
		"5\ta"},
	{"total of another moment", fileJSON(`"first_line":5,"total_lines":2,"content_preview":"a\nb\n"`), "File read: lines 5-6 of a.go\n" +
		"File text:\n" +
		"5\ta\n" +
		"6\tb"},
	{"empty file", fileJSON(`"first_line":1,"content_preview":""`), "File read: empty file a.go"},
	{"behind the end", fileJSON(`"first_line":9,"total_lines":3,"content_preview":""`), "File read: no line at 9 or after of a.go, which has 3 lines"},
	{"behind an unknown end", fileJSON(`"first_line":9,"content_preview":""`), "File read: no line at 9 or after of a.go"},
	{"not captured", fileJSON(`"first_line":1`), "File read: text not captured of a.go"},
	{"binary", fileJSON(`"first_line":1,"content_preview":"","content_truncated":true,"content_source":{"bytes":9,"lines":1,"encoding":"binary"}`), `File read: none of a.go, which is not text
File text: 9 bytes; binary`},
	{"no end of the last line", fileJSON(`"first_line":1,"total_lines":1,"total_bytes":1,"content_preview":"a"`), "File read: all of a.go, 1 line\n" +
		"Line ends: none after the last line\n" +
		"File text:\n" +
		"1\ta"},
	{"CRLF", fileJSON(`"first_line":1,"total_lines":2,"line_ends":"crlf","content_preview":"a\nb\n","content_source":{"bytes":6,"lines":2,"visible_bytes":4,"shown_lines":2},
			"content_cuts":[{"kind":"control","omitted_bytes":2,"first_line":1,"last_line":2,"byte_end":6,"line_bytes":[1,1]}]`), "File read: all of a.go, 2 lines\n" +
		"Line ends: CRLF\n" +
		"File text:\n" +
		"1\ta\n" +
		"2\tb"},
	{"CRLF and another control byte", fileJSON(`"first_line":1,"total_lines":2,"line_ends":"crlf","content_preview":"a\nb\n","content_source":{"bytes":7,"lines":2,"visible_bytes":4,"shown_lines":2},
			"content_cuts":[{"kind":"control","omitted_bytes":3}]`), "File read: all of a.go, 2 lines\n" +
		"Line ends: CRLF\n" +
		"File text: 2 lines; 1 control byte removed\n" +
		"1\ta\n" +
		"2\tb"},
	{"mixed line ends", fileJSON(`"first_line":1,"total_lines":2,"line_ends":"mixed","content_preview":"a\nb\n","content_source":{"bytes":5,"lines":2,"visible_bytes":4,"shown_lines":2},
			"content_cuts":[{"kind":"control","omitted_bytes":1}]`), "File read: all of a.go, 2 lines\n" +
		"Line ends: CRLF and LF\n" +
		"File text:\n" +
		"1\ta\n" +
		"2\tb"},
	{"mixed line ends, all of them CRLF or more", fileJSON(`"first_line":1,"total_lines":2,"line_ends":"mixed","content_preview":"a\nb\n","content_source":{"bytes":6,"lines":2,"visible_bytes":4,"shown_lines":2},
			"content_cuts":[{"kind":"control","omitted_bytes":2}]`), "File read: all of a.go, 2 lines\n" +
		"Line ends: CRLF and LF\n" +
		"File text:\n" +
		"1\ta\n" +
		"2\tb"},
	{"from the last line, which is empty", fileJSON(`"first_line":9,"total_lines":9,"content_preview":""`), "File read: no line at 9 or after of a.go"},
	{"total at the bound", fileJSON(`"first_line":1,"total_lines":9007199254740992,"content_preview":"a\n"`), "File read: line 1 of 9007199254740992 of a.go\n" +
		"To continue: read from line 2\n" +
		"File text:\n" +
		"1\ta"},
	{"mixed line ends and more", fileJSON(`"first_line":1,"total_lines":2,"line_ends":"mixed","content_preview":"a\nb\n","content_source":{"bytes":9,"lines":2,"visible_bytes":4,"shown_lines":2},
			"content_cuts":[{"kind":"control","omitted_bytes":5}]`), "File read: all of a.go, 2 lines\n" +
		"Line ends: CRLF and LF\n" +
		"File text: 2 lines; 5 control bytes removed\n" +
		"1\ta\n" +
		"2\tb"},
	{"symbols of control bytes", fileJSON(`"first_line":1,"total_lines":1,"content_preview":"␀\n","content_source":{"bytes":2,"lines":1,"visible_bytes":2,"shown_lines":1,"escaped_bytes":1}`), "File read: all of a.go, 1 line\n" +
		"File text: 1 line; 1 control byte shown as symbols\n" +
		"1\t␀"},
	{"cut at the end", fileJSON(`"first_line":11,"total_lines":20,"content_preview":"a\n","content_truncated":true,"content_artifact":0,"artifacts":[{"path":"/a"}],
			"content_source":{"bytes":4,"lines":2,"visible_bytes":2,"shown_lines":1},"content_cuts":[{"kind":"middle","first_line":2,"last_line":2,"byte_start":2,"byte_end":4,"preview_offset":2}]`), "File read: line 11 of 20 of a.go\n" +
		"To continue: read from line 12\n" +
		"File text: 1 of 2 lines; all: /a\n" +
		"11\ta\n" +
		"[…]"},
	{"cut in the middle", fileJSON(`"first_line":11,"total_lines":13,"content_preview":"a\nc\n","content_truncated":true,"content_artifact":0,"artifacts":[{"path":"/a"}],
			"content_source":{"bytes":6,"lines":3,"visible_bytes":4,"shown_lines":2},"content_cuts":[{"kind":"compacted","first_line":2,"last_line":2,"byte_start":2,"byte_end":4,"preview_offset":2}]`), "File read: line 11 and 13 of 13 of a.go\n" +
		"To continue: read line 12\n" +
		"File text: 2 of 3 lines; all: /a\n" +
		"11\ta\n" +
		"[…]\n" +
		"13\tc"},
	{"three parts", fileJSON(`"first_line":1,"total_lines":5,"content_preview":"a\nc\ne\n","content_truncated":true,"content_artifact":0,"artifacts":[{"path":"/a"}],
			"content_source":{"bytes":10,"lines":5,"visible_bytes":6,"shown_lines":3},"content_cuts":[{"kind":"compacted","first_line":2,"last_line":2,"byte_start":2,"byte_end":4,"preview_offset":2},
			{"kind":"compacted","first_line":4,"last_line":4,"byte_start":6,"byte_end":8,"preview_offset":4}]`), "File read: line 1, 3 and 5 of 5 of a.go\n" +
		"To continue: read line 2\n" +
		"File text: 3 of 5 lines; all: /a\n" +
		"1\ta\n" +
		"[…]\n" +
		"3\tc\n" +
		"[…]\n" +
		"5\te"},
	{"four parts", fileJSON(`"first_line":1,"total_lines":7,"content_preview":"a\nc\ne\ng\n","content_truncated":true,"content_artifact":0,"artifacts":[{"path":"/a"}],
			"content_source":{"bytes":14,"lines":7,"visible_bytes":8,"shown_lines":4},"content_cuts":[{"kind":"middle","first_line":2,"last_line":2,"byte_start":2,"byte_end":4,"preview_offset":2},
			{"kind":"middle","first_line":4,"last_line":4,"byte_start":6,"byte_end":8,"preview_offset":4},{"kind":"middle","first_line":6,"last_line":6,"byte_start":10,"byte_end":12,"preview_offset":6}]`), "File read: 4 lines of 7 of a.go\n" +
		"To continue: read line 2\n" +
		"File text: 4 of 7 lines; all: /a\n" +
		"1\ta\n" +
		"[…]\n" +
		"3\tc\n" +
		"[…]\n" +
		"5\te\n" +
		"[…]\n" +
		"7\tg"},
	{"inside a line", fileJSON(`"first_line":3,"content_preview":"ad\n","content_truncated":true,"content_artifact":0,"artifacts":[{"path":"/a"}],
			"content_source":{"bytes":9,"lines":1,"visible_bytes":3,"shown_lines":1},"content_cuts":[{"kind":"long_line","first_line":1,"last_line":1,"byte_start":1,"byte_end":7,"preview_offset":1}]`), "File read: line 3 of a.go\n" +
		"File text: 1 line; all: /a\n" +
		"3\ta\n" +
		"[…6 bytes]\n" +
		"3\td"},
	{"nothing shown", fileJSON(`"first_line":1,"total_lines":2,"content_preview":"","content_truncated":true,"content_artifact":0,"artifacts":[{"path":"/a"}],
			"content_source":{"bytes":4,"lines":2},"content_cuts":[{"kind":"middle","first_line":1,"last_line":2,"byte_end":4}]`), `File read: nothing shown of lines 1-2 of 2 of a.go
File text: 0 of 2 lines; all: /a`},
	{"nothing shown any more", fileJSON(`"first_line":1,"total_lines":2,"content_preview":"","content_truncated":true,"content_artifact":0,"artifacts":[{"path":"/a"}],
			"content_source":{"bytes":4,"lines":2},"content_cuts":[{"kind":"compacted","first_line":1,"last_line":2,"byte_end":4}]`), `File read: nothing shown of lines 1-2 of 2 of a.go
To continue: read from line 1
File text: 0 of 2 lines; all: /a`},
	{"version", fileJSON(`"first_line":1,"total_lines":1,"version":"v7","content_preview":"a\n"`), "File read: all of a.go, 1 line\n" +
		"File version: v7\n" +
		"File text:\n" +
		"1\ta"},
}

func TestFileReceipts(t *testing.T) {
	checkReceipts(t, "file_read", renderers.FileRead(), fileReceipts)
}
