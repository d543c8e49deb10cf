package web

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The tree is built from tokens in one pass. Its size, its depth and the work of the
// converter are counted while it grows; once the page is full, the rest of it is
// collected as plain text. No input takes more than linear time.

// Bounds of what is converted. The converter walks the tree by recursion and copies
// the text at least once for each level, so its work grows with depth times size.
const (
	maxDepth = 100      // elements inside each other; deeper ones lose their tags and keep their text
	maxWork  = 32 << 20 // bytes of text and tags, each times its depth
	maxNodes = 200_000  // elements and pieces of text: about 40 MiB
	nodeWork = 32       // what a tag counts, in bytes
	stepWork = 8        // what a look at an open element counts, in bytes
	maxSpan  = 50       // cells that one cell of a table spans
	maxCells = 200      // cells of a row of a table
)

// page is a page as a tree of elements.
//
// The parser of golang.org/x/net/html is not used to build it. As the HTML standard
// demands, that parser opens formatting elements without an end again in every
// paragraph, so that a page of 14 KB with 400 of them becomes 800,000 nodes. This one
// makes at most one element for each tag.
type page struct {
	root    *html.Node
	title   string
	base    string // address that links are relative to
	work    int    // work of the converter so far: bytes times depth
	nodes   int
	hasText bool

	openElements []*html.Node        // from the root to the innermost one
	tooDeep      int                 // number of open tags below the deepest level
	atAnchor     bool                // the last tag was a link to a place in this page, or the name of one
	layout       map[*html.Node]bool // tables that are no tables of data

	places map[*html.Node]place // of the elements whose tags name one
	mains  []*html.Node         // those that are said to be the main text
	beside *html.Node           // what is beside the main text; nil for nothing

	overflowText bytes.Buffer // plain text of everything after the tree was full
	verbatim     bool         // the overflow is inside a pre
}

// full reports whether the page is too much for the converter.
func (p *page) full() bool { return p.work > maxWork || p.nodes > maxNodes }

// readPage reads a page. Everything after the point where the tree is full becomes plain
// text.
func readPage(source []byte, address string) *page {
	p := &page{root: &html.Node{Type: html.DocumentNode}, base: address, layout: map[*html.Node]bool{}, places: map[*html.Node]place{}}
	p.openElements = []*html.Node{p.root}
	z := html.NewTokenizer(bytes.NewReader(source))
	skipped, level := "", 0 // the element that is skipped, and how many of its name are open
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
		case kind == html.StartTagToken && droppedElements[t.Data]:
			skipped, level = t.Data, 1
		case p.full():
			p.overflow(kind, t.Data)
		case kind == html.TextToken:
			if !p.atAnchor || !headingSigns[strings.TrimSpace(t.Data)] {
				p.text(t.Data)
			}
			p.atAnchor = false
		case kind == html.StartTagToken, kind == html.SelfClosingTagToken:
			p.start(t)
		case kind == html.EndTagToken:
			p.end(t.Data)
		}
	}
	p.openElements = nil
	p.simplify(p.root, false)
	pairs(p.root)
	p.divide()
	return p
}

// nameSet is a set of names of elements.
type nameSet map[string]bool

// newNames returns the set of the names in a list separated by spaces.
func newNames(list string) nameSet {
	n := nameSet{}
	for _, name := range strings.Fields(list) {
		n[name] = true
	}
	return n
}

// Elements by how they are read.
var (
	droppedElements     = newNames("title script style noscript template svg math iframe object canvas audio video noframes noembed select textarea")
	transparentElements = newNames("html head body form font span label colgroup col meta link input source track wbr param area embed base")
	voidElements        = newNames("br hr img")
	blockElements       = newNames("address article aside blockquote caption dd details dialog div dl dt fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 " +
		"header hgroup hr li main menu nav ol p pre search section summary table tbody td tfoot th thead tr ul")
	headingSigns  = newNames("¶ # § 🔗") // signs that pages show for a link to one of their own headings
	codeElements  = newNames("code kbd samp tt var")
	cellElements  = newNames("td th caption")
	tableElements = newNames("table caption thead tbody tfoot tr td th")
	tableChildren = map[string]nameSet{
		"table": newNames("caption thead tbody tfoot tr"), "thead": newNames("tr"), "tbody": newNames("tr"), "tfoot": newNames("tr"), "tr": newNames("td th"),
	}
)

// ending states which open elements a start tag closes, and which elements end the
// search for them.
type ending struct{ closes, until nameSet }

// endings are the start tags that close other elements, as the HTML standard has
// optional end tags.
var endings = map[string]ending{
	"li": {newNames("li"), newNames("ul ol menu table")}, "dt": {newNames("dt dd"), newNames("dl table")}, "dd": {newNames("dt dd"), newNames("dl table")},
	"tr": {newNames("tr caption"), newNames("table")}, "td": {newNames("td th"), newNames("tr table")}, "th": {newNames("td th"), newNames("tr table")},
	"thead": {newNames("thead tbody tfoot caption"), newNames("table")}, "tbody": {newNames("thead tbody tfoot caption"), newNames("table")},
	"tfoot": {newNames("thead tbody tfoot caption"), newNames("table")}, "a": {newNames("a"), newNames("td th caption table")},
}

