package web

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds of what is converted. The converter walks the tree by recursion and
// copies the text once or more for every level, and so does the work with it.
const (
	maxDepth = 100      // elements inside each other; deeper ones lose their tags and keep their text
	maxWork  = 32 << 20 // bytes of text and tags, each times its depth
	maxNodes = 200_000  // elements and pieces of text: about 40 MiB
	nodeWork = 32       // what a tag counts, in bytes
	stepWork = 8        // what a look at an open element counts, in bytes
	maxSpan  = 50       // cells that one cell of a table spans
	maxCells = 200      // cells of a row of a table
)

// page is a page as a tree. The parser of golang.org/x/net/html is not used for
// it: formatting elements that are not closed begin again in every paragraph, as
// the standard demands, so that a page of 14 KB with 400 of them becomes 800,000
// nodes. This one makes at most one element of a tag.
type page struct {
	root     *html.Node
	title    string
	base     string // what links are relative to
	work     int
	nodes    int
	hasText  bool
	unclosed bool // the navigation goes on to the end of the page

	open   []*html.Node // the root first
	deeper int          // tags open below the deepest level
	place  bool         // whether the last tag was a link to a place in this page, or the name of one
	layout map[*html.Node]bool

	rest     bytes.Buffer // the plain text of what came when the tree was full
	verbatim bool         // whether that is inside of a pre
}

// full reports whether the page is too much for the converter.
func (p *page) full() bool { return p.work > maxWork || p.nodes > maxNodes }

func readPage(source []byte, address string, dropNavigation bool) *page {
	p := &page{root: &html.Node{Type: html.DocumentNode}, base: address, layout: map[*html.Node]bool{}}
	p.open = []*html.Node{p.root}
	z := html.NewTokenizer(bytes.NewReader(source))
	skipped, level := "", 0 // the element that is left out, and how many of its name are open
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		t := z.Token()
		switch {
		case skipped != "":
			if skipped == "title" && kind == html.TextToken && p.title == "" {
				p.title = strings.Join(strings.Fields(t.Data), " ")
			}
			if t.Data == skipped && kind == html.StartTagToken {
				level++
			} else if t.Data == skipped && kind == html.EndTagToken {
				level--
			}
			if level == 0 {
				skipped = ""
			}
		case kind == html.StartTagToken && (dropped[t.Data] || dropNavigation && t.Data == navigation):
			skipped, level = t.Data, 1
		case p.full():
			p.more(kind, t.Data)
		case kind == html.TextToken:
			if !p.place || !signs[strings.TrimSpace(t.Data)] {
				p.text(t.Data)
			}
			p.place = false
		case kind == html.StartTagToken, kind == html.SelfClosingTagToken:
			p.start(t)
		case kind == html.EndTagToken:
			p.end(t.Data)
		}
	}
	p.unclosed = skipped == navigation
	p.open = nil
	p.settle(p.root, false)
	return p
}

// names is a set of names of elements.
type names map[string]bool

func set(list string) names {
	n := names{}
	for _, name := range strings.Fields(list) {
		n[name] = true
	}
	return n
}

const navigation = "nav"

// Elements by what is done with them.
var (
	dropped     = set("title script style noscript template svg math iframe object canvas audio video noframes noembed select textarea")
	transparent = set("html head body form font span label colgroup col meta link input source track wbr param area embed base")
	void        = set("br hr img")
	blocks      = set("address article aside blockquote caption dd details dialog div dl dt fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 " +
		"header hgroup hr li main menu nav ol p pre search section summary table tbody td tfoot th thead tr ul")
	signs     = set("¶ # § 🔗") // what pages show for a link to a heading of their own
	codes     = set("code kbd samp tt var")
	cells     = set("td th caption")
	ofTables  = set("table caption thead tbody tfoot tr td th")
	tableOnly = map[string]names{
		"table": set("caption thead tbody tfoot tr"), "thead": set("tr"), "tbody": set("tr"), "tfoot": set("tr"), "tr": set("td th"),
	}
)

// ending says which open elements a start tag ends, and where the search for them
// ends.
type ending struct{ ends, within names }

