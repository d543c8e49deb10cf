package web

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// markLayout marks the innermost open table as one that is no table of data.
func (p *page) markLayout() {
	for i := len(p.openElements) - 1; i > 0; i-- {
		if p.openElements[i].Data == "table" {
			p.layout[p.openElements[i]] = true
			return
		}
	}
}

// simplify makes plain blocks of tables that are no tables of data, escapes what would
// end a cell, and removes links without content. It reports whether anything below n
// is visible.
func (p *page) simplify(n *html.Node, inTable bool) (content bool) {
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
		if tableElements[c.Data] {
			if c.Data == "table" {
				inside = !p.layout[c] && regular(c)
			}
			if !inside {
				c.Data, c.DataAtom, c.Attr = "div", atom.Div, nil
			}
		}
		seen := p.simplify(c, inside) || c.Data == "img"
		if c.Data == "a" && !seen {
			n.RemoveChild(c)
		}
		content = content || seen
	}
	return content
}

// regular reports whether a table has about as many cells as places for them. Markdown
// fills every row up to the longest one, so that a few long rows or spans would make a
// huge table of a small page.
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

// span returns the number of columns or rows that a cell spans.
func span(cell *html.Node, key string) int {
	for _, a := range cell.Attr {
		if a.Key == key {
			n, _ := strconv.Atoi(a.Val)
			return max(1, n)
		}
	}
	return 1
}
