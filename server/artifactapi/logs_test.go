package artifactapi

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/artifactstore/memory"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/redacttest"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
)

// appendCall is an AppendLog call. Its client sends what is in the channel; closing that ends the call with io.EOF.
type appendCall struct {
	grpc.BidiStreamingServer[pb.AppendLogRequest, pb.AppendLogResponse]
	ctx      context.Context // of the call
	requests chan *pb.AppendLogRequest
	answers  chan *pb.AppendLogResponse
	end      error // of Recv, when requests is closed
}

// newAppending returns a call whose client sends some messages and goes on; finish with them ends the call.
func newAppending(ctx context.Context, messages ...*pb.AppendLogRequest) *appendCall {
	c := &appendCall{ctx: ctx, requests: make(chan *pb.AppendLogRequest, 100), answers: make(chan *pb.AppendLogResponse, 1000), end: io.EOF}
	for _, m := range messages {
		c.requests <- m
	}
	return c
}

func (c *appendCall) Context() context.Context { return c.ctx }

func (c *appendCall) Recv() (*pb.AppendLogRequest, error) {
	select {
	case m, ok := <-c.requests:
		if !ok {
			return nil, c.end
		}
		return m, nil
	case <-c.ctx.Done():
		return nil, c.ctx.Err()
	}
}

func (c *appendCall) Send(m *pb.AppendLogResponse) error {
	c.answers <- m
	return nil
}

// last returns the last answer.
func (c *appendCall) last() (m *pb.AppendLogResponse) {
	for {
		select {
		case m = <-c.answers:
		default:
			return m
		}
	}
}

func header(name string, at uint64) *pb.LogHeader {
	return &pb.LogHeader{Call: &pb.CallReference{SessionId: "s", CallId: "c"}, Name: name, AtByte: at}
}

func begin(h *pb.LogHeader) *pb.AppendLogRequest {
	return &pb.AppendLogRequest{Message: &pb.AppendLogRequest_Header{Header: h}}
}

func data(text string) *pb.AppendLogRequest {
	return &pb.AppendLogRequest{Message: &pb.AppendLogRequest_Data{Data: []byte(text)}}
}

func wish() *pb.AppendLogRequest {
	return &pb.AppendLogRequest{Message: &pb.AppendLogRequest_Sync{Sync: &pb.LogSync{}}}
}

func finish() *pb.AppendLogRequest {
	return &pb.AppendLogRequest{Message: &pb.AppendLogRequest_Finish{Finish: &pb.LogFinish{}}}
}

// append makes a call of messages whose client disconnects then, and returns the last answer.
func (s *serving) append(messages ...*pb.AppendLogRequest) (*pb.AppendLogResponse, error) {
	c := newAppending(trusted(), messages...)
	close(c.requests)
	err := s.AppendLog(c)
	return c.last(), err
}

// readAll reads an artifact or a log to its end.
func (s *serving) readAll(t testing.TB, path string) string {
	t.Helper()
	var all []byte
	req := &pb.ReadArtifactRequest{Path: path}
	for {
		resp, err := s.ReadArtifact(trusted(), req)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, resp.GetData()...)
		if resp.GetComplete() {
			return string(all)
		}
		req.PageToken = resp.GetNextPageToken()
	}
}

// TestLogGoesOnUntilItIsFinished appends to a log in several calls: each answers with all bytes, and the last with the artifact.
func TestLogGoesOnUntilItIsFinished(t *testing.T) {
	t.Parallel()
	s := newServing(t, nil, nil)
	first, err := s.append(begin(header("log", 0)), data("one\n"), wish(), data("two\n"))
	if err != nil || first.GetReceivedBytes() != 8 || first.GetArtifact() != nil || first.GetPath() == "" {
		t.Fatalf("%v, %v", first, err)
	}
	if got := s.readAll(t, first.GetPath()); got != "one\ntwo\n" {
		t.Errorf("the log is %q", got)
	}
	list, err := s.ListArtifacts(trusted(), &pb.ListArtifactsRequest{SessionId: "s"})
	if err != nil || len(list.GetArtifacts()) != 1 || list.GetArtifacts()[0].GetState() != pb.ArtifactState_ARTIFACT_STATE_LIVE {
		t.Errorf("%v, %v", list, err)
	}
	if second, err := s.append(begin(header("log", 8)), data("three\n")); err != nil || second.GetReceivedBytes() != 14 {
		t.Errorf("%v, %v", second, err)
	}
	last, err := s.append(begin(header("log", 0)), data("four"), finish())
	if err != nil || last.GetArtifact().GetBytes() != 18 || last.GetArtifact().GetCallId() != "c" || last.GetArtifact().GetState() != pb.ArtifactState_ARTIFACT_STATE_STORED {
		t.Fatalf("%v, %v", last, err)
	}
	if got := s.readAll(t, last.GetArtifact().GetPath()); got != "one\ntwo\nthree\nfour" || last.GetArtifact().GetDigest() == "" {
		t.Errorf("the artifact is %q", got)
	}
	if _, err := s.append(begin(header("log", 0)), data("five")); !errors.Is(err, artifactstore.ErrFinished) {
		t.Errorf("after the finish: %v", err)
	}
}