var endings = map[string]ending{
	"li": {set("li"), set("ul ol menu table")}, "dt": {set("dt dd"), set("dl table")}, "dd": {set("dt dd"), set("dl table")},
	"tr": {set("tr caption"), set("table")}, "td": {set("td th"), set("tr table")}, "th": {set("td th"), set("tr table")},
	"thead": {set("thead tbody tfoot caption"), set("table")}, "tbody": {set("thead tbody tfoot caption"), set("table")},
	"tfoot": {set("thead tbody tfoot caption"), set("table")}, "a": {set("a"), set("td th caption table")},
}

var endOfParagraph = ending{set("p"), set("td th caption table li dd blockquote div section article")}

func (p *page) top() *html.Node { return p.open[len(p.open)-1] }

// charge counts the work that a piece of the page makes.
func (p *page) charge(n int) { p.work += len(p.open) * (n + nodeWork) }

// more takes what comes when the tree is full.
func (p *page) more(kind html.TokenType, data string) {
	switch {
	case kind == html.TextToken:
		p.hasText = true
		plainWords(&p.rest, data, p.verbatim)
	case blocks[data] || data == "br":
		endLine(&p.rest)
		if data == "pre" {
			p.verbatim = kind == html.StartTagToken
		}
	}
}

// closeTo ends the innermost open element of some names, and all inside of it. A
// page that made too much work already is read as plain text, for which it does
// not matter what ends where.
func (p *page) closeTo(e ending) {
	for i := len(p.open) - 1; i > 0 && !p.full(); i-- {
		p.work += stepWork
		if e.ends[p.open[i].Data] {
			p.open = p.open[:i]
			return
		}
		if e.within[p.open[i].Data] {
			return
		}
	}
}

// closeCode ends inline code, which would make one line of all blocks that follow
// where its end tag is missing. In a pre it has the lines of that.
func (p *page) closeCode() {
	at := 0
	for i := len(p.open) - 1; i > 0 && !p.full(); i-- {
		p.work += stepWork
		switch name := p.open[i].Data; {
		case codes[name]:
			at = i
		case name == "pre":
			return
		case blocks[name]:
			i = 0 // it is outside of code, or there is none
		}
	}
	if at > 0 {
		p.open = p.open[:at]
	}
}

func (p *page) start(t html.Token) {
	name := t.Data
	if name == "base" {
		p.setBase(attribute(t, "href"))
	}
	if transparent[name] {
		return
	}
	if name == "a" && !leadsAway(attribute(t, "href")) {
		p.place = true
		return
	}
	if !void[name] && p.deeper > 0 {
		p.deeper++
		return
	}
	if e, ok := endings[name]; ok {
		p.closeTo(e)
	}
	if blocks[name] && !cells[name] {
		p.closeTo(endOfParagraph)
	}
	if blocks[name] && name != "pre" {
		p.closeCode()
	}
	if name == "img" && strings.HasPrefix(attribute(t, "src"), "data:") {
		p.text(attribute(t, "alt")) // an address of some kilobytes is no text
		return
	}
	if !void[name] && len(p.open) >= maxDepth {
		p.deeper++
		return
	}
	n := &html.Node{Type: html.ElementNode, Data: name, DataAtom: atom.Lookup([]byte(name)), Attr: p.attributes(t)}
	p.add(n)
	if !void[name] {
		p.open = append(p.open, n)
	}
}

func (p *page) end(name string) {
	switch {
	case transparent[name] || void[name]:
		return
	case p.deeper > 0:
		p.deeper--
		return
	case p.top().Data == name:
		p.open = p.open[:len(p.open)-1]
		return
	}
	e := ending{ends: names{name: true}}
	if !ofTables[name] {
		e.within = cells // a stray end tag in a cell does not end the table
	}
	p.closeTo(e)
}

func (p *page) text(text string) {
	blank := strings.TrimSpace(text) == ""
	if p.top().Data == "pre" && p.top().FirstChild == nil {
		text = strings.TrimPrefix(text, "\n")
	}
	if text == "" || blank && tableOnly[p.top().Data] != nil {
		return
	}
	p.hasText = p.hasText || !blank
	p.add(&html.Node{Type: html.TextNode, Data: text})
}

