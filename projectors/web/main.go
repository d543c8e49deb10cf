package web

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A page is its main text and what is beside it: navigation, headers, footers, columns
// at its side, lists of links. The main text comes first. What is beside it follows
// without the addresses of its links, so no word of the page is lost.

// BesideMain is the line between the main text of a page and the rest.
const BesideMain = "Beside the main text:"

// place is what a tag says of the place of an element.
type place uint8

// Places.
const (
	placeMain   place = iota + 1 // the page says that it is its main text
	placeBeside                  // navigation, a column at the side
	placeEdge                    // a header or a footer: of the page, or of a part of its main text
)

// Elements, roles, and words of classes and ids by the place that they name.
var (
	besideElements = newNames("nav aside")
	edgeElements   = newNames("header footer")
	besideRoles    = newNames("navigation banner contentinfo complementary search menu menubar")
	besideWords    = newNames("nav navbar navigation sidenav sidebar menu menubar topbar footer breadcrumb breadcrumbs crumbs cookie cookies consent " +
		"related recommended recommendations similar toc contents pagination pager share sharing social advert advertisement ads skip skiplink masthead " +
		"newsletter catlinks editsection")
)

// Bounds of what is main, in percent unless noted.
const (
	leastMain     = 25  // of the text outside of marked elements that an element must have which is said to be main
	leastLeft     = 12  // of all text that is left when the rest is put behind it
	mostBeside    = 50  // of all text in an element that is beside the text by the words of its class
	linkShare     = 70  // of the text of a block that is links: it is a list of links
	leastLinks    = 4   // of such a block; a number
	leastProse    = 40  // of the main text that is left without such blocks: otherwise they are what the page is about
	maxClassBytes = 256 // of a class or an id that is read
)

// placeOf returns the place that a tag names; 0 for none.
func placeOf(t html.Token) place {
	role := strings.ToLower(attribute(t, "role"))
	switch {
	case t.Data == "main" || role == "main":
		return placeMain
	case besideElements[t.Data] || besideRoles[role]:
		return placeBeside
	case edgeElements[t.Data]:
		return placeEdge
	}
	for _, key := range [...]string{"id", "class"} {
		value := attribute(t, key)
		for word := range strings.FieldsFuncSeq(strings.ToLower(value[:min(len(value), maxClassBytes)]), isNoLetter) {
			if besideWords[word] {
				return placeBeside
			}
		}
	}
	return 0
}

// isNoLetter reports whether a character separates words of a class.
func isNoLetter(r rune) bool { return r < 'a' || r > 'z' }

// amount is how much text an element has, in bytes without white space at the ends.
type amount struct{ text, linked, links int }

// add adds the text of a child.
func (a *amount) add(b amount) {
	a.text, a.linked, a.links = a.text+b.text, a.linked+b.linked, a.links+b.links
}

// isLinks reports whether an element is little more than links.
func (a amount) isLinks() bool { return a.links >= leastLinks && a.linked*100 >= a.text*linkShare }

// divider divides a page into its main text and the rest.
type divider struct {
	*page
	amounts map[*html.Node]amount
	marked  map[*html.Node]bool // whole elements that are beside the main text
	whole   int                 // bytes of all text
}

// divide moves what is beside the main text of a page into a tree of its own.
func (p *page) divide() {
	d := divider{page: p, amounts: map[*html.Node]amount{}, marked: map[*html.Node]bool{}}
	d.whole = d.measure(p.root, false).text
	main := d.main()
	d.mark(p.root, main, main == nil, false)
	d.markLinks(main)
	if left := d.left(p.root); left*100 < d.whole*leastLeft {
		return
	}
	p.beside = &html.Node{Type: html.DocumentNode}
	d.move(p.root)
	if p.beside.FirstChild == nil {
		p.beside = nil
	}
}

// measure counts the text of every element.
func (d *divider) measure(n *html.Node, linked bool) (sum amount) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode {
			size := len(strings.TrimSpace(c.Data))
			sum.text += size
			if linked {
				sum.linked += size
			}
			continue
		}
		isLink := c.Data == "a"
		inside := d.measure(c, linked || isLink)
		if isLink && inside.text > 0 {
			inside.links++
		}
		sum.add(inside)
	}
	d.amounts[n] = sum
	return sum
}

// main returns the element that is said to be the main text: the first with enough of
// the text. It returns nil if the page names none.
func (d *divider) main() *html.Node {
	named := 0
	for _, n := range d.mains {
		named = max(named, d.amounts[n].text)
	}
	for _, n := range d.mains {
		if size := d.amounts[n].text; size > 0 && size*2 >= named && size*100 >= d.whole*leastMain/2 {
			return n
		}
	}
	return nil
}

// mark marks the elements below n that are beside the main text. inMain is set inside of
// the main element, inPart inside of an article.
func (d *divider) mark(n, main *html.Node, inMain, inPart bool) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode {
			continue
		}
		switch {
		case c == main:
			d.mark(c, main, true, true)
		case !inMain && !contains(c, main):
			d.marked[c] = true
		case d.isBeside(c, inMain && main != nil || inPart) && !contains(c, main):
			d.marked[c] = true
		default:
			d.mark(c, main, inMain, inPart || c.Data == "article")
		}
	}
}