// TestLogHeadersAreChecked has calls with one mistake in their first messages. None of them makes a log.
func TestLogHeadersAreChecked(t *testing.T) {
	t.Parallel()
	s := newServing(t, nil, nil)
	if _, err := s.secrets.Register("s", []redact.Secret{{Name: "A", Value: []byte("first-value")}}); err != nil {
		t.Fatal(err)
	}
	change := func(edit func(*pb.LogHeader)) *pb.AppendLogRequest {
		h := header("log", 0)
		edit(h)
		return begin(h)
	}
	for name, c := range map[string]struct {
		messages      []*pb.AppendLogRequest
		reason, field string
	}{
		"nothing":        {nil, "STREAM_ORDER", "message"},
		"no header":      {[]*pb.AppendLogRequest{data("x")}, "STREAM_ORDER", "message"},
		"no session":     {[]*pb.AppendLogRequest{change(func(h *pb.LogHeader) { h.Call.SessionId = "" })}, "FIELD_MISSING", "header.call.session_id"},
		"no call":        {[]*pb.AppendLogRequest{change(func(h *pb.LogHeader) { h.Call.CallId = "" })}, "FIELD_MISSING", "header.call.call_id"},
		"agent":          {[]*pb.AppendLogRequest{change(func(h *pb.LogHeader) { h.Call.AgentId = "a b" })}, "NAME_INVALID", "header.call.agent_id"},
		"name":           {[]*pb.AppendLogRequest{change(func(h *pb.LogHeader) { h.Name = "a\n" })}, "NAME_INVALID", "header.name"},
		"set":            {[]*pb.AppendLogRequest{change(func(h *pb.LogHeader) { h.RequireSet = strings.Repeat("x", 129) })}, "FIELD_TOO_LONG", "header.require_set"},
		"unknown set":    {[]*pb.AppendLogRequest{change(func(h *pb.LogHeader) { h.RequireSet = "x" })}, "SECRETS_UNKNOWN", ""},
		"secret in name": {[]*pb.AppendLogRequest{change(func(h *pb.LogHeader) { h.Name = "first-value" })}, "NAME_INVALID", "header.name"},
		"secret in call": {[]*pb.AppendLogRequest{change(func(h *pb.LogHeader) { h.Call.CallId = "first-value" })}, "NAME_INVALID", "header.call.call_id"},
		"no such log":    {[]*pb.AppendLogRequest{begin(header("log", 1))}, "LOG_OFFSET_MISMATCH", ""},
	} {
		_, err := s.append(c.messages...)
		if reason, field := reasonOf(err); reason != c.reason || field != c.field {
			t.Errorf("%s: %v", name, err)
		}
	}
	confined := newAppending(identity.NewContext(t.Context(), identity.Caller{Session: "other"}), begin(header("log", 0)))
	if reason, _ := reasonOf(s.AppendLog(confined)); reason != "SESSION_MISMATCH" {
		t.Errorf("another session: %s", reason)
	}
	if list, err := s.ListArtifacts(trusted(), &pb.ListArtifactsRequest{SessionId: "s"}); err != nil || len(list.GetArtifacts()) != 0 {
		t.Errorf("a log was made: %v, %v", list, err)
	}
	if _, err := s.append(begin(header("log", 0)), data("text")); err != nil {
		t.Fatal(err)
	}
	_, err := s.append(begin(header("log", 3)), data("more"))
	if r := apierror.ToStatus(err); apierror.ReasonName(r.Reason) != "LOG_OFFSET_MISMATCH" || r.Metadata["received_bytes"] != "4" {
		t.Errorf("another offset: %v", err)
	}
	if _, err := s.append(begin(header("log", 4)), data("!"), begin(header("log", 0))); func() string { r, _ := reasonOf(err); return r }() != "STREAM_ORDER" {
		t.Errorf("a second header: %v", err)
	}
	last, err := s.append(begin(header("log", 5))) // what was sent before the mistake is there, and the log is free
	if err != nil || last.GetReceivedBytes() != 5 {
		t.Errorf("%v, %v", last, err)
	}
}

