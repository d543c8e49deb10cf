package projectors

import (
	"bytes"
	"context"
	"slices"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/projectors/web"
)

// Some payloads are not written to be read line by line: a report of tests, JSON on
// one line, a thousand records, a page. They are shown in a readable form, whose lines the
// ledger and the handles are about; the payload is stored as it was given beside it.

// Bounds of a payload that is shown in a readable form: its size in bytes, and its
// commas, which are about as many as its values. A line of the readable form takes
// about 40 bytes of memory.
const (
	minReadable = 64
	maxReadable = 4 << 20
	maxCommas   = 1 << 18
	maxReport   = 1 << 20 // of a report, of which each element and value takes memory
	maxPage     = 2 << 20 // of a page, of which each element takes memory
)

// candidate is a payload of which a readable form may be shown.
type candidate struct {
	text        *preview.Excerpt // nil for what is no text
	size        int64            // bytes
	cut, folded bool             // its preview omits lines, or folds them
	repeats     bool             // its preview omits lines that are like others
	isPage      bool             // it is the text of a page that was HTML
	hints       preview.Hints
	policy      Policy
}

// asked reports whether a part of a file was asked for, whose lines matter as they are.
func (c *candidate) asked() bool { return c.hints.Range && !c.hints.MaybeLog }

// isJSON reports whether a payload is JSON, or may be after a few lines of text.
func (c *candidate) isJSON() bool {
	return c.text != nil && (c.text.IsJSON(c.hints) || c.cut && c.text.MayHaveRecords())
}

// reading is a way to read a payload.
type reading struct {
	may  func(c *candidate) bool
	read func(content []byte, c *candidate) preview.Readable // nil if it is something else
}

// readings are the ways to read a payload, in the order in which they are tried: forms that only a
// program writes come before those that somebody may have written.
var readings = [...]reading{
	{
		func(c *candidate) bool {
			return c.cut && c.size <= maxReport && (c.text == nil || c.text.MayBeReport())
		}, readReport,
	},
	{func(c *candidate) bool {
		return c.text != nil && c.cut && (c.size <= maxReport || c.text.MayHaveRecords())
	}, readNotebook},
	{func(c *candidate) bool { return c.text != nil && c.cut && !c.asked() && c.size <= maxPage }, readPage},
	{func(c *candidate) bool { return c.text != nil && c.cut && !c.asked() && c.size <= maxReport }, readPatch},
	{func(c *candidate) bool {
		return c.text != nil && (c.cut || c.folded) && !c.asked() && c.size <= maxReport
	}, readDigest},
	{func(c *candidate) bool { return c.cut && !c.asked() && c.isJSON() }, readJSON},
	{func(c *candidate) bool { return !c.cut && !c.hints.Range && c.isJSON() }, readRows},
	{func(c *candidate) bool {
		return c.text != nil && (c.cut || c.repeats && c.text.Shape(c.hints) == shape.Table) && !c.asked() && c.size <= maxReport
	}, readObjects},
	{func(c *candidate) bool {
		return c.text != nil && (c.cut || c.repeats && c.text.Shape(c.hints) == shape.Table) && !c.asked() && c.size <= maxReport && c.text.MayBeTable()
	}, readTable},
}

// read switches a payload to its readable form, if it has one: a report or JSON of
// which not all fits, or records that a table shows for much less. Payloads with bytes
// lost at the source stay as they are, and the switch is final, whatever the budget of
// later rounds. A file that was asked for is only read as a report or a notebook, which
// a program wrote, and one of an unknown name as records.
func (p *payload) read(ctx context.Context, v *preview.Preview, f preview.Hints, policy Policy, sink artifactstore.Sink) error {
	if p.readable != nil || p.loss != nil || p.blob.Size() < minReadable {
		return nil
	}
	cut := omits(v, preview.CutMiddle, preview.CutLongLine)
	c := candidate{size: p.blob.Size(), cut: cut, isPage: p.isPage, hints: f, policy: policy}
	c.folded, c.repeats = omits(v, preview.CutFolded), omits(v, preview.CutRepeated)
	c.text, _ = p.excerpt.(*preview.Excerpt)
	if cut && c.text != nil && c.size > maxReport && !c.asked() && !p.sampled {
		p.sampled = true
		if rows := c.text.Sample(policy.Budget.Tokens); rows != nil {
			return p.become(ctx, rows, originalSize{c.text.Bytes(), c.text.Lines()}, sink)
		}
	}
	if c.size > maxReadable {
		return nil
	}
	for i := range readings {
		if p.tried[i] || !readings[i].may(&c) {
			continue
		}
		p.tried[i] = true
		content, err := p.content()
		if err != nil {
			return err
		}
		if form := readings[i].read(content, &c); form != nil {
			return p.become(ctx, form, countWritten(content), sink)
		}
	}
	return nil
}

