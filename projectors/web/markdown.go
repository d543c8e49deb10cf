package web

import (
	"bytes"
	"slices"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// ReadHTML returns the title of a page and its text: as Markdown, or as plain text
// when the page is too much for the converter. The main text comes first. Its links become absolute, relative to
// address or to the base that the page declares.
func ReadHTML(source []byte, address string) (title string, text []byte, form pb.WebTextForm) {
	p := readPage(source, address)
	if !p.full() {
		if text, ok := p.markdown(); ok {
			return p.title, text, pb.WebTextForm_WEB_TEXT_FORM_MARKDOWN
		}
	}
	return p.title, p.plain(), pb.WebTextForm_WEB_TEXT_FORM_PLAIN
}

// markdown converts the page. The converter is not written for hostile input; a panic
// there is no reason to lose the page, so it counts as a failed conversion.
func (p *page) markdown() (text []byte, ok bool) {
	defer func() {
		if recover() != nil {
			text, ok = nil, false
		}
	}()
	// Escapes are of use to who renders Markdown, and not to who reads it.
	c := converter.NewConverter(converter.WithEscapeMode(converter.EscapeModeDisabled), converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(
			commonmark.WithListEndComment(false), commonmark.WithLinkEmptyHrefBehavior(commonmark.LinkBehaviorSkip),
		),
		table.NewTablePlugin(
			table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal), table.WithNewlineBehavior(table.NewlineBehaviorPreserve),
			table.WithHeaderPromotion(true), table.WithSkipEmptyRows(true),
		),
		strikethrough.NewStrikethroughPlugin(),
	))
	c.Register.TagType("td", converter.TagTypeBlock, converter.PriorityStandard)
	c.Register.TagType("th", converter.TagTypeBlock, converter.PriorityStandard)
	c.Register.TextTransformer(hideAngles, converter.PriorityEarly)
	c.Register.TextTransformer(showAngles, converter.PriorityLate)
	text, err := c.ConvertNode(p.root, converter.WithDomain(p.base))
	if err != nil {
		return nil, false
	}
	if p.beside == nil {
		return endWithNewline(text), true
	}
	beside, err := c.ConvertNode(p.beside, converter.WithDomain(p.base))
	return join(text, "\n"+BesideMain+"\n\n", beside), err == nil
}

// join joins the main text and what is beside it by a line.
func join(main []byte, line string, beside []byte) []byte {
	main, beside = endWithNewline(main), endWithNewline(beside)
	if beside == nil {
		return main
	}
	return slices.Concat(main, []byte(line), beside)
}

// The converter writes "<" as "&lt;", which is longer, and wrong in a command that a
// model copies. During the conversion noncharacters of Unicode, which no page can
// need, replace the angle brackets.
var (
	hideReplacer = strings.NewReplacer("\ufdd0", "\ufffd", "\ufdd1", "\ufffd", "<", "\ufdd0", ">", "\ufdd1")
	showReplacer = strings.NewReplacer("\ufdd0", "<", "\ufdd1", ">")
)

// hideAngles replaces angle brackets before the conversion.
func hideAngles(_ converter.Context, text string) string { return hideReplacer.Replace(text) }

// showAngles restores them after it.
func showAngles(_ converter.Context, text string) string { return showReplacer.Replace(text) }

// plain returns the text of the page with a line for every block.
func (p *page) plain() []byte {
	var b bytes.Buffer
	writePlain(&b, p.root, false)
	endLine(&b)
	b.Write(p.overflowText.Bytes())
	if p.beside == nil {
		return endWithNewline(b.Bytes())
	}
	var beside bytes.Buffer
	writePlain(&beside, p.beside, false)
	return join(b.Bytes(), BesideMain+"\n", beside.Bytes())
}

// endWithNewline returns a text without white space around it and with a line end, or
// nil if nothing is left.
func endWithNewline(text []byte) []byte {
	if text = bytes.TrimSpace(text); len(text) == 0 {
		return nil
	}
	return append(text, '\n')
}

// writePlain writes the text below a node.
func writePlain(b *bytes.Buffer, n *html.Node, verbatim bool) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode {
			writeWords(b, c.Data, verbatim)
			continue
		}
		block := blockElements[c.Data] || c.Data == "br"
		if block {
			endLine(b)
		}
		writePlain(b, c, verbatim || c.Data == "pre")
		if block {
			endLine(b)
		}
	}
}

// writeWords writes text with single spaces, or verbatim.
func writeWords(b *bytes.Buffer, text string, verbatim bool) {
	if verbatim {
		b.WriteString(text)
		return
	}
	space := b.Len() == 0 || isSpace(b.Bytes()[b.Len()-1])
	for i := range len(text) {
		blank := isSpace(text[i])
		switch {
		case !blank:
			b.WriteByte(text[i])
		case !space:
			b.WriteByte(' ')
		}
		space = blank
	}
}

// endLine ends the current line, if there is anything on it.
func endLine(b *bytes.Buffer) {
	text := bytes.TrimRight(b.Bytes(), " ")
	b.Truncate(len(text))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		b.WriteByte('\n')
	}
}

// isSpace reports whether a byte is white space in HTML.
func isSpace(c byte) bool { return strings.IndexByte(" \t\r\n\f", c) >= 0 }
