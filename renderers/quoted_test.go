package renderers_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolresult/toolresult/renderers"
)

func TestFindQuoted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]renderers.Quoted{
		"":                                                     nil,
		"package main\n\nfunc main() {}":                       nil,
		"Output: a.txt\nCommand: cp\n":                         nil, // words that a file may have
		"# Cuts are written [lines left out]":                  nil,
		"a\n// [lines 13-9120 left out]\nb":                    {{2, "[lines ", "// [lines 13-9120 left out]"}},
		"\t[inside line 7: 98888 bytes left out]":              {{1, "[inside line ", "\t[inside line 7: 98888 bytes left out]"}},
		"KEY=[redacted:aws-access-token] # old":                {{1, "[redacted:", "KEY=[redacted:aws-access-token] # old"}},
		"[redacted:] and [redacted: a]":                        nil,
		"[end: Process exited with code 1]":                    {{1, "[end: ", "[end: Process exited with code 1]"}},
		"x\n[end: Tool output in full: /a]":                    {{2, "[end: ", "[end: Tool output in full: /a]"}},
		"[end: of a section]":                                  nil,
		"x\nProcess exited with code 0\nOutput: none\nstdout:": {{2, "Process exited", "Process exited with code 0"}, {3, "Output:", "Output: none"}},
		"stdout: 18204 lines, 1203441 bytes; 61 lines shown; all of it: /a/b": {{1, "stdout:", "stdout: 18204 lines, 1203441 bytes; 61 lines shown; all of it: /a/b"}},
	} {
		if diff := cmp.Diff(want, renderers.FindQuoted(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}