// add appends a node to the innermost open element.
func (p *page) add(n *html.Node) {
	p.nodes++
	size := len(n.Data)
	for _, a := range n.Attr {
		size += len(a.Val)
	}
	p.charge(size)
	if allowed := tableOnly[p.top().Data]; allowed != nil && (n.Type == html.TextNode || !allowed[n.Data]) {
		p.markLayout() // it would be lost between the cells
	}
	if n.Data == "table" && n.Type == html.ElementNode {
		p.markLayout() // Markdown has no tables in tables
	}
	p.top().AppendChild(n)
}

// markLayout says that the innermost open table is no table of data.
func (p *page) markLayout() {
	for i := len(p.open) - 1; i > 0; i-- {
		if p.open[i].Data == "table" {
			p.layout[p.open[i]] = true
			return
		}
	}
}

// leadsAway reports whether a link is one that a model could follow: a place in
// the page is here already, and a script is not run.
func leadsAway(href string) bool {
	href = strings.TrimSpace(href)
	scheme, _, _ := strings.Cut(href, ":")
	return href != "" && href[0] != '#' && !strings.EqualFold(scheme, "javascript")
}

// setBase takes the base that a page declares, the first time.
func (p *page) setBase(href string) {
	if from, err := url.Parse(p.base); err == nil && href != "" && len(href) < 4096 {
		if to, err := from.Parse(strings.TrimSpace(href)); err == nil && to.Host != "" {
			p.base = to.String()
		}
	}
}

// attributes keeps the attributes that make a difference to the text.
func (p *page) attributes(t html.Token) (kept []html.Attribute) {
	for _, a := range t.Attr {
		switch a.Key {
		case "href", "src":
			p.charge(len(p.base))
		case "alt":
		case "class":
			if t.Data != "pre" && t.Data != "code" {
				continue
			}
		case "start", "colspan", "rowspan":
			if n, err := strconv.Atoi(a.Val); err != nil || n < 0 || n > 1e6 || a.Key != "start" && n > maxSpan {
				continue
			}
		default:
			continue
		}
		kept = append(kept, html.Attribute{Key: a.Key, Val: a.Val})
	}
	return kept
}

func attribute(t html.Token, key string) string {
	for _, a := range t.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// settle makes plain blocks of tables that are not tables of data, and of their
// rows and cells, escapes what would end a cell, and removes links without content.
// It reports whether there is something to be seen.
func (p *page) settle(n *html.Node, inTable bool) (content bool) {
	var next *html.Node
	for c := n.FirstChild; c != nil; c = next {
		next = c.NextSibling
		if c.Type == html.TextNode {
			content = content || strings.TrimSpace(c.Data) != ""
			if inTable {
				c.Data = strings.ReplaceAll(c.Data, "|", `\|`)
			}
			continue
		}
		inside := inTable
		if ofTables[c.Data] {
			if c.Data == "table" {
				inside = !p.layout[c] && regular(c)
			}
			if !inside {
				c.Data, c.DataAtom, c.Attr = "div", atom.Div, nil
			}
		}
		seen := p.settle(c, inside) || c.Data == "img"
		if c.Data == "a" && !seen {
			n.RemoveChild(c)
		}
		content = content || seen
	}
	return content
}

// regular reports whether a table has about as many cells as places for them:
// every row is filled up to the longest one.
func regular(table *html.Node) bool {
	rows, count, spanned, longest := 0, 0, 0, 0
	for n := range table.Descendants() {
		if n.Type != html.ElementNode || n.Data != "tr" {
			continue
		}
		rows++
		row := 0
		for cell := n.FirstChild; cell != nil; cell = cell.NextSibling {
			across, down := span(cell, "colspan"), span(cell, "rowspan")
			row += across
			count++
			spanned += across*down - 1
		}
		longest = max(longest, row)
	}
	return longest <= maxCells && spanned <= 4*count+maxCells && rows*(longest+spanned/max(1, rows)) <= 8*count+4096
}

func span(cell *html.Node, key string) int {
	for _, a := range cell.Attr {
		if a.Key == key {
			n, _ := strconv.Atoi(a.Val)
			return max(1, n)
		}
	}
	return 1
}
