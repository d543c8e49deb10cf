package web

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// outline writes the tree below a node as "p(text)ul(li(text))".
func outline(n *html.Node) string {
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode {
			b.WriteString(strings.TrimSpace(c.Data))
			continue
		}
		b.WriteString(c.Data)
		if inside := outline(c); inside != "" || !voidElements[c.Data] {
			fmt.Fprintf(&b, "(%s)", inside)
		}
	}
	return b.String()
}

// Start tags close what the HTML standard lets them close, and nothing around a table or a cell.
func TestTagsCloseElements(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		"<p>a<p>b":                                     "p(a)p(b)",
		"<p>a<div>b</div></p>c":                        "p(a)div(b)c",
		"<p>a<div><p>b</div>c":                         "p(a)div(p(b))c",
		"<ul><li>a<li>b<ul><li>c</ul><li>d</ul>e":      "ul(li(a)li(bul(li(c)))li(d))e",
		"<dl><dt>a<dd>b<dt>c</dl>":                     "dl(dt(a:b)dt(c))",
		"<table><tr><td>a<td>b<tr><th>c</table>d":      "table(tr(td(a)td(b))tr(th(c)))d",
		"<table><thead><tr><td>a<tbody><tr><td>b":      "table(thead(tr(td(a)))tbody(tr(td(b))))",
		"<table><tr><td><p>a</div>b</table>c":          "table(tr(td(p(ab))))c",
		"<table><tr><td>a<table><tr><td>b":             "div(div(div(atable(tr(td(b))))))",
		"<table><caption>a<tr><td>b":                   "table(caption(a)tr(td(b)))",
		"<a href=/x>a<a href=/y>b":                     "a(a)a(b)",
		"<a href=#x>a</a><a href=JavaScript:x>b</a>":   "ab",
		"<a href=/x> </a>b":                            "b",
		"<a href=/x><img src=/i></a>":                  "a(img)",
		"<p><code>a<p>b":                               "p(code(a))p(b)",
		"<code>a<div>b":                                "code(a)div(b)",
		"<pre><code>a\n<div>b":                         "pre(code(adiv(b)))",
		"<code>a<pre>b":                                "code(apre(b))",
		"<b><i>a</b>b</i>c":                            "b(i(a))bc",
		"<div>a</p>b":                                  "div(ab)",
		"a</br>b<br/>c<hr>d":                           "abbrchrd",
		"<span>a</span><font>b</font>":                 "ab",
		"<img src=data:x alt=words>a":                  "wordsa",
		"<table>a<tr><td>b":                            "div(adiv(div(b)))",
		"<table> <tr> <td>b":                           "table(tr(td(b)))",
		"<script>a<script>b</script>c":                 "c",
		"<nav>a<nav>b</nav>c</nav>d":                   "d",
		"<svg><title>a</title></svg><title>b</title>c": "c",
		"<h1><a href=#a>¶</a>a</h1>":                   "h1(a)",
		"<table><tr><td>a|b</table>c|d":                `table(tr(td(a\|b)))c|d`,
	} {
		if got := outline(readPage([]byte(page), "").root); got != want {
			t.Errorf("%s\n got %s\nwant %s", page, got, want)
		}
	}
}

// A tree has a bounded depth: deeper tags are passed over, with their ends, and their text stays.
func TestTreeHasABoundedDepth(t *testing.T) {
	t.Parallel()
	for levels, want := range map[int]int{maxDepth - 1: maxDepth - 1, maxDepth: maxDepth - 1, maxDepth + 50: maxDepth - 1} {
		p := readPage([]byte(strings.Repeat("<b>", levels)+"x"+strings.Repeat("</b>", levels)+"y"), "")
		if got := outline(p.root); strings.Count(got, "b(") != want || !strings.HasSuffix(got, ")y") || !strings.Contains(got, "x") || p.tooDeep != 0 {
			t.Errorf("%d levels: %d, %d open", levels, strings.Count(got, "b("), p.tooDeep)
		}
	}
}

func TestPageIsFullBehindItsBounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p    page
		full bool
	}{{page{work: maxWork}, false}, {page{work: maxWork + 1}, true}, {page{nodes: maxNodes}, false}, {page{nodes: maxNodes + 1}, true}} {
		if c.p.full() != c.full {
			t.Errorf("%d bytes and %d nodes: full is %v", c.p.work, c.p.nodes, !c.full)
		}
	}
	link := []byte("<a href=x>y</a>")
	if short, long := readPage(link, "a"), readPage(link, strings.Repeat("a", 1000)); long.work < short.work+999 {
		t.Errorf("an address of 1000 bytes counts %d", long.work-short.work)
	}
	if flat, deep := readPage([]byte("xyz"), ""), readPage([]byte("<b><b>xyz"), ""); flat.work != 3+nodeWork || deep.work <= 3*flat.work {
		t.Errorf("%d on the top, %d deeper", flat.work, deep.work)
	}
}

