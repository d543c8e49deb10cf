package web_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/projectors/web"
)

// prose is a paragraph that makes a part of a page the main one.
const prose = "<p>The lock was opened in 1912 and is 82 metres long. It takes fourteen minutes to pass it, and small boats wait for barges.</p>"

// The main text of a page comes first; what is beside it follows without addresses.
func TestMainTextComesFirst(t *testing.T) {
	t.Parallel()
	links := strings.Repeat("<li><a href=/other/page.html>Another page</a></li>", 6)
	for name, c := range map[string]struct {
		page         string
		main, beside []string
	}{
		"main element": {
			"<header><ul>" + links + "</ul></header><main><h1>Lock</h1>" + prose + "</main><footer>Imprint</footer>",
			[]string{"# Lock", "opened in 1912"}, []string{"Another page", "Imprint"},
		},
		"role": {"<div>Site</div><div role=main>" + prose + "</div><div role=contentinfo>Imprint</div>", []string{"opened in 1912"}, []string{"Site", "Imprint"}},
		"no main element": {
			"<nav>Menu</nav><div>" + prose + "</div><div class='side-bar sidebar'>Most read</div><footer>Imprint</footer>",
			[]string{"opened in 1912"}, []string{"Menu", "Most read", "Imprint"},
		},
		"headers of articles": {
			"<article><header><h1>Lock</h1></header>" + prose + "<footer>By Ann</footer></article><aside>Advert</aside>",
			[]string{"# Lock", "opened in 1912", "By Ann"}, []string{"Advert"},
		},
		"header with the title": {"<header><h1>Lock</h1><p>of the river</p></header>" + prose, []string{"# Lock", "of the river"}, nil},
		"list of links":         {prose + "<ul>" + links + "</ul>", []string{"opened in 1912"}, []string{"Another page"}},
		"page of links":         {"<h1>Index</h1><ul>" + links + "</ul>", []string{"Index", "[Another page](https://example.org/other/page.html)"}, nil},
		"only navigation":       {"<nav>" + links + "</nav>", []string{"Another page"}, nil},
		"misleading class":      {"<div class=menu>" + prose + "</div>", []string{"opened in 1912"}, nil},
		"empty main element":    {"<main></main><div>" + prose + "</div>", []string{"opened in 1912"}, nil},
		"terms":                 {"<main><dl><dt>Width</dt><dd><p>9.8 m</p></dd><dt>Gates:</dt><dd>two</dd></dl>" + prose + "</main>", []string{"Width: 9.8 m", "Gates: two"}, nil},
	} {
		_, text, _ := web.ReadHTML([]byte(c.page), "https://example.org/a")
		main, beside, _ := strings.Cut(string(text), "\n"+web.BesideMain+"\n")
		for _, want := range c.main {
			if !strings.Contains(main, want) {
				t.Errorf("%s: %q is not in the main text\n%s", name, want, text)
			}
		}
		for _, want := range c.beside {
			if !strings.Contains(beside, want) || strings.Contains(main, want) {
				t.Errorf("%s: %q is not beside the main text\n%s", name, want, text)
			}
		}
		if c.beside == nil && beside != "" {
			t.Errorf("%s: beside the main text is\n%s", name, beside)
		}
		if strings.Contains(beside, "](") {
			t.Errorf("%s: an address is beside the main text\n%s", name, beside)
		}
	}
}

// drawPage draws a page of nested elements, in which each word is another one.
func drawPage(t *rapid.T) string {
	var b strings.Builder
	words := 0
	var element func(depth int)
	element = func(depth int) {
		name := rapid.SampledFrom([]string{
			"div", "p", "main", "nav", "aside", "header", "footer", "article", "section", "ul", "li", "a", "h2", "b", "table", "tr", "td", "dl", "dt", "dd",
			"blockquote", "span", "pre", "code",
		}).Draw(t, "name")
		class := rapid.SampledFrom([]string{"", "", " class=sidebar", " role=navigation", " role=main", " href=/x"}).Draw(t, "class")
		fmt.Fprintf(&b, "<%s%s>", name, class)
		for range rapid.IntRange(0, 3).Draw(t, "children") {
			if depth < 5 && rapid.Bool().Draw(t, "element") {
				element(depth + 1)
				continue
			}
			for range rapid.IntRange(1, 12).Draw(t, "words") {
				fmt.Fprintf(&b, "word%04d ", words)
				words++
			}
		}
		if rapid.IntRange(0, 9).Draw(t, "open") > 0 {
			fmt.Fprintf(&b, "</%s>", name)
		}
	}
	for range rapid.IntRange(1, 6).Draw(t, "elements") {
		element(0)
	}
	return b.String()
}

// No word of a page is lost, whatever is taken for its main text.
func TestEveryWordIsKept(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		page := drawPage(t)
		_, text, _ := web.ReadHTML([]byte(page), "")
		z := html.NewTokenizer(strings.NewReader(page))
		for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
			if kind != html.TextToken {
				continue
			}
			for word := range strings.FieldsSeq(string(z.Text())) {
				if !strings.Contains(string(text), word) {
					t.Fatalf("%s is lost\n%s\n%s", word, page, text)
				}
			}
		}
	})
}

// A page is known by its beginning, whatever a tool prints before it.
func TestFindPage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, before string
		ok           bool
	}{
		{"<!DOCTYPE html><html><p>x", "", true},
		{"\ufeff\n <html lang=en>x", "\ufeff\n ", true},
		{"<!-- made by hand -->\n<html>x", "<!-- made by hand -->\n", true},
		{"<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0\"><html>", "<?xml version=\"1.0\"?>\n", true},
		{"HTTP/2 200\r\ncontent-type: text/html\r\n\r\n<!doctype html>x", "HTTP/2 200\r\ncontent-type: text/html\r\n\r\n", true},
		{"Contents of https://example.org/:\n<!doctype html>x", "Contents of https://example.org/:\n", true},
		{"the tag <html> begins a page", "", false},
		{"{\"body\": \"<!doctype html>\"}", "", false},
		{"<div>a part</div>\n<html>", "", false},
		{"<htmlx>", "", false},
		{"# Templates\n\n```html\n<!doctype html>\n<p>x\n```\n", "", false},
		{"import os\n\nname = 1\nother = 2\npage = \"\"\"\n<!doctype html>\n", "", false},
		{"+<!doctype html>", "", false},
		{"", "", false},
	} {
		before, page, ok := web.FindPage([]byte(c.text))
		if ok != c.ok || string(before) != c.before || ok && string(before)+string(page) != c.text {
			t.Errorf("%q: %q, %q, %v", c.text, before, page, ok)
		}
	}
}
