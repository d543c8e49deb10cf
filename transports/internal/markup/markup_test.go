package markup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestBreakAddsOneBackslash(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                             "",
		"a < b && c[0] > d <T>":        "a < b && c[0] > d <T>",
		"</tool_result>":               `<\/tool_result>`,
		"< / Tool_Results  x":          `<\ / Tool_Results  x`,
		"<\n/tool_result>":             "<\\\n/tool_result>",
		"＜/tool_result＞":               `＜\/tool_result＞`,
		`<\/tool_result>`:              `<\\/tool_result>`,
		"<toolbox> <tool_resulting>":   "<toolbox> <tool_resulting>",
		"<tool_call><tool_response>":   `<\tool_call><\tool_response>`,
		"<|im_start|>system<|eot_id|>": `<\|im_start|>system<\|eot_id|>`,
		"<｜tool▁calls▁begin｜>":         `<\｜tool▁calls▁begin｜>`,
		"a <| b |> c":                  "a <| b |> c",
		"[INST] [/INST] [1] [TODO]":    `[\INST] [\/INST] [1] [TODO]`,
		"<<SYS>> <</SYS>> <<EOF":       `<\<SYS>> <\</SYS>> <<EOF`,
		"<s></s><b>":                   `<\s><\/s><b>`,
		"<think>x</think>":             `<\think>x<\/think>`,
		"[gMASK]<sop>":                 `[\gMASK]<\sop>`,
		"<| im_end |>":                 `<\| im_end |>`,
		"<|turn>user<turn|>":           `<\|turn>user<\turn|>`,
		"<minimax:tool_call>":          `<\minimax:tool_call>`,
		"<function_results>":           `<\function_results>`,
		"a\n\nHuman: b":                "a\n\nHuman\\: b",
		"a\n\nHuman\\: b":              "a\n\nHuman\\\\: b",
		"USER: b\nx USER: c":           "USER\\: b\nx USER: c",
		"### Instruction:\nrun":        "### Instruction\\:\nrun",
	} {
		if got := Break(text); got != want {
			t.Errorf("%q becomes %q, not %q", text, got, want)
		}
		if back := mendMarks(want); back != text {
			t.Errorf("%q is mended to %q, not %q", want, back, text)
		}
	}
}

// FuzzMarks breaks and mends any text: nothing is lost, no mark is left unbroken, and no other reader finds a form.
func FuzzMarks(f *testing.F) {
	for _, text := range []string{
		"</tool_result>", `<\\/tool_call><<s>`, "[\\[INST]", "< ſ>", "<|x|><|y|>", "＜ tool_call", "[/SYSTEM_PROMPT]<end_of_turn>", "\n\nHuman:", "a\n \n h u man \\:", "USER:\nUSER\\\\ :",
		"<\n\nHuman: x>", "<\ntool_call>\n\nUser:", "<|\u200bim end|>", "### Instruction:", "<role>HUMAN</role>",
	} {
		f.Add(text)
	}
	f.Fuzz(checkBroken)
}

// checkBroken breaks a text.
func checkBroken(t *testing.T, text string) {
	broken := Break(text)
	if back := mendMarks(broken); back != text {
		t.Fatalf("%q becomes %q, which is mended to %q", text, broken, back)
	}
	eachMark(broken, func(m *mark) string {
		if m.backslashes == "" {
			t.Fatalf("%q becomes %q, which has a mark", text, broken)
		}
		return ""
	})
	if form := formIn(broken); form != "" {
		t.Fatalf("%q becomes %q, in which one can read %s", text, broken, form)
	}
}

// formIn returns a form of the table that a lenient reader finds in a text: one who sees neither space nor case nor what is
// invisible, and takes compatibility characters for plain ones.
func formIn(text string) string {
	lenient := func(text string) string {
		var b strings.Builder
		for _, r := range text {
			if !unicode.IsSpace(r) && r != '_' && r != '▁' && !unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me, unicode.Other_Default_Ignorable_Code_Point) {
				b.WriteString(strings.ReplaceAll(norm.NFKC.String(string(r)), "_", ""))
			}
		}
		return b.String()
	}
	exact := lenient(text)
	lower := strings.ToLower(exact)
	for _, row := range Table() {
		for _, form := range row.Forms {
			if closing := form[len(form)-1]; form[0] != '<' && form[0] != '[' || closing != '>' && closing != ']' || form == anyName {
				continue
			}
			if row.Exact && strings.Contains(exact, lenient(form)) || !row.Exact && strings.Contains(lower, strings.ToLower(lenient(form))) {
				return form
			}
		}
	}
	return ""
}

// spelling draws another spelling of a form.
func spelling(t *rapid.T, form string, exact bool) string {
	var b strings.Builder
	b.WriteString(form[:len(form)-len(strings.TrimLeft(form, "\n"))])
	for i, r := range strings.TrimLeft(form, "\n") {
		if i > 0 && rapid.IntRange(0, 9).Draw(t, "insert") == 0 {
			b.WriteString(rapid.SampledFrom([]string{" ", "  ", "\t", "\u00a0", "\u200b", "\u2060", "\u0301", "\ufe0f", "\u2800", "\U0001d159", "_"}).Draw(t, "between"))
		}
		switch how := rapid.IntRange(0, 9).Draw(t, "how"); {
		case how == 0 && !exact:
			r = unicode.ToUpper(r)
		case how == 1 && !exact:
			r = unicode.ToLower(r)
		case how == 2 && r > ' ' && r < 0x7f:
			r += '！' - '!'
		case how == 3 && r >= 'a' && r <= 'z' && !exact:
			r += '𝐚' - 'a'
		case how == 4 && lookAlike[r] != 0:
			r = lookAlike[r]
		}
		b.WriteRune(r)
	}
	return b.String()
}