// TestLogsAreRedacted masks registered values and patterns byte by byte. The beginning of a value at the end of a call is
// masked if it is certain: the client counts it as received, and goes on behind it.
func TestLogsAreRedacted(t *testing.T) {
	t.Parallel()
	s := newServing(t, nil, func(o *Options, _ *catalog.Options) { o.Patterns = redact.BuiltIn() })
	if _, err := s.secrets.Register("s", []redact.Secret{{Name: "A", Value: []byte("first-value")}}); err != nil {
		t.Fatal(err)
	}
	const token = "ghp_7kQ2m9ZxW4vR8tY1uI5oP3aS6dF0gH7jK2lM"
	last, err := s.append(begin(header("log", 0)), data("a first-"), data("value "), data(token+"\n"), data("first-va"))
	if err != nil || last.GetReceivedBytes() != uint64(len("a first-value "+token+"\nfirst-va")) {
		t.Fatalf("%v, %v", last, err)
	}
	got := s.readAll(t, last.GetPath())
	if len(got) != int(last.GetReceivedBytes()) || strings.Contains(got, "first-value") || strings.Contains(got, token) || !strings.HasSuffix(got, "\n********") {
		t.Errorf("the log is %q", got)
	}
	last, err = s.append(begin(header("log", last.GetReceivedBytes())), data("nished first-v"), finish())
	if err != nil || !strings.HasSuffix(s.readAll(t, last.GetArtifact().GetPath()), "\n********nished *******") {
		t.Errorf("%v, %v", last, err)
	}
}

// TestPausesShowNoSecret pauses in the middle of secrets for longer than anybody waits: the beginning of a value stays back until
// the call ends, that of a pattern for some time, and what follows is masked.
func TestPausesShowNoSecret(t *testing.T) {
	t.Parallel()
	values, err := redact.NewValues([]redact.Secret{{Name: "A", Value: []byte("first-value-of-all")}})
	if err != nil {
		t.Fatal(err)
	}
	o := redact.Options{Values: values, Patterns: redact.BuiltIn()}
	for _, c := range []struct {
		first  string
		pauses int
		second string
		before string // the log before the second part
		whole  string
	}{
		{"a first-va", 3 * patience, "lue-of-all.\n", "a ", "a [redacted:A]******.\n"},
		{"a fi", 2, "rst-value-of-all.\n", "a fi", "a fi[redacted:A]****.\n"},
		{"DB_PASSWORD=Tr0ub4", 3, "dor&3xkcd\n", "", "DB_PASSWORD=***************\n"},
		{"DB_PASSWORD=Tr0ub4", patience + 2, "dor&3xkcd\n", "DB_PASSWORD=Tr0ub4", "DB_PASSWORD=Tr0ub4*********\n"},
		{"Password: ", 2, "x\n", "Password: ", "Password: x\n"},
	} {
		kept := &keptLog{}
		log := newRedactedLog(kept, o, nil, nil)
		for i, part := range []string{c.first, c.second} {
			if err := log.Append([]byte(part)); err != nil {
				t.Fatal(err)
			}
			for range c.pauses * (1 - i) {
				if err := log.settle(); err != nil {
					t.Fatal(err)
				}
			}
			if i == 0 && kept.String() != c.before {
				t.Errorf("after %q and a pause the log is %q, want %q", c.first, kept, c.before)
			}
		}
		if _, err := log.flush(); err != nil || kept.String() != c.whole {
			t.Errorf("%q and %q give %q, want %q: %v", c.first, c.second, kept, c.whole, err)
		}
	}
}

