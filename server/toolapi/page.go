package toolapi

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/artifactstore/slice"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/artifactapi"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/redaction"
)

// bytesPerTokenAtFirst is how many bytes of text a page is tried with for each token of its budget.
const bytesPerTokenAtFirst = 4

// pageReading is one execution of a call of read_result.
type pageReading struct {
	call     readCall
	pages    *artifactstore.Pages
	from, to int64 // what is left of the selection or, of a match, of the artifact
	first    int64 // where the first match was found, once it was
	family   *families.Family
	policy   renderers.Policy
	limit    envelope.Cost
	secrets  redact.Options // that a page must not show
}

// page is a page and its receipt.
type page struct {
	canonical *pb.CanonicalToolResult
	receipt   renderers.Receipt
	complete  bool
}

// open opens the artifact that a handle names, with the rights of a session. What the session does not have is a mistake,
// which does not say whether another session has it.
func (t *Service) open(ctx context.Context, handle, session string) (*artifactstore.Pages, error) {
	permit := catalog.Permit{Session: session}
	var pages *artifactstore.Pages
	var err error
	if name, ok := dir.ParseName(handle); ok {
		pages, err = t.Catalog.PagesFor(ctx, name, permit)
	} else {
		pages, err = t.Catalog.PagesAt(ctx, handle, permit)
	}
	var expired *catalog.ExpiredError
	switch {
	case errors.As(err, &expired):
		return nil, &mistake{kindExpired, fmt.Sprintf("the result %s was %v", quoteShort(handle), expired)}
	case errors.Is(err, artifactstore.ErrOutsideStore), errors.Is(err, artifactstore.ErrUnknown), errors.Is(err, artifactstore.ErrNameInvalid):
		return nil, &mistake{kindNotFound, fmt.Sprintf("this session has no result %s%s", quoteShort(handle), t.latest(ctx, session))}
	case err != nil:
		return nil, apierror.FromRead(err)
	}
	return pages, nil
}

// latest says which results a session has, the newest first.
func (t *Service) latest(ctx context.Context, session string) string {
	const most = 5
	list, next, err := t.Catalog.List(ctx, session, "", 0, most)
	var names []string
	for _, e := range list {
		if _, ok := dir.ParseName(e.Name); ok && e.Expired == nil {
			names = append(names, e.Name)
		}
	}
	if err != nil || len(names) == 0 {
		return ""
	}
	if next > 0 {
		return "; the latest are " + strings.Join(names, ", ")
	}
	return "; it has " + strings.Join(names, ", ")
}

// begin finds out what is to be read.
func (r *pageReading) begin(ctx context.Context) error {
	start, err := r.pages.Read(nil, 0, 8<<10)
	if err != nil {
		return apierror.FromRead(err)
	}
	if textscan.IsBinary(start) {
		return &mistake{kindNotText, fmt.Sprintf("the result is binary, %d bytes, and has no text to read", r.pages.Size())}
	}
	r.from, r.to = 0, r.pages.Size()
	if r.call.selected && r.call.match == nil {
		if r.from, r.to, err = r.call.selection.Span(ctx, r.pages); err != nil {
			return r.explain(err)
		}
	}
	if r.call.page == "" {
		return nil
	}
	return r.goOn()
}

// explain says what a selection does not find.
func (r *pageReading) explain(err error) error {
	_, isPointer := r.call.selection.(slice.Pointer)
	switch {
	case errors.Is(err, slice.ErrJSON):
		return mistaken("the result is not JSON (%v): read it by lines or match", err)
	case errors.Is(err, slice.ErrNothing) && isPointer:
		return mistaken("the result has no value at this pointer: read it by lines or match to see what it has")
	case errors.Is(err, slice.ErrNothing):
		return mistaken("the result has %s", counted(r.pages.Lines(), "line"))
	}
	return apierror.FromRead(err)
}

func counted(n int64, unit string) string {
	return strconv.FormatInt(n, 10) + " " + envelope.Plural(unit, n == 1)
}

// A page token is where to go on, and a checksum that says of what: of a run of bytes with its end, of a match without. So a
// number that a model makes up, and the token of another result or pattern, is not taken.
func (r *pageReading) token(from int64) string {
	text := strconv.FormatInt(from, 36)
	if r.call.match == nil {
		text += "-" + strconv.FormatInt(r.to, 36)
	}
	return fmt.Sprintf("%s-%04x", text, uint16(crc32.ChecksumIEEE([]byte(text+" "+r.pages.Ref().Name+" "+r.call.pattern))))
}

// goOn goes on where a page token says.
func (r *pageReading) goOn() error {
	parts := strings.Split(r.call.page, "-")
	from, err := strconv.ParseInt(parts[0], 36, 64)
	last := r.to
	if err == nil && r.call.match == nil && len(parts) == 3 {
		last, err = strconv.ParseInt(parts[1], 36, 64)
	}
	begin, end := r.from, r.to
	r.from, r.to = from, last
	if err != nil || from > last || last > r.pages.Size() || r.token(from) != r.call.page {
		return mistaken("page %s is none of this result: copy what stands behind \"Next page:\" and give the same match, or jump with lines; the result has %s",
			quoteShort(r.call.page), counted(r.pages.Lines(), "line"))
	}
	if from < begin || last != end && r.call.selected && r.call.match == nil {
		return mistaken("page %s goes on with other lines than these: give page without lines, tail and pointer", quoteShort(r.call.page))
	}
	return nil
}