// readReport reads a report of tests or checks.
func readReport(content []byte, _ *candidate) preview.Readable {
	if report, err := preview.ParseReport(content); err == nil {
		return report
	}
	return nil
}

// readNotebook reads a notebook, with what its cells put out.
func readNotebook(content []byte, _ *candidate) preview.Readable {
	return preview.ReadNotebook(content)
}

// readPage reads a page, as HTML or as Markdown, or the accessibility tree of one.
func readPage(content []byte, c *candidate) preview.Readable {
	var page *preview.PageText
	if c.isPage {
		page = preview.ParsePage(content, "", false)
	} else if before, source, isHTML := web.FindPage(content); isHTML {
		title, markdown, _ := web.ReadHTML(source, "")
		page = preview.ParsePage(slices.Concat(before, markdown), title, false)
	} else {
		page = c.text.ReadPage(content, c.hints)
	}
	if page == nil {
		return nil
	}
	return page
}

// readPatch reads a diff or a log of commits.
func readPatch(content []byte, _ *candidate) preview.Readable {
	if patch := preview.ParsePatch(content); patch != nil {
		return patch
	}
	return nil
}

// leastSavedByDigest is what a digest of a text that fits must save, in percent of its
// tokens.
const leastSavedByDigest = 25

// readDigest reads a run of tests that passed, or what a compiler or a linter found. Of
// a text that fits, the digest must cost less.
func readDigest(content []byte, c *candidate) preview.Readable {
	digest := preview.ParseDigest(content)
	if digest == nil {
		return nil
	}
	count := c.policy.Counter.Count
	if !c.cut && count(string(digest.Text()))*100 > count(string(content))*(100-leastSavedByDigest) {
		return nil
	}
	return digest
}

// readJSON reads JSON: records as a table, and other values by their leaves.
func readJSON(content []byte, c *candidate) preview.Readable {
	if bytes.Count(content, []byte(",")) > maxCommas {
		return nil
	}
	if value, err := preview.ReadJSON(content, c.policy.Budget.Tokens, c.policy.Counter); err == nil {
		return value
	}
	return nil
}

// readRows reads records of which all fits, but a table costs much less.
func readRows(content []byte, c *candidate) preview.Readable {
	if bytes.Count(content, []byte(",")) > maxCommas {
		return nil
	}
	if rows := preview.ReadRows(content, c.policy.Counter); rows != nil {
		return rows
	}
	return nil
}

// readObjects reads objects that are no JSON, or a notebook as a script.
func readObjects(content []byte, c *candidate) preview.Readable {
	if script := preview.ReadScript(content); script != nil {
		return script
	}
	if objects := preview.ReadObjects(content, c.policy.Budget.Tokens, c.policy.Counter); objects != nil {
		return objects
	}
	return nil
}

// readTable reads tables that are text already.
func readTable(content []byte, c *candidate) preview.Readable {
	if tables := preview.ReadTables(content, c.policy.Budget.Tokens); tables != nil {
		return tables
	}
	if table := preview.ReadTable(content, c.policy.Budget.Tokens); table != nil {
		return table
	}
	return nil
}

// become stores a payload as it was given, and puts its readable form in its place.
func (p *payload) become(ctx context.Context, form preview.Readable, size originalSize, sink artifactstore.Sink) error {
	if err := p.keepOriginal(ctx, sink); err != nil {
		return err
	}
	switch {
	case p.original.bytes > 0: // it is a readable form already
	case p.written.bytes > 0:
		p.original = p.written
	default: // it was as the tool wrote it
		p.original = size
	}
	p.readable, p.excerpt, p.blob, p.inline, p.stored, p.derived = form, form, artifactstore.BytesBlob(form.Text()), form.Text(), artifactstore.Ref{}, true
	return nil
}

// keepOriginal stores a payload as it was given, once.
func (p *payload) keepOriginal(ctx context.Context, sink artifactstore.Sink) (err error) {
	if p.originalRef.Path != "" {
		return nil
	}
	if p.originalRef = p.stored; p.originalRef.Path == "" {
		p.originalRef, err = sink.Put(ctx, p.blob)
	}
	return err
}
