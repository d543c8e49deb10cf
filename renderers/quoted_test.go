package renderers_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolresult/toolresult/renderers"
)

func TestFindQuoted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]renderers.Quoted{
		"":                                    nil,
		"package main\n\nfunc main() {}":      nil,
		"Output: a.txt\nCommand: cp\n":        nil, // words that a file may have
		"# Cuts are written [...] or [...67]": nil,
		"He said […] that [… it] was so, see [...]": nil,
		"[...]\n[...67:]":                                      nil,
		"x […28 alike] y":                                      {{1, "[…", "x […28 alike] y"}},
		"func a() {\n\t// […]\n}":                              {{2, "[…", "\t// […]"}},
		"[…7 apples]":                                          nil,
		"a\n// […9121:]\nb":                                    {{2, "[…", "// […9121:]"}},
		"\t[…98888 bytes]":                                     {{1, "[…", "\t[…98888 bytes]"}},
		"KEY=[redacted:aws-access-token] # old":                {{1, "[redacted:", "KEY=[redacted:aws-access-token] # old"}},
		"[redacted:] and [redacted: a]":                        nil,
		"[end: Process exited with code 1]":                    {{1, "[end: ", "[end: Process exited with code 1]"}},
		"x\n[end: Tool output in full: /a]":                    {{2, "[end: ", "[end: Tool output in full: /a]"}},
		"[end: of a section]":                                  nil,
		"x\nProcess exited with code 0\nOutput: none\nstdout:": {{2, "Process exited", "Process exited with code 0"}, {3, "Output:", "Output: none"}},
		"stdout: 61 of 18204 lines; all: /a/b":                 {{1, "stdout:", "stdout: 61 of 18204 lines; all: /a/b"}},
	} {
		if diff := cmp.Diff(want, renderers.FindQuoted(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}