// largest is the largest page whose receipt fits: whole lines, or a part of a line that is larger than a page.
func (r *pageReading) largest(ctx context.Context) (best page, err error) {
	most := artifactapi.MaxReadBytes
	size, low, high := min(most, max(bytesPerTokenAtFirst*r.limit.Tokens, utf8.UTFMax)), 0, most+1
	var short error
	for high-low > max(utf8.UTFMax, low/64) && (low == 0 || !best.complete) {
		p, err := r.read(ctx, size)
		if err != nil {
			return page{}, err
		}
		if err := p.receipt.Cost().Fits(r.limit); err != nil {
			high, short = size, err
		} else {
			low, best = size, p
		}
		switch {
		case low == most:
			return best, nil
		case high > most:
			size = min(2*size, most)
		default:
			size = max(low+(high-low)/2, utf8.UTFMax)
		}
	}
	if best.canonical == nil {
		return page{}, short
	}
	return best, nil
}

// read makes a page of at most size bytes of text.
func (r *pageReading) read(ctx context.Context, size int) (page, error) {
	budget := slice.Budget{Bytes: size, Lines: artifactapi.MaxReadLines}
	if size == utf8.UTFMax {
		budget.Lines = 1 // the smallest page
	}
	read, err := artifactapi.ToSlice(ctx, r.pages, slice.Bytes{Start: r.from, End: r.to}, r.call.match, max(r.from, r.first), budget)
	if errors.Is(err, slice.ErrNothing) {
		return page{}, mistaken("the result has %s", counted(r.pages.Lines(), "line"))
	}
	if err != nil {
		return page{}, apierror.FromRead(err)
	}
	if r.call.match != nil && len(read.Ranges) > 0 {
		if r.first, err = r.pages.LineStart(read.Ranges[0].FirstLine); err != nil {
			return page{}, apierror.FromRead(err)
		}
	}
	stored := read.Data
	if err := r.maskCut(&read); err != nil {
		return page{}, err
	}
	of, err := r.describe(read)
	if err != nil {
		return page{}, apierror.FromRead(err)
	}
	p := page{canonical: of.Result(), complete: read.Next < 0}
	r.mask(stored, p.canonical)
	p.receipt, err = r.family.Renderer.Render(p.canonical, r.policy)
	return p, err
}

// mask masks the secrets of a page. The artifact has none as it was stored. A page may, by what a reader does not see of it. What
// looks like a secret as it was stored is of a file that was read without patterns, and is shown.
func (r *pageReading) mask(stored []byte, canonical *pb.CanonicalToolResult) {
	pass := redaction.NewPass(r.secrets)
	pass.ShowAsStored(stored)
	pass.Mask(canonical.ProtoReflect())
}

// cutContext is how many bytes before and behind a page are looked at for secrets that it cuts.
const cutContext = 4 << 10

// maskCut masks, in a copy, the parts of secrets at the ends of a page that a reader would not take for one: the secret has
// something inside that is not seen, and begins before the page or ends behind it.
func (r *pageReading) maskCut(read *slice.Page) error {
	if r.call.match != nil || len(read.Ranges) != 1 {
		return nil
	}
	from, to := read.Ranges[0].From, read.Ranges[0].To
	begin := max(0, from-cutContext)
	around, err := r.pages.Read(nil, begin, min(r.pages.Size(), to+cutContext))
	if err != nil {
		return apierror.FromRead(err)
	}
	page := redaction.Run{From: int(from - begin), To: int(to - begin)}
	for _, run := range redaction.NewPass(r.secrets).Hidden(around) {
		if run.From < page.From && run.To > page.From || run.From < page.To && run.To > page.To {
			redaction.Cover(around[run.From:run.To])
			read.Data = around[page.From:page.To:page.To]
		}
	}
	return nil
}

// describe says what a slice is of the artifact.
func (r *pageReading) describe(read slice.Page) (projectors.Page, error) {
	ref := r.pages.Ref()
	p := projectors.Page{
		Tool: envelope.ReadTool, Bytes: r.pages.Size(), Lines: r.pages.Lines(), Matches: r.call.match != nil, Path: ref.Path, Digest: ref.Digest,
	}
	if read.Next >= 0 {
		p.Next = r.token(read.Next)
	}
	if len(read.Ranges) == 0 {
		var err error
		if p.First, err = r.pages.LineAt(r.from); err != nil {
			return p, err
		}
		if p.Last = p.Lines; read.Next > 0 {
			p.Last, err = r.pages.LineAt(read.Next - 1)
		}
		return p, err
	}
	data := read.Data
	for _, run := range read.Ranges {
		n := run.To - run.From
		start, err := r.pages.LineStart(run.FirstLine)
		if err != nil {
			return p, err
		}
		end, err := r.pages.LineStart(run.LastLine + 1)
		if err != nil {
			return p, err
		}
		p.Parts = append(p.Parts, preview.Part{
			Text: data[:n:n], LineStart: start, Start: run.From, FirstLine: run.FirstLine, LastLine: run.LastLine, LineEnd: max(run.To, end),
		})
		data = data[n:]
	}
	if p.Matches || len(read.Data) == 0 {
		return p, nil
	}
	only := p.Parts[0]
	if only.LineStart != only.Start {
		p.From = only.Start
	}
	if end := only.Start + int64(len(only.Text)); end != only.LineEnd {
		p.To = end
	}
	return p, nil
}