// contains reports whether an element is around another one, which may be nil.
func contains(n, inner *html.Node) bool {
	for ; inner != nil; inner = inner.Parent {
		if inner == n {
			return true
		}
	}
	return false
}

// isBeside reports whether an element is beside the main text by what its tag says. A
// header or a footer of a part of the text belongs to it.
func (d *divider) isBeside(n *html.Node, inPart bool) bool {
	switch size := d.amounts[n]; d.places[n] {
	case placeBeside:
		return besideElements[n.Data] || size.text*100 <= d.whole*mostBeside
	case placeEdge:
		return !inPart && (n.Data == "footer" || size.linked*2 >= size.text)
	}
	return false
}

// markLinks marks the lists of links in the main text, unless most of it is links.
func (d *divider) markLinks(main *html.Node) {
	if main == nil {
		main = d.root
	}
	var lists []*html.Node
	total := d.left(main)
	var find func(n *html.Node)
	find = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch {
			case c.Type == html.TextNode || d.marked[c] || c.Data == "p" || c.Data == "a" || c.Data == "pre":
			case blockElements[c.Data] && d.amounts[c].isLinks():
				lists = append(lists, c)
				total -= d.amounts[c].text
			default:
				find(c)
			}
		}
	}
	before := total
	if find(main); total*100 >= before*leastProse {
		for _, n := range lists {
			d.marked[n] = true
		}
	}
}

// left counts the text below n that is not marked.
func (d *divider) left(n *html.Node) int {
	if d.marked[n] {
		return 0
	}
	size := d.amounts[n].text
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.TextNode {
			size -= d.amounts[c].text - d.left(c)
		}
	}
	return size
}

// move moves the marked elements below n behind the main text, in their order.
func (d *divider) move(n *html.Node) {
	var next *html.Node
	for c := n.FirstChild; c != nil; c = next {
		next = c.NextSibling
		switch {
		case c.Type == html.TextNode:
		case !d.marked[c]:
			d.move(c)
		default:
			inList := tableChildren[n.Data] != nil || n.Data == "ul" || n.Data == "ol"
			if !inList {
				n.InsertBefore(&html.Node{Type: html.TextNode, Data: " "}, c) // the words around it stay two
			}
			n.RemoveChild(c)
			if inList { // it cannot be without it
				unwrap(c)
			}
			withoutAddresses(c)
			d.beside.AppendChild(c)
		}
	}
}

// unwrap makes a block of an element that was in a list or a table.
func unwrap(n *html.Node) { n.Data, n.DataAtom, n.Attr = "div", atom.Div, nil }

// withoutAddresses makes plain text of links.
func withoutAddresses(n *html.Node) {
	for c := range n.Descendants() {
		if c.Data == "a" && c.Type == html.ElementNode {
			c.Data, c.DataAtom, c.Attr = "span", atom.Span, nil
		}
	}
}

// pairs writes short terms and their descriptions on one line.
func pairs(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode {
			continue
		}
		if c.Data == "dt" {
			joinPair(n, c)
		}
		pairs(c)
	}
}

// Bounds of a term and its description on one line, in bytes.
const (
	maxTerm        = 60
	maxDescription = 300
)

// joinPair joins a term with the only description that follows it.
func joinPair(list, term *html.Node) {
	description := nextElement(term)
	if description == nil || description.Data != "dd" {
		return
	}
	if next := nextElement(description); next != nil && next.Data == "dd" {
		return
	}
	if size, ok := inline(term); !ok || size > maxTerm {
		return
	}
	if size, ok := inline(description); !ok || size > maxDescription {
		return
	}
	for c := term.NextSibling; c != description; c = term.NextSibling {
		list.RemoveChild(c)
	}
	list.RemoveChild(description)
	if end := strings.TrimSpace(lastText(term)); end != "" && !strings.HasSuffix(end, ":") {
		term.AppendChild(&html.Node{Type: html.TextNode, Data: ":"})
	}
	term.AppendChild(&html.Node{Type: html.TextNode, Data: " "})
	for c := description.FirstChild; c != nil; c = description.FirstChild {
		description.RemoveChild(c)
		term.AppendChild(c)
	}
}

// nextElement returns the element after n; nil if there is text before it.
func nextElement(n *html.Node) *html.Node {
	for n = n.NextSibling; n != nil; n = n.NextSibling {
		if n.Type != html.TextNode {
			return n
		}
		if strings.TrimSpace(n.Data) != "" {
			return nil
		}
	}
	return nil
}

// inline returns the size of the text of an element, and reports whether it has no block
// but one paragraph.
func inline(n *html.Node) (size int, ok bool) {
	blocks := 0
	for c := range n.Descendants() {
		switch {
		case c.Type == html.TextNode:
			size += len(c.Data)
		case c.Data == "p" && c.Parent == n && c.PrevSibling == nil:
			blocks++
		case blockElements[c.Data] || c.Data == "br":
			return 0, false
		}
		if size > maxDescription || blocks > 1 {
			return 0, false
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Data == "p" && c.Type == html.ElementNode {
			c.Data, c.DataAtom = "span", atom.Span
		}
	}
	return size, size > 0
}

// lastText returns the last text below n.
func lastText(n *html.Node) (text string) {
	for c := range n.Descendants() {
		if c.Type == html.TextNode && strings.TrimSpace(c.Data) != "" {
			text = c.Data
		}
	}
	return text
}
