package inspect

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// views are the templates: pages, which have the layout around them, and fragments, which replace a part of a page.
type views struct{ all *template.Template }

// parseViews reads the templates. The addresses in them are below root.
func parseViews(root string) (views, error) {
	atRoot := template.FuncMap{"root": func() string { return root }}
	all, err := template.New("").Funcs(formats).Funcs(atRoot).ParseFS(web, "web/*.html")
	return views{all}, err
}

// formats are the functions with which templates write values.
var formats = template.FuncMap{
	"bytes": size,
	"count": func(n any) string { return humanize.Comma(number(n)) },
	"plural": func(n any, unit string) string {
		return humanize.Comma(number(n)) + " " + english.PluralWord(int(number(n)), unit, "")
	},
	"time":    func(t *timestamppb.Timestamp) string { return t.AsTime().UTC().Format("2006-01-02 15:04:05") },
	"iso":     func(t *timestamppb.Timestamp) string { return t.AsTime().UTC().Format(time.RFC3339Nano) },
	"ago":     func(t *timestamppb.Timestamp) string { return humanize.Time(t.AsTime()) },
	"kind":    func(k pb.AuditKind) string { return enumWord("AUDIT_KIND_", k.String()) },
	"level":   levelWord,
	"hold":    func(h pb.ResultHold) string { return enumWord("RESULT_HOLD_", h.String()) },
	"verdict": func(v pb.Verdict) string { return enumWord("VERDICT_", v.String()) },
	"path":    url.PathEscape,
	"percent": func(part, whole any) string { return percent(number(part), number(whole)) },
	"short":   func(s string) string { return s[:min(len(s), 20)] },
	"rounded": func(d time.Duration) time.Duration { return d.Round(max(d/1000, 1)).Round(10 * time.Microsecond) },
	"minus":   func(a, b any) int64 { return number(a) - number(b) },
	"max":     func(a, b any) int64 { return max(number(a), number(b)) },
	"half":    func(n any) int64 { return max(number(n)/2, 16) },
}

// number returns a number of any integer type as int64.
func number(n any) int64 {
	v, err := strconv.ParseInt(fmt.Sprint(n), 10, 64)
	if err != nil {
		return math.MaxInt64
	}
	return v
}

// size returns a number of bytes for people.
func size(n any) string { return humanize.IBytes(uint64(max(number(n), 0))) }

// percent returns a share; empty if there is no whole.
func percent(part, whole int64) string {
	if whole <= 0 {
		return ""
	}
	share := 100 * float64(part) / float64(whole)
	if share > 0 && share < 10 {
		return strconv.FormatFloat(share, 'f', 1, 64) + " %"
	}
	return strconv.FormatFloat(share, 'f', 0, 64) + " %"
}

// levelWord returns the name of a level of compaction.
func levelWord(l pb.CompactionLevel) string {
	if l == pb.CompactionLevel_COMPACTION_LEVEL_UNSPECIFIED {
		return "whole"
	}
	return enumWord("COMPACTION_LEVEL_", l.String())
}

// show answers with a template. It is executed before anything is sent, so that a mistake in it is a clear answer.
func (v views) show(w http.ResponseWriter, code int, name string, data any) {
	var b bytes.Buffer
	if err := v.all.ExecuteTemplate(&b, name, data); err != nil {
		http.Error(w, "inspect: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = b.WriteTo(w)
}

// fail answers with a message, as a page or, for a request that replaces a part of one, as a fragment.
func (v views) fail(w http.ResponseWriter, r *http.Request, code int, message string) {
	if r.Header.Get("HX-Request") != "" {
		v.show(w, code, "problem.html", message)
		return
	}
	v.show(w, code, "failure.html", failure{code, http.StatusText(code), message})
}

// failure is what the page of an error shows.
type failure struct {
	Code          int
	Text, Message string
}

// failed answers with the status of a call of the sidecar, or with a mistake in the request.
func (p *page) failed(w http.ResponseWriter, r *http.Request, err error) {
	s := status.Convert(err)
	code := cmp.Or(httpCodes[s.Code()], http.StatusBadGateway)
	if mistake, ok := errors.AsType[badRequest](err); ok {
		code, s = http.StatusBadRequest, status.New(codes.InvalidArgument, string(mistake))
	}
	p.views.fail(w, r, code, s.Message())
}

// httpCodes are the codes of HTTP for those of gRPC; others are those of a gateway that has no answer.
var httpCodes = map[codes.Code]int{
	codes.NotFound: http.StatusNotFound, codes.InvalidArgument: http.StatusBadRequest, codes.OutOfRange: http.StatusNotFound,
	codes.FailedPrecondition: http.StatusConflict, codes.PermissionDenied: http.StatusForbidden, codes.Unauthenticated: http.StatusForbidden,
	codes.DeadlineExceeded: http.StatusGatewayTimeout,
}

// badRequest is a mistake in an address or a form, in words for people.
type badRequest string

// Error implements error.
func (b badRequest) Error() string { return string(b) }

// numberOf reads a number of an address or a form; empty is the default.
func numberOf(name, value string, otherwise, least, most uint64) (uint64, error) {
	if value == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil || n < least || n > most {
		return 0, badRequest(fmt.Sprintf("%s is a number from %d to %d, and not %q", name, least, most, value))
	}
	return n, nil
}
