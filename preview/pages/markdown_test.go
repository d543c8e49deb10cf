package pages_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview/pages"
)

// The readable form of Markdown has a sentence, a heading, an item or a row on a line, and
// no addresses.
func TestReadMarkdown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, title string
		byHand      bool
		want        string
	}{
		"sentences": {
			text: "The lock was opened in 1912. It is 82 metres long, e.g. for barges. Was it ever closed? Yes.\n",
			want: "The lock was opened in 1912.\nIt is 82 metres long, e.g. for barges.\nWas it ever closed? Yes.\n",
		},
		"links": {
			text: "See [the docs](https://example.org/docs?a=(b) \"Docs\"), [here][1] and ![a chart](c.png).\n\n[1]: https://example.org/1\n",
			want: "See the docs, here and a chart.\n",
		},
		"link around an image": {text: "[![Build](https://ci.example/badge.svg)](https://ci.example) of main\n", want: "Build of main\n"},
		"emphasis":             {text: "A **bold** word, an *other*, `code` and snake_case * 2.\n", want: "A bold word, an other, code and snake_case * 2.\n"},
		"by hand": {
			text: "<p align=\"center\">\n  <a\n    href=\"x\"\n  >A **bold** word</a>\n</p>\n\nA list of `Vec<T>`.\n", byHand: true,
			want: "A **bold** word\nA list of `Vec<T>`.\n",
		},
		"wrapped": {text: "The lock takes fourteen minutes to pass, and small boats wait\nfor barges.\n", want: "The lock takes fourteen minutes to pass, and small boats wait for barges.\n"},
		"headings": {
			text: "Lock\n====\n\nText\n----\n\n### Part ###\nText.\n", want: "# Lock\n## Text\n### Part\nText.\n",
		},
		"title":                 {text: "# Lock\n\nText.\n", title: "Lock - Wiki", want: "# Lock - Wiki\nText.\n"},
		"title without heading": {text: "# Gates\n", title: "Lock", want: "# Lock\n# Gates\n"},
		"lists": {
			text: "- One of them. It is the longer one of the two.\n  - inside\n\n1. First\n", want: "- One of them. It is the longer one of the two.\n  - inside\n1. First\n",
		},
		"short links": {text: "- [A](a)\n- [B](b)\n- [C](c)\n\ntext\n", want: "A · B · C\ntext\n"},
		"table":       {text: "| Part | Size |\n|---|---|\n| [Lock](l) | 82 m |\n", want: "Part | Size\nLock | 82 m\n"},
		"example":     {text: "Run:\n\n```sh\nmake\n\n# no heading\n```\n", want: "Run:\n```sh\nmake\n# no heading\n```\n"},
		"ruler":       {text: "a\n\n* * *\n\nb\n", want: "a\nb\n"},
		"beside":      {text: "a\n\nBeside the main text:\n\nb\n", want: "a\nBeside the main text:\nb\n"},
		"Japanese":    {text: "塔の高さは24.6メートルである。1988年に無人化された。\n", want: "塔の高さは24.6メートルである。\n1988年に無人化された。\n"},
	} {
		if got := pages.ReadMarkdown([]byte(c.text), c.title, c.byHand); string(got.Text()) != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got.Text(), c.want)
		}
	}
}

// Lines know what they are and where they stand.
func TestLinesOfMarkdown(t *testing.T) {
	t.Parallel()
	f := pages.ReadMarkdown([]byte("# Lock\n\nThe lock was opened by the people of the town.\n\n- 82 m\n- wide\n\n[A](a)\n\nBeside the main text:\n\nImprint\n"), "", false)
	want := []pages.Line{
		{Kind: pages.Heading, Level: 1, Section: 1}, {Kind: pages.Sentence, Section: 1}, {Kind: pages.Fact, Section: 1}, {Kind: pages.Item, Section: 1},
		{Kind: pages.Links, Section: 1}, {Kind: pages.Divider, Beside: true, Section: 2}, {Kind: pages.Links, Beside: true, Section: 2},
	}
	if f.Len() != len(want) {
		t.Fatalf("%d lines\n%s", f.Len(), f.Text())
	}
	for i := range want {
		if f.Line(i) != want[i] {
			t.Errorf("line %d is %+v, want %+v", i, f.Line(i), want[i])
		}
	}
}

// Text for people with headings or links is Markdown; logs, settings and code are not.
func TestIsMarkdown(t *testing.T) {
	t.Parallel()
	readme := "# Widget\n\nWidget keeps requests in order and answers them.\n\n## Install\n\n- with [npm](https://npm.example)\n- with [make](https://make.example)\n\n" +
		"## Use\n\n```sh\nnpx widget\n```\n\nIt reads from a socket, and never loses what it was given.\n\nIt is small and has no settings of its own.\n"
	settings := strings.Repeat("# the port\n\nport = 80\nhost = \"localhost\"\nlevel = \"info\"\n\n", 8)
	log := strings.Repeat("2026-01-02 10:00:00 INFO request [a](b) took 12 ms in worker 7\n", 20)
	for text, want := range map[string]bool{readme: true, settings: false, log: true, "": false, strings.Repeat("go test ./...\nok\n", 20): false} {
		if pages.IsMarkdown([]byte(text)) != want {
			t.Errorf("%.40q: want %v", text, want)
		}
	}
}