// endOfParagraph is the ending for every block, which cannot be inside a paragraph.
var endOfParagraph = ending{newNames("p"), newNames("td th caption table li dd blockquote div section article")}

// top returns the innermost open element.
func (p *page) top() *html.Node { return p.openElements[len(p.openElements)-1] }

// charge adds the work for a piece of the page.
func (p *page) charge(n int) { p.work += len(p.openElements) * (n + nodeWork) }

// overflow reads a token after the tree is full.
func (p *page) overflow(kind html.TokenType, data string) {
	switch {
	case kind == html.TextToken:
		p.hasText = true
		writeWords(&p.overflowText, data, p.verbatim)
	case blockElements[data] || data == "br":
		endLine(&p.overflowText)
		if data == "pre" {
			p.verbatim = kind == html.StartTagToken
		}
	}
}

// closeTo closes the innermost open element that an ending names, and everything
// inside it. It does nothing once the page is full: in plain text it does not matter
// which element ends where.
func (p *page) closeTo(e ending) {
	for i := len(p.openElements) - 1; i > 0 && !p.full(); i-- {
		p.work += stepWork
		if e.closes[p.openElements[i].Data] {
			p.openElements = p.openElements[:i]
			return
		}
		if e.until[p.openElements[i].Data] {
			return
		}
	}
}

// closeCode closes inline code before a block. A missing end tag would otherwise make
// one line of all blocks that follow. Code inside a pre keeps its lines.
func (p *page) closeCode() {
	at := 0
	for i := len(p.openElements) - 1; i > 0 && !p.full(); i-- {
		p.work += stepWork
		switch name := p.openElements[i].Data; {
		case codeElements[name]:
			at = i
		case name == "pre":
			return
		case blockElements[name]:
			i = 0 // it is outside of code, or there is none
		}
	}
	if at > 0 {
		p.openElements = p.openElements[:at]
	}
}

// start reads a start tag.
func (p *page) start(t html.Token) {
	name := t.Data
	if name == "base" {
		p.setBase(attribute(t, "href"))
	}
	if transparentElements[name] {
		return
	}
	if name == "a" && !isExternalLink(attribute(t, "href")) {
		p.atAnchor = true
		return
	}
	if !voidElements[name] && p.tooDeep > 0 {
		p.tooDeep++
		return
	}
	if e, ok := endings[name]; ok {
		p.closeTo(e)
	}
	if blockElements[name] && !cellElements[name] {
		p.closeTo(endOfParagraph)
	}
	if blockElements[name] && name != "pre" {
		p.closeCode()
	}
	if name == "img" && strings.HasPrefix(attribute(t, "src"), "data:") {
		p.text(attribute(t, "alt")) // an address of some kilobytes is no text
		return
	}
	if !voidElements[name] && len(p.openElements) >= maxDepth {
		p.tooDeep++
		return
	}
	n := &html.Node{Type: html.ElementNode, Data: name, DataAtom: atom.Lookup([]byte(name)), Attr: p.attributes(t)}
	p.add(n)
	switch at := placeOf(t); at {
	case 0:
	case placeMain:
		p.mains = append(p.mains, n)
	default:
		p.places[n] = at
	}
	if !voidElements[name] {
		p.openElements = append(p.openElements, n)
	}
}

// end reads an end tag. A stray one in a cell does not close the table.
func (p *page) end(name string) {
	switch {
	case transparentElements[name] || voidElements[name]:
		return
	case p.tooDeep > 0:
		p.tooDeep--
		return
	case p.top().Data == name:
		p.openElements = p.openElements[:len(p.openElements)-1]
		return
	}
	e := ending{closes: nameSet{name: true}}
	if !tableElements[name] {
		e.until = cellElements // a stray end tag in a cell does not end the table
	}
	p.closeTo(e)
}

// text reads text.
func (p *page) text(text string) {
	blank := strings.TrimSpace(text) == ""
	if p.top().Data == "pre" && p.top().FirstChild == nil {
		text = strings.TrimPrefix(text, "\n")
	}
	if text == "" || blank && tableChildren[p.top().Data] != nil {
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
	if allowed := tableChildren[p.top().Data]; allowed != nil && (n.Type == html.TextNode || !allowed[n.Data]) {
		p.markLayout() // it would be lost between the cells
	}
	if n.Data == "table" && n.Type == html.ElementNode {
		p.markLayout() // Markdown has no tables in tables
	}
	p.top().AppendChild(n)
}

// isExternalLink reports whether a model could follow a link. A place in the page is
// already here, and a script is not run.
func isExternalLink(href string) bool {
	href = strings.TrimSpace(href)
	scheme, _, _ := strings.Cut(href, ":")
	return href != "" && href[0] != '#' && !strings.EqualFold(scheme, "javascript")
}

// setBase sets the base that a page declares, the first time.
func (p *page) setBase(href string) {
	if from, err := url.Parse(p.base); err == nil && href != "" && len(href) < 4096 {
		if to, err := from.Parse(strings.TrimSpace(href)); err == nil && to.Host != "" {
			p.base = to.String()
		}
	}
}

// attributes returns the attributes that matter to the text.
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

// attribute returns the value of an attribute; empty if it is missing.
func attribute(t html.Token, key string) string {
	for _, a := range t.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
