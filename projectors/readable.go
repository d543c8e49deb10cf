package projectors

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/records"
	"github.com/toolresult/toolresult/preview/reports"
	"github.com/toolresult/toolresult/projectors/web"
)

// Some payloads are not written to be read line by line: a report of tests, JSON on
// one line, a thousand records. They are shown in a readable form, whose lines the
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

// readings are the ways in which a payload was tried to be read.
type readings struct{ report, notebook, page, patch, digest, json, rows, table, sample bool }

// read switches a payload to its readable form, if it has one: a report or JSON of
// which not all fits, or records that a table shows for much less. Payloads with bytes
// lost at the source stay as they are, and the switch is final, whatever the budget of
// later rounds. A file that was asked for is only read as a report or a notebook, which
// a program wrote, and one of an unknown name as records.
func (p *payload) read(ctx context.Context, cut, folded bool, f preview.Hints, policy Policy, sink artifactstore.Sink) error {
	if p.readable != nil || p.loss != nil || p.blob.Size() < minReadable {
		return nil
	}
	text, isText := p.excerpt.(*preview.Excerpt)
	if cut && isText && !p.tried.sample && p.blob.Size() > maxReport && (!f.Range || f.MaybeLog) {
		p.tried.sample = true
		if rows := text.Sample(policy.Budget.Tokens); rows != nil {
			return p.become(ctx, rows, originalSize{text.Bytes(), text.Lines()}, sink)
		}
	}
	if p.blob.Size() > maxReadable {
		return nil
	}
	if cut && !p.tried.report && p.blob.Size() <= maxReport && (!isText || text.MayBeReport()) {
		p.tried.report = true
		if err := p.readReport(ctx, sink); err != nil || p.readable != nil {
			return err
		}
	}
	if !isText {
		return nil
	}
	if cut && !p.tried.notebook && (p.blob.Size() <= maxReport || text.MayHaveRecords()) {
		p.tried.notebook = true
		if err := p.readNotebook(ctx, sink); err != nil || p.readable != nil {
			return err
		}
	}
	if f.Range && !f.MaybeLog {
		return nil
	}
	if cut && !p.tried.page && p.blob.Size() <= maxPage {
		p.tried.page = true
		if err := p.readPage(ctx, f, sink); err != nil || p.readable != nil {
			return err
		}
	}
	if cut && !p.tried.patch && p.blob.Size() <= maxReport {
		p.tried.patch = true
		if err := p.readPatch(ctx, sink); err != nil || p.readable != nil {
			return err
		}
	}
	if (cut || folded) && !p.tried.digest && p.blob.Size() <= maxReport {
		p.tried.digest = true
		if err := p.readDigest(ctx, cut, policy, sink); err != nil || p.readable != nil {
			return err
		}
	}
	if !text.IsJSON(f) && !(cut && text.MayHaveRecords()) {
		if cut && !p.tried.table {
			p.tried.table = true
			return p.readTable(ctx, policy, sink)
		}
		return nil
	}
	switch {
	case cut && !p.tried.json:
		p.tried.json = true
		return p.readJSON(ctx, policy, sink)
	case !cut && !f.Range && !p.tried.rows:
		p.tried.rows = true
		return p.readRows(ctx, policy, sink)
	}
	return nil
}