// The dump of a page has its headings, its paragraphs without their wraps, and its links
// without their numbers.
func TestReadDump(t *testing.T) {
	t.Parallel()
	dump := "   [1]Foundation\n     * [2]News\n     * [3]People\n     * [4]Projects\n     * [5]Rooms\n\n                    Travel policy\n\n" +
		"   This policy applies to all journeys that are paid by the\n   [6]Foundation, also those of guests.\n\n2. Trains\n\n   Journeys of less than six hours are made by\n   train, in second class.\n"
	want := "Foundation\nNews · People · Projects · Rooms\n# Travel policy\n" +
		"This policy applies to all journeys that are paid by the Foundation, also those of guests.\n## 2. Trains\n" +
		"Journeys of less than six hours are made by train, in second class.\n"
	if !pages.IsDump([]byte(dump)) {
		t.Fatal("it is no dump")
	}
	if got := pages.ReadDump([]byte(dump)); string(got.Text()) != want {
		t.Errorf("%s\nwant\n%s", got.Text(), want)
	}
	if pages.IsDump([]byte("a[1]b a[1]c a[0]d x[2]=1 [3] [4]\n")) {
		t.Error("indices are no links")
	}
}

// A form has as many lines as its text, and is not much longer than what it was made of.
func checkForm(t interface{ Errorf(string, ...any) }, text []byte, f *pages.Form) {
	if f == nil {
		return
	}
	if lines := bytes.Count(f.Text(), []byte("\n")); lines != f.Len() {
		t.Errorf("%d lines of text, %d of the form", lines, f.Len())
	}
	if limit := 4*len(text) + 256; len(f.Text()) > limit {
		t.Errorf("%d bytes are %d in the form", len(text), len(f.Text()))
	}
}

// Every word of Markdown but those of addresses is in its form.
func TestEveryWordIsKept(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		n := rapid.IntRange(1, 60).Draw(t, "words")
		for i := range n {
			word := "word" + string(rune('a'+i%26)) + strings.Repeat("x", i/26)
			b.WriteString(rapid.SampledFrom([]string{
				"%", "% ", "%. ", "%\n", "%\n\n", "\n\n# %\n\n", "\n- %\n", "\n1. %", "| % ", "\n\n```\n%\n```\n", "[%](http://x/y) ", "![%](i) ", "**%** ", "*% ", "`%` ",
				"> %\n", "    % ", "\n    %\n", "[% ", "%] ", "<% ",
			}).Draw(t, "form"))
			text := b.String()
			at := strings.LastIndexByte(text, '%')
			b.Reset()
			b.WriteString(text[:at] + word + text[at+1:])
		}
		f := pages.ReadMarkdown([]byte(b.String()), "", rapid.Bool().Draw(t, "hand"))
		checkForm(t, []byte(b.String()), f)
		for i := range n {
			if word := "word" + string(rune('a'+i%26)) + strings.Repeat("x", i/26); !bytes.Contains(f.Text(), []byte(word)) {
				t.Fatalf("%s is lost\n%s\n%s", word, b.String(), f.Text())
			}
		}
	})
}

// Text that is made to take much time is read in little.
func TestHostileMarkdown(t *testing.T) {
	t.Parallel()
	const size = 1 << 18
	for _, unit := range []string{"[", "![", "[](", "[a](b", "*", "* ", "`", "`` ` ", "<", "<a ", "_a", "[[]]", "|", "# ", "- ", "\n\n    ", "a. ", "[1]a"} {
		text := []byte(strings.Repeat(unit, size/len(unit)))
		for _, byHand := range []bool{false, true} {
			checkForm(t, text, pages.ReadMarkdown(text, "", byHand))
		}
		pages.IsMarkdown(text)
		pages.IsDump(text)
		checkForm(t, text, pages.ReadDump(text))
		checkForm(t, text, pages.ReadSnapshot(text))
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"", "# a\n\nb. C\n", "- [a](b)\n  c\n\n```\nd\n```\n| e | f |\n|---|---|\n", "   [1]a\n\n b\n", "- button \"x\" [ref=e1]: y\n  - /url: z\n", "uid=1_2 link \"a\" url=\"b\"\n",
		"a\n===\n", "    [", "*a* **b_ `c", "<p\n>x", "[a]: b/c\n", "- 'link \"a: b\" [ref=e4]':\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		checkForm(t, text, pages.ReadMarkdown(text, "", true))
		checkForm(t, text, pages.ReadMarkdown(text, "a", false))
		checkForm(t, text, pages.ReadDump(text))
		tree := pages.ReadSnapshot(text)
		checkForm(t, text, tree)
		if again := pages.ReadSnapshot(text); tree != nil && !bytes.Equal(tree.Text(), again.Text()) {
			t.Error("another form")
		}
	})
}