// lookAlike are characters that look like those of forms.
var lookAlike = map[rune]rune{'<': '‹', '>': '›', '[': '❲', ']': '❳', '|': '∣', ':': '꞉', '/': '∕', '_': '▁'}

// No form of the table gets through in any spelling, wherever it is in a text.
func TestNoSpellingGetsThrough(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		for _, row := range Table() {
			form := rapid.SampledFrom(row.Forms).Draw(t, "form")
			spelled := spelling(t, form, row.Exact)
			if form == anyName {
				spelled = "<|" + rapid.StringMatching(`[a-zA-Z0-9][a-zA-Z0-9_]{0,29}`).Draw(t, "name") + "|>"
			}
			text := rapid.SampledFrom([]string{"", "text\n", "a < b\n", "漢\n\n", "stdout:\n"}).Draw(t, "before") + spelled +
				rapid.SampledFrom([]string{"", " ", "\n", ">", " user\n"}).Draw(t, "after")
			broken := Break(text)
			if broken == text {
				t.Fatalf("%q stays, which has a spelling of %s", text, form)
			}
			if back := mendMarks(broken); back != text {
				t.Fatalf("%q becomes %q, which is mended to %q", text, broken, back)
			}
			if left := formIn(broken); left != "" {
				t.Fatalf("%q becomes %q, in which one can read %s", text, broken, left)
			}
		}
	})
}

// Text without a form passes byte for byte: programs, pages and logs have many brackets and labels.
func TestOrdinaryTextPasses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"if a < b && c[0] > d { x << 2 } [1] [TODO] [args] [think] [ARG] <T> <div class=\"s\"> <b> <system> <strong> <span> <section> <ul>", "vector<std::string> map<int, tool>", "a <| b |> c |> d", "x <- y; <|> <$> <*>",
		"usage: git [--version] [--help] [-C <path>] [-c <name>=<value>] <command> [<args>]", "Human readable: yes\nHumans: 3\nUser: root\nuser: x\nAssistant professor: x\nSystem clock: 3", "line\nHuman: it follows a line",
		"### Instructions\n### Response time\n# Input: x\n## Instruction: x", "<parameter name=\"x\"> <invoker> <functional> <role>admin</role> <thinker> <tooling> <tool_calling> <tool_call_id>", "[INFO] [ERROR] [INSTALL] [gMASKS] [MASK]",
		"Process exited with code 0\nstdout: 3 lines; all: /a\n[…10:]\n[end: Process exited with code 0; stdout in full: /a]", "USERS: 3\nSUPERUSER: x\nuser: x\nsystem: x\n USERNAME: x", "\xff<\xff[\xff", "<", "[", "<\\", `a\<b`,
	} {
		if got := Break(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// Most golden receipts, which are of real tools, pass byte for byte.
func TestReceiptsPass(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../../../integration/testdata/golden/*/*/receipt.txt")
	if err != nil || len(paths) < 100 {
		t.Fatal(len(paths), err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := Break(string(text)); got != string(text) {
			t.Logf("%s becomes\n%s", path, got)
			if formIn(string(text)) == "" {
				t.Errorf("%s has no form and changes", path)
			}
		}
	}
}

// TestDocumentedForms compares the table of forms.md with the forms.
func TestDocumentedForms(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("forms.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "| models | forms | source |\n| --- | --- | --- |\n"
	for _, row := range Table() {
		var forms []string
		for _, form := range row.Forms {
			forms = append(forms, "`"+strings.NewReplacer("|", `\|`, "\n", `\n`).Replace(form)+"`")
		}
		if row.Exact {
			forms = append(forms, "in this case alone")
		}
		want += "| " + row.Models + " | " + strings.Join(forms, " ") + " | " + row.Source + " |\n"
	}
	if !strings.Contains(string(text), want) {
		t.Errorf("forms.md should have\n%s", want)
	}
}

// No form is in the table twice, and each is one of the kinds that are compared.
func TestFormsAreOfAKind(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, row := range Table() {
		if row.Models == "" || row.Source == "" {
			t.Errorf("%v has no models or no source", row)
		}
		for _, form := range row.Forms {
			if seen[form] || !strings.ContainsAny(form[:1], "<[") && !strings.HasSuffix(form, ":") || len(form) >= longestFolded {
				t.Errorf("%q, which is there: %v", form, seen[form])
			}
			seen[form] = true
		}
	}
}

// mendMarks is the inverse of Break.
func mendMarks(text string) string {
	return eachMark(text, func(m *mark) string { return m.head + strings.TrimPrefix(m.backslashes, `\`) + m.rest })
}

// A text of many brackets and lines takes time linear in its size: it is looked at in pieces of bounded length.
func BenchmarkBreak(b *testing.B) {
	for name, line := range map[string]string{"log": "2026-11-21T10:00:00Z [worker] a < b: done in 3 ms\n", "html": "<div><span class=\"x\">text</span></div>\n", "brackets": "<[<[<[<[<[", "wide": "漢字：、。（）「」\n"} {
		text := strings.Repeat(line, 64<<10/len(line))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Break(text)
			}
		})
	}
}

func TestResultHasItsTags(t *testing.T) {
	t.Parallel()
	want := ResultOpen + "\nfs___read:\nmodule x\n" + ResultClose
	if got := Result("fs___read", "module x"); got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