// Of attributes those stay that matter to a text, with numbers that are none of an attack.
func TestAttributesHaveBounds(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"<ol start=0>": "start=0", "<ol start=-1>": "", "<ol start=1000000>": "start=1000000", "<ol start=1000001>": "", "<ol start=x>": "", "<td colspan=50>": "colspan=50", "<td colspan=51>": "", "<td rowspan=51>": "",
		"<code class=go>": "class=go", "<div class=go id=x>": "", "<img src=/a alt=b title=c>": "src=/a alt=b", "<pre class=x>": "class=x",
	} {
		z := html.NewTokenizer(strings.NewReader(tag))
		z.Next()
		var got []string
		for _, a := range (&page{}).attributes(z.Token()) {
			got = append(got, a.Key+"="+a.Val)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s keeps %q, want %q", tag, got, want)
		}
	}
}

// A table becomes Markdown if it has about as many cells as places.
func TestRegularTables(t *testing.T) {
	t.Parallel()
	row := func(cells int) string { return "<tr>" + strings.Repeat("<td>x", cells) }
	for source, want := range map[string]bool{
		row(maxCells): true, row(maxCells + 1): false, `<tr><td colspan=41 rowspan=5>x`: true, `<tr><td colspan=2 rowspan=49>x<tr><td colspan=2 rowspan=49>`: true,
		strings.Repeat("<tr><td rowspan=50>x", 4): true, strings.Repeat("<tr><td rowspan=50>x", 5): false, strings.Repeat(`<tr><td colspan=50 rowspan=50>x`, 2): false, `<tr><td colspan=42 rowspan=5>x`: false,
		row(maxCells) + strings.Repeat(row(1), 22): true, row(maxCells) + strings.Repeat(row(1), 40): false,
	} {
		p := &page{root: &html.Node{Type: html.DocumentNode}, layout: map[*html.Node]bool{}}
		p.openElements = []*html.Node{p.root}
		z := html.NewTokenizer(strings.NewReader("<table>" + source))
		for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
			if tok := z.Token(); kind == html.StartTagToken {
				p.start(tok)
			}
		}
		if got := regular(p.root.FirstChild); got != want {
			t.Errorf("%.60s of %d bytes is regular: %v", source, len(source), got)
		}
	}
	cell := &html.Node{Attr: []html.Attribute{{Key: "x", Val: "7"}, {Key: "colspan", Val: "3"}, {Key: "rowspan", Val: "0"}}}
	if span(cell, "colspan") != 3 || span(cell, "rowspan") != 1 || span(cell, "none") != 1 {
		t.Errorf("%d columns, %d rows", span(cell, "colspan"), span(cell, "rowspan"))
	}
}

// Plain text has a line for each block, and the text behind a full tree begins a line of its own.
func TestPlainTextHasALineForEachBlock(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"a<div>b</div>c": "a\nb\nc\n", "a <b> b </b> c": "a b c\n", "<pre>a\n  b</pre>c": "a\n  b\nc\n", "a<br>b<br><br>c": "a\nb\nc\n", " \n ": "", "<ul><li>a<li>b</ul>": "a\nb\n", "<div><div>a</div></div>": "a\n", "a<img src=/x>b": "ab\n", "a   \t\r\n\fb": "a b\n",
	} {
		if got := string(readPage([]byte(source), "").plain()); got != want {
			t.Errorf("%q is %q, want %q", source, got, want)
		}
	}
	p := readPage([]byte("a"), "")
	for _, token := range []struct {
		kind html.TokenType
		data string
	}{{html.TextToken, " b  c "}, {html.StartTagToken, "br"}, {html.TextToken, "d"}, {html.StartTagToken, "b"}, {html.TextToken, "e"}, {html.StartTagToken, "pre"}, {html.TextToken, "f  g"}, {html.EndTagToken, "pre"}, {html.TextToken, "h  i"}} {
		p.overflow(token.kind, token.data)
	}
	if got := string(p.plain()); got != "a\nb c\nde\nf  g\nh i\n" {
		t.Errorf("%q", got)
	}
}

// The base of links is the one that a page declares, if it is an address.
func TestBaseOfLinks(t *testing.T) {
	t.Parallel()
	for href, want := range map[string]string{
		"/x/": "https://a.example/x/", " https://b.example/y ": "https://b.example/y", "": "https://a.example/d/p", "mailto:x": "https://a.example/d/p", "%zz": "https://a.example/d/p",
		"/" + strings.Repeat("a", 4094): "https://a.example/" + strings.Repeat("a", 4094), "/" + strings.Repeat("a", 4095): "https://a.example/d/p",
	} {
		p := &page{base: "https://a.example/d/p"}
		if p.setBase(href); p.base != want {
			t.Errorf("%.40q makes %.60q of it, want %.60q", href, p.base, want)
		}
	}
}