// TestCallsEndInTheMiddleOfAValue ends a call at every byte of registered values, and goes on with another: no more of a value is
// readable than fewer than eight bytes that ended the first call, positions hold, and what is no rest of a value stays.
func TestCallsEndInTheMiddleOfAValue(t *testing.T) {
	t.Parallel()
	values, err := redact.NewValues([]redact.Secret{
		{Name: "A", Value: []byte("first-value-of-all")}, {Name: "LONGER", Value: []byte("Zq3vT8xW2nB6mK1pR9sD4fG7hJ0lC5yE with spaces")}, {Name: "S", Value: []byte("k7#Qp!9z")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []redact.Options{{Values: values}, {Values: values, Patterns: redact.BuiltIn()}} {
		for _, value := range []string{
			"first-value-of-all", "Zq3vT8xW2nB6mK1pR9sD4fG7hJ0lC5yE with spaces", "k7#Qp!9z", hex.EncodeToString([]byte("first-value-of-all")),
		} {
			rapid.Check(t, func(t *rapid.T) {
				before, after := rapid.SampledFrom([]string{"", "a ", "first-fir", "k7#Qp!9z "}).Draw(t, "before"), rapid.SampledFrom([]string{".\n", " and more\n"}).Draw(t, "after")
				seam := rapid.SampledFrom([]string{"", "\n", "\x1b[31m"}).Draw(t, "seam")
				text, ends := before+value[:5]+seam+value[5:]+after, map[int]bool{}
				for range rapid.IntRange(1, 3).Draw(t, "calls but one") {
					ends[rapid.IntRange(len(before)+1, len(text)-len(after)-1).Draw(t, "end")] = true
				}
				kept, known := &keptLog{}, &beginnings{}
				first := len(text) // where the first call ends
				for i, from := 0, 0; i <= len(text); i++ {
					if !ends[i] && i < len(text) {
						continue
					}
					log := newRedactedLog(kept, o, bytes.Clone(kept.Bytes()), known.take("log", int64(kept.Len())))
					if err := log.Append([]byte(text[from:i])); err != nil {
						t.Fatal(err)
					}
					begun, err := log.flush()
					if err != nil || kept.Len() != i {
						t.Fatalf("the log of %d bytes has %d: %v", i, kept.Len(), err)
					}
					known.keep("log", int64(kept.Len()), begun)
					from, first = i, min(first, i)
				}
				shown := string(redacttest.Visible(kept.Bytes()))
				visible := len(redacttest.Visible([]byte(text[len(before):first])))
				if most := min(8, (len(value)+1)/2); visible >= most && strings.Contains(shown, value[:most]) {
					t.Fatalf("%q, ended at %v, shows the beginning: %q", text, ends, kept)
				}
				for at := range len(value) - 7 {
					if strings.Contains(shown, value[at:at+8]) {
						t.Fatalf("%q, ended at %v, shows %q: %q", text, ends, value[at:at+8], kept)
					}
				}
				if strings.Contains(shown, value[len(value)-min(8, len(value)/2):]) {
					t.Fatalf("%q, ended at %v, shows the rest: %q", text, ends, kept)
				}
				if o.Patterns == nil && !strings.HasSuffix(kept.String(), after) {
					t.Fatalf("%q, ended at %v, lost %q: %q", text, ends, after, kept)
				}
			})
		}
	}
	kept := &keptLog{} // what looked like the beginning of a value, but is that of another secret
	for i, part := range []string{"DB_PASSWORD=first-va", "riety&xkcd9 x\n"} {
		o := redact.Options{Values: values, Patterns: redact.BuiltIn()}
		log := newRedactedLog(kept, o, bytes.Clone(kept.Bytes()), [][]byte{nil, []byte("first-va")}[i])
		if err := log.Append([]byte(part)); err != nil {
			t.Fatal(err)
		}
		if _, err := log.flush(); err != nil {
			t.Fatal(err)
		}
	}
	if want := "DB_PASSWORD=" + strings.Repeat("*", 19) + " x\n"; strings.Contains(kept.String(), "riety") || kept.Len() != len(want) {
		t.Errorf("the log is %q, want %q", kept, want)
	}
	for text, want := range map[string]string{
		"it is first-v": "it is first-v", "it is first-va": "it is ********", "k7#": "k7#", "k7#Q": "****", "a first-valuf": "a first-valuf", "a first-value-of\x1b[3": "a [redacted:A]*****",
	} {
		kept := &keptLog{}
		log := newRedactedLog(kept, redact.Options{Values: values}, nil, nil)
		if err := log.Append([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if _, err := log.flush(); err != nil || kept.String() != want {
			t.Errorf("%q makes the log %q, want %q: %v", text, kept, want, err)
		}
	}
}

// TestBeginningsAreBounded keeps too many beginnings: the oldest are forgotten, and one is taken once, at its
// position alone.
func TestBeginningsAreBounded(t *testing.T) {
	t.Parallel()
	b := &beginnings{}
	for i := range maxBeginnings + 9 {
		b.keep(strconv.Itoa(i), 7, []byte{byte(i)})
	}
	if len(b.list) != maxBeginnings || b.take("8", 7) != nil || b.take("9", 7) == nil || b.take("9", 7) != nil {
		t.Errorf("%d are kept", len(b.list))
	}
	if b.take("20", 6) != nil || b.take("20", 7) != nil {
		t.Error("a beginning is taken at another position")
	}
}

// keptLog is a log in memory.
type keptLog struct {
	artifactstore.Log
	bytes.Buffer
}

func (l *keptLog) Append(p []byte) error {
	_, err := l.Write(p)
	return err
}

// TestKeptBytesSettle appends the beginning of a value and waits: it is in the log soon, and a wish to sync from before is
// answered when it is.
func TestKeptBytesSettle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, err := dir.Open(t.TempDir(), dir.Options{}) // one in memory makes nothing durable
		if err != nil {
			t.Fatal(err)
		}
		s := newServing(t, store, nil)
		if _, err := s.secrets.Register("s", []redact.Secret{{Name: "A", Value: []byte("first-value")}}); err != nil {
			t.Fatal(err)
		}
		c := newAppending(trusted(), begin(header("log", 0)), data("password? fir"), wish())
		done := make(chan error, 1)
		go func() { done <- s.AppendLog(c) }()
		path := (<-c.answers).GetPath()
		time.Sleep(3 * settleEvery)
		resp, err := s.ReadArtifact(trusted(), &pb.ReadArtifactRequest{Path: path})
		if err != nil || string(resp.GetData()) != "password? fir" {
			t.Errorf("the log is %q, %v", resp.GetData(), err)
		}
		for durable := uint64(0); durable < 13; { // the first answer may come before the bytes are there, and a newer one replaces it
			m := <-c.answers
			if durable = m.GetDurableBytes(); m.GetReceivedBytes() != 13 {
				t.Errorf("%v", m)
			}
		}
		close(c.requests)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// TestLogCallsEnd has calls that end otherwise: the client fails, the server drains, the log breaks. The log keeps every byte.
func TestLogCallsEnd(t *testing.T) {
	t.Parallel()
	gone := errors.New("the client is gone")
	for name, end := range map[string]func(*serving, *appendCall) error{
		"client fails": func(_ *serving, c *appendCall) error { c.end = gone; close(c.requests); return gone },
		"drain":        func(s *serving, _ *appendCall) error { close(s.drain); return nil },
		"disconnects":  func(_ *serving, c *appendCall) error { close(c.requests); return nil },
	} {
		s := newServing(t, nil, func(o *Options, _ *catalog.Options) { o.LogSync = time.Millisecond })
		ctx, cancel := context.WithCancel(trusted())
		c := newAppending(ctx, begin(header("log", 0)), data("text"), wish())
		done := make(chan error, 1)
		go func() { done <- s.AppendLog(c) }()
		for m := range c.answers {
			if m.GetReceivedBytes() == 4 {
				break
			}
		}
		want := end(s, c)
		err := <-done
		if reason, _ := reasonOf(err); want != nil && !errors.Is(err, want) || name == "drain" && reason != "DRAINING" || name == "disconnects" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
		if name == "drain" {
			continue // the server is over
		}
		if last, err := s.append(begin(header("log", 4)), finish()); err != nil || last.GetArtifact().GetBytes() != 4 {
			t.Errorf("%s: afterwards %v, %v", name, last, err)
		}
	}
}

// faultyLog is a log whose calls fail or panic as long as an error is set.
type faultyLog struct {
	artifactstore.Log
	append, sync, finish error
}

func (l *faultyLog) Append(p []byte) error {
	if l.append != nil {
		return l.append
	}
	return l.Log.Append(p)
}

func (l *faultyLog) Sync() (int64, error) {
	if l.sync != nil {
		if l.sync == errPanic {
			panic("s3cret")
		}
		return 0, l.sync
	}
	return l.Log.Sync()
}

func (l *faultyLog) Finish(ctx context.Context) (artifactstore.Ref, error) {
	if l.finish != nil {
		return artifactstore.Ref{}, l.finish
	}
	return l.Log.Finish(ctx)
}

func (l *faultyLog) Dropped() int64 { return 3 }

// errPanic stands for a panic.
var errPanic = errors.New("panic")

// faultyLogs is a store of one faultyLog.
type faultyLogs struct {
	*catalog.Catalog
	log   *faultyLog
	open  error
	pages error
}

func (s *faultyLogs) OpenLog(ctx context.Context, o catalog.Owner, name string) (artifactstore.Log, error) {
	if s.open != nil {
		return nil, s.open
	}
	var err error
	s.log.Log, err = s.Catalog.OpenLog(ctx, o, name)
	return s.log, err
}

func (s *faultyLogs) Pages(ctx context.Context, name string) (*artifactstore.Pages, error) {
	if s.pages != nil {
		return nil, s.pages
	}
	return s.Catalog.Pages(ctx, name)
}

// TestEveryFaultOfALogIsReturned fails at each call of a log: the client has the error, and a panic ends no more than the call.
func TestEveryFaultOfALogIsReturned(t *testing.T) {
	t.Parallel()
	fault := errors.New("the log is broken")
	for name, c := range map[string]struct {
		faults   func(*faultyLogs)
		messages []*pb.AppendLogRequest
		want     string
	}{
		"open":              {func(s *faultyLogs) { s.open = fault }, []*pb.AppendLogRequest{begin(header("log", 0))}, fault.Error()},
		"pages":             {func(s *faultyLogs) { s.pages = fault }, []*pb.AppendLogRequest{begin(header("log", 1))}, fault.Error()},
		"append":            {func(s *faultyLogs) { s.log.append = fault }, []*pb.AppendLogRequest{begin(header("log", 0)), data("x")}, fault.Error()},
		"append at the end": {func(s *faultyLogs) { s.log.append = fault }, []*pb.AppendLogRequest{begin(header("log", 0)), data("first-")}, fault.Error()},
		"append, finish":    {func(s *faultyLogs) { s.log.append = fault }, []*pb.AppendLogRequest{begin(header("log", 0)), data("first-"), finish()}, fault.Error()},
		"sync at the end":   {func(s *faultyLogs) { s.log.sync = fault }, []*pb.AppendLogRequest{begin(header("log", 0)), data("x")}, fault.Error()},
		"finish":            {func(s *faultyLogs) { s.log.finish = fault }, []*pb.AppendLogRequest{begin(header("log", 0)), finish()}, fault.Error()},
	} {
		s := newServing(t, nil, nil)
		if _, err := s.secrets.Register("s", []redact.Secret{{Name: "A", Value: []byte("first-value")}}); err != nil {
			t.Fatal(err)
		}
		store := &faultyLogs{Catalog: s.catalog, log: &faultyLog{}}
		c.faults(store)
		s.logs.store = store
		if _, err := s.append(c.messages...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, c := range map[string]struct {
		faults func(*faultyLogs)
		want   string
	}{
		"sync":         {func(s *faultyLogs) { s.log.sync = fault }, fault.Error()},
		"panic":        {func(s *faultyLogs) { s.log.sync = errPanic }, "panic: a value of type string"},
		"append later": {func(s *faultyLogs) { s.log.append = fault }, fault.Error()},
	} {
		s := newServing(t, nil, nil)
		if _, err := s.secrets.Register("s", []redact.Secret{{Name: "A", Value: []byte("first-value")}}); err != nil {
			t.Fatal(err)
		}
		store := &faultyLogs{Catalog: s.catalog, log: &faultyLog{}}
		c.faults(store)
		s.logs.store = store
		messages := []*pb.AppendLogRequest{begin(header("log", 0)), data("fir")}
		if name != "append later" {
			messages = append(messages, wish())
		}
		call := newAppending(trusted(), messages...) // its client waits
		err := func() (err error) {
			defer func() {
				if p := recover(); p != nil {
					err = errors.New("the panic was not caught")
				}
			}()
			return s.AppendLog(call)
		}()
		if name == "panic" && err != nil && strings.Contains(err.Error(), "not caught") {
			continue // end syncs again, in the goroutine that recovery watches
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := newServing(t, nil, nil)
	s.logs.store = &faultyLogs{Catalog: s.catalog, log: &faultyLog{}}
	if _, err := s.append(begin(header("log", 0)), data("x")); err != nil || !strings.Contains(s.log.String(), "bytes=3") {
		t.Errorf("bytes that were dropped are not logged: %v, %s", err, s.log)
	}
}

// TestGuardKeepsTheFirstFailure has two goroutines that panic: neither waits for the other to be noticed.
func TestGuardKeepsTheFirstFailure(t *testing.T) {
	t.Parallel()
	a := &appending{broken: make(chan error, 1)}
	a.guard(func() { panic("s3cret") })
	a.guard(func() { panic("again") })
	if err := <-a.broken; !strings.HasPrefix(err.Error(), "panic: a value of type string\n") || !strings.Contains(err.Error(), "TestGuardKeepsTheFirstFailure") {
		t.Errorf("%v", err)
	}
}

// TestDeltasConcatenateToTheLog reads a log with page tokens while it grows and is finished: the pages are the log.
func TestDeltasConcatenateToTheLog(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := newServing(t, memory.New(), nil)
		log, err := s.catalog.OpenLog(t.Context(), catalog.Owner{Session: "s", Call: "c"}, artifactstore.LogName("s", "c", "log"))
		if err != nil {
			rt.Fatal(err)
		}
		defer log.Close()
		req := &pb.ReadArtifactRequest{Path: log.Path(), Budget: &pb.ReadBudget{MaxBytes: uint32(rapid.IntRange(1, 20).Draw(rt, "bytes"))}}
		matching := &pb.ReadArtifactRequest{Path: log.Path(), Selection: &pb.ReadArtifactRequest_Match{Match: &pb.MatchingLines{Pattern: "^error"}}}
		switch rapid.IntRange(0, 2).Draw(rt, "selection") {
		case 1:
			req.Selection = &pb.ReadArtifactRequest_Lines{Lines: &pb.LineRange{First: 1}}
		case 2:
			req.Selection = &pb.ReadArtifactRequest_Bytes{Bytes: &pb.ByteRange{}}
		}
		var want, got, found strings.Builder
		read := func(live bool) {
			for _, r := range []*pb.ReadArtifactRequest{req, matching} {
				for page := 0; ; page++ {
					resp, err := s.ReadArtifact(trusted(), r)
					if reason, _ := reasonOf(err); reason == "RANGE_NOT_SATISFIABLE" && want.Len() == 0 {
						break
					}
					if err != nil || page > 1000 {
						rt.Fatalf("page %d of %v: %v", page, r, err)
					}
					if resp.GetLive() != live || live && resp.GetNextPageToken() == "" {
						rt.Fatalf("%v", resp)
					}
					into := &got
					if r == matching {
						into = &found
					}
					into.Write(resp.GetData())
					token := resp.GetNextPageToken()
					if token == "" || len(resp.GetData()) == 0 || resp.GetComplete() {
						if token != "" {
							r.PageToken = token
						}
						break
					}
					r.PageToken = token
				}
			}
		}
		for range rapid.IntRange(0, 8).Draw(rt, "steps") {
			text := rapid.SampledFrom([]string{"a line\n", "error: one\n", "err", "or two\n", "\n", "x", strings.Repeat("w", 50)}).Draw(rt, "text")
			if err := log.Append([]byte(text)); err != nil {
				rt.Fatal(err)
			}
			want.WriteString(text)
			if rapid.Bool().Draw(rt, "read") {
				read(true)
			}
		}
		if _, err := log.Finish(t.Context()); err != nil {
			rt.Fatal(err)
		}
		if want.Len() == 0 {
			return
		}
		if req.GetPageToken() == "" || matching.GetPageToken() == "" {
			return // nothing was read while it grew
		}
		read(false)
		if got.String() != want.String() {
			rt.Fatalf("%q, want %q", got.String(), want.String())
		}
		var errorsOf strings.Builder
		for line := range strings.Lines(want.String()) {
			if strings.HasPrefix(line, "error") {
				errorsOf.WriteString(line)
			}
		}
		if found.String() != errorsOf.String() {
			rt.Fatalf("found %q, want %q", found.String(), errorsOf.String())
		}
	})
}
