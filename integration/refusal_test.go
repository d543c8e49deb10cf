package integration_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/toolresult/toolresult/server/apierror"
)

// refusal is a call that was not served, as a client sees it.
type refusal struct {
	code     codes.Code
	reason   string
	message  string
	metadata map[string]string
	fields   []string // of BadRequest, with the reason of each
	retry    time.Duration
}

// refusalOf reads a refusal, and checks what holds for all of them: exactly one
// ErrorInfo of the contract's domain, and a short, printable message without
// tool bytes.
func refusalOf(t testing.TB, err error) refusal {
	t.Helper()
	st, ok := status.FromError(err)
	if !ok || st.Code() == codes.OK {
		t.Fatalf("no refusal: %v", err)
	}
	r := refusal{code: st.Code(), message: st.Message()}
	var infos int
	for _, d := range st.Details() {
		switch d := d.(type) {
		case *errdetails.ErrorInfo:
			infos++
			r.reason, r.metadata = d.GetReason(), d.GetMetadata()
			if d.GetDomain() != apierror.Domain {
				t.Errorf("the domain is %q", d.GetDomain())
			}
		case *errdetails.BadRequest:
			for _, v := range d.GetFieldViolations() {
				r.fields = append(r.fields, v.GetField())
				checkRefusalText(t, v.GetField()+" "+v.GetDescription()+" "+v.GetReason())
			}
		case *errdetails.RetryInfo:
			r.retry = d.GetRetryDelay().AsDuration()
		default:
			t.Errorf("a detail of type %T", d)
		}
	}
	if infos != 1 {
		t.Fatalf("%d ErrorInfos in %v", infos, err)
	}
	checkRefusalText(t, r.message)
	for key, value := range r.metadata {
		checkRefusalText(t, key+" "+value)
	}
	return r
}

// checkedStream checks the text with which a stream is refused.
type checkedStream struct {
	grpc.ClientStream
	t testing.TB
}

// RecvMsg receives a message, or the refusal.
func (s checkedStream) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if err != nil && !errors.Is(err, io.EOF) {
		checkRefusalText(s.t, status.Convert(err).Message())
	}
	return err
}

// checkRefusalText checks the limits of a text that a client is told: 1 KiB, printable, and no tool bytes.
func checkRefusalText(t testing.TB, text string) {
	t.Helper()
	text = strings.ReplaceAll(text, "proto:\u00a0", "proto: ") // how errors of protobuf begin in every other build
	if len(text) > 1024 {
		t.Errorf("a text of a refusal has %d bytes", len(text))
	}
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("a text of a refusal cannot be printed: %q", text)
	}
	if strings.Contains(text, canary) {
		t.Errorf("a refusal repeats tool bytes: %q", text)
	}
}

// wantRefusal checks code, reason and, unless it is empty, the first field.
func wantRefusal(t testing.TB, err error, code codes.Code, reason, field string) refusal {
	t.Helper()
	r := refusalOf(t, err)
	if r.code != code || r.reason != reason {
		t.Errorf("refused with %s %s, want %s %s: %s", r.code, r.reason, code, reason, r.message)
	}
	if field != "" && (len(r.fields) == 0 || r.fields[0] != field) {
		t.Errorf("the fields at fault are %q, want %q first", r.fields, field)
	}
	return r
}
