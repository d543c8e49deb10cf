package artifactapi

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/slice"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
)

// delta is one read of a log that grows, or of the artifact that it became: from the end of the answer before. Bytes before
// that are not read again, but for their checksum.
type delta struct {
	pages     *artifactstore.Pages // as the log was when the read began
	req       *pb.ReadArtifactRequest
	selection slice.Selection // nil with a match
	match     *slice.Match    // nil with a selection
	budget    slice.Budget
}

// read answers with a page of the selection that begins at the page token. The answer for a log that grows always has a
// token, even when nothing is new; that for a finished one has a token only when more follows.
func (d *delta) read(ctx context.Context) (*pb.ReadArtifactResponse, error) {
	at, err := d.position()
	if err != nil {
		return nil, err
	}
	page, end, err := d.page(ctx, at)
	switch {
	case errors.Is(err, slice.ErrNothing) && at >= 0:
		return nil, InvalidCursor()
	case errors.Is(err, slice.ErrNothing):
		return nil, apierror.RangeNotSatisfiable(d.pages.Lines(), d.pages.Size())
	case err != nil:
		return nil, apierror.FromRead(err)
	}
	answer := answerOf(page, d.pages)
	answer.Live, answer.NextPageToken = d.pages.Live(), ""
	if page.Next >= 0 {
		end = page.Next
	}
	if answer.GetLive() || page.Next >= 0 {
		if answer.NextPageToken, err = d.cursor(end); err != nil {
			return nil, apierror.FromRead(err)
		}
	}
	return answer, nil
}

// page reads a page of new bytes and returns its end. A selection that is open at its end selects everything new, from the
// second page on.
func (d *delta) page(ctx context.Context, at int64) (slice.Page, int64, error) {
	if d.match != nil {
		return d.matches(ctx, max(0, at))
	}
	if at >= 0 && openEnded(d.selection) {
		d.selection = slice.Bytes{Start: at}
	}
	page, err := slice.Read(ctx, d.pages, d.selection, at, d.budget)
	if err != nil {
		return slice.Page{}, 0, err
	}
	return page, page.Ranges[len(page.Ranges)-1].To, nil
}

// matches searches the complete lines. The last line of a log that grows may still change, so it is searched with a later page;
// a match in it would be reported twice, or half.
func (d *delta) matches(ctx context.Context, at int64) (slice.Page, int64, error) {
	end := d.pages.Size()
	if d.pages.Live() {
		var err error
		if end, err = d.pages.LastEnd(); err != nil {
			return slice.Page{}, 0, err
		}
	}
	if at >= end {
		return slice.Page{Next: -1}, at, nil
	}
	d.match.End = end
	page, err := slice.Find(ctx, d.pages, *d.match, at, d.budget)
	return page, end, err
}

// openEnded reports whether a selection goes on for as long as a log grows.
func openEnded(s slice.Selection) bool {
	switch s := s.(type) {
	case slice.Bytes:
		return s.End == 0
	case slice.Lines:
		return s.Last == 0
	case slice.Tail:
		return true
	}
	return false
}

// deltaMark is between the position and the checksum of a page token of a log. The checksum is that of all bytes before the
// position: the token is good as long as the log begins with what was read, also when it has become an artifact, and no
// longer.
const deltaMark = "."

// isDelta reports whether a page token is one of a log.
func isDelta(cursor string) bool { return strings.Contains(cursor, deltaMark) }

// cursor returns the page token of a position in a log.
func (d *delta) cursor(at int64) (string, error) {
	sum, err := d.pages.Check(at)
	return fmt.Sprintf("%s%s%08x", strconv.FormatInt(at, 36), deltaMark, sum), err
}

// position returns the position of the page token; -1 when there is none.
func (d *delta) position() (int64, error) {
	if d.req.GetPageToken() == "" {
		return -1, nil
	}
	digits, _, _ := strings.Cut(d.req.GetPageToken(), deltaMark)
	at, err := strconv.ParseInt(digits, 36, 64)
	if err != nil || at < 0 || at > d.pages.Size() { // a log never becomes shorter, but for a crash
		return 0, InvalidCursor()
	}
	same, err := d.cursor(at)
	if err != nil {
		return 0, apierror.FromRead(err)
	}
	if same != d.req.GetPageToken() {
		return 0, InvalidCursor()
	}
	return at, nil
}