// readReport reads a report of tests or checks.
func (p *payload) readReport(ctx context.Context, sink artifactstore.Sink) error {
	content, err := p.content()
	if err != nil {
		return err
	}
	report, err := preview.ParseReport(content)
	if errors.Is(err, reports.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	return p.become(ctx, report, countWritten(content), sink)
}

// readPage reads a page, as HTML or as Markdown, or the accessibility tree of one.
func (p *payload) readPage(ctx context.Context, f preview.Hints, sink artifactstore.Sink) error {
	content, err := p.content()
	if err != nil {
		return err
	}
	text, _ := p.excerpt.(*preview.Excerpt)
	var page *preview.PageText
	if p.isPage {
		page = preview.ParsePage(content, "", false)
	} else if before, source, isHTML := web.FindPage(content); isHTML {
		title, markdown, _ := web.ReadHTML(source, "")
		page = preview.ParsePage(slices.Concat(before, markdown), title, false)
	} else {
		page = text.ReadPage(content, f)
	}
	if page == nil {
		return nil
	}
	return p.become(ctx, page, countWritten(content), sink)
}

// readNotebook reads a notebook, with what its cells put out.
func (p *payload) readNotebook(ctx context.Context, sink artifactstore.Sink) error {
	content, err := p.content()
	if err != nil {
		return err
	}
	if form := preview.ReadNotebook(content); form != nil {
		return p.become(ctx, form, countWritten(content), sink)
	}
	return nil
}

// readPatch reads a diff or a log of commits.
func (p *payload) readPatch(ctx context.Context, sink artifactstore.Sink) error {
	content, err := p.content()
	if err != nil {
		return err
	}
	if patch := preview.ParsePatch(content); patch != nil {
		return p.become(ctx, patch, countWritten(content), sink)
	}
	return nil
}

// leastSavedByDigest is what a digest of a text that fits must save, in percent of its
// tokens.
const leastSavedByDigest = 25

// readDigest reads a run of tests that passed, or what a compiler or a linter found. Of
// a text that fits, the digest must cost less.
func (p *payload) readDigest(ctx context.Context, cut bool, policy Policy, sink artifactstore.Sink) error {
	content, err := p.content()
	if err != nil {
		return err
	}
	digest := preview.ParseDigest(content)
	if digest == nil {
		return nil
	}
	if cut || policy.Counter.Count(string(digest.Text()))*100 <= policy.Counter.Count(string(content))*(100-leastSavedByDigest) {
		return p.become(ctx, digest, countWritten(content), sink)
	}
	return nil
}

// readJSON reads JSON: records as a table where that costs less, and other values by
// line.
func (p *payload) readJSON(ctx context.Context, policy Policy, sink artifactstore.Sink) error {
	content, err := p.content()
	if err != nil || bytes.Count(content, []byte(",")) > maxCommas {
		return err
	}
	value, err := preview.ReadJSON(content, policy.Budget.Tokens, policy.Counter)
	if errors.Is(err, records.ErrNotJSON) {
		return nil
	}
	if err != nil {
		return err
	}
	return p.become(ctx, value, countWritten(content), sink)
}

// readRows reads records of which all fits, but a table costs much less.
func (p *payload) readRows(ctx context.Context, policy Policy, sink artifactstore.Sink) error {
	content, err := p.content()
	if err != nil || bytes.Count(content, []byte(",")) > maxCommas {
		return err
	}
	if rows := preview.ReadRows(content, policy.Counter); rows != nil {
		return p.become(ctx, rows, countWritten(content), sink)
	}
	return nil
}

// readTable reads a table that is text already, objects that are no JSON, or a notebook as a script.
func (p *payload) readTable(ctx context.Context, policy Policy, sink artifactstore.Sink) error {
	content, err := p.content()
	if err != nil || len(content) > maxReport {
		return err
	}
	if script := preview.ReadScript(content); script != nil {
		return p.become(ctx, script, countWritten(content), sink)
	}
	if objects := preview.ReadObjects(content, policy.Budget.Tokens, policy.Counter); objects != nil {
		return p.become(ctx, objects, countWritten(content), sink)
	}
	if table := preview.ReadTable(content, policy.Budget.Tokens); table != nil {
		return p.become(ctx, table, countWritten(content), sink)
	}
	return nil
}

// become stores a payload as it was given, and puts its readable form in its place.
func (p *payload) become(ctx context.Context, form preview.Readable, size originalSize, sink artifactstore.Sink) error {
	if err := p.keepOriginal(ctx, sink); err != nil {
		return err
	}
	if p.original.bytes == 0 { // it was as the tool wrote it
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
