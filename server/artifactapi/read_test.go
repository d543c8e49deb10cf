package artifactapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/artifactstore/memory"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/journal/journaltest"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/metrics"
	"github.com/toolresult/toolresult/server/redaction"
)

// reads records measurements of reads.
type reads struct {
	metrics.Reporter
	list []metrics.Read
}

func (r *reads) Read(one metrics.Read) { r.list = append(r.list, one) }

// serving is a service over a catalog.
type serving struct {
	*service
	catalog *catalog.Catalog
	secrets *redaction.Secrets
	reads   *reads
	drain   chan struct{}
	log     *bytes.Buffer
}

// newServing returns a service over a store; a nil one is in memory.
func newServing(t testing.TB, store artifactstore.Store, change func(*Options, *catalog.Options)) *serving {
	t.Helper()
	if store == nil {
		store = memory.New()
	}
	s := &serving{secrets: redaction.NewSecrets(), reads: &reads{}, drain: make(chan struct{}), log: &bytes.Buffer{}}
	o := Options{Idle: time.Minute, Draining: s.drain, Secrets: s.secrets, Metrics: s.reads, Logger: slog.New(slog.NewTextHandler(s.log, nil))}
	c := catalog.Options{Journal: journaltest.Open(t), Logger: slog.New(slog.DiscardHandler), SessionLease: time.Hour}
	if change != nil {
		change(&o, &c)
	}
	var err error
	if s.catalog, err = catalog.Open(store, c); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.catalog.Close() })
	o.Catalog = s.catalog
	s.service = New(o).(*service)
	return s
}

// put stores an artifact of session s and call c, and returns its path.
func (s *serving) put(t testing.TB, content string) string {
	t.Helper()
	ref, err := s.catalog.SinkFor(catalog.Owner{Session: "s", Call: "c"}).Put(context.Background(), artifactstore.BytesBlob([]byte(content)))
	if err != nil {
		t.Fatal(err)
	}
	return ref.Path
}

// trusted is the context of a call of the sidecar's own user.
func trusted() context.Context {
	return identity.NewContext(context.Background(), identity.Caller{Trusted: true})
}

// reasonOf returns the reason and the field of an error.
func reasonOf(err error) (reason, field string) {
	if err == nil {
		return "", ""
	}
	r := apierror.ToStatus(err)
	return apierror.ReasonName(r.Reason), r.Metadata["field"]
}

// selections generates a selection of a text, and what it selects.
func selections(text string) *rapid.Generator[func(*pb.ReadArtifactRequest) string] {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	join := func(from, to int) string { return strings.Join(lines[max(0, from):min(len(lines), to)], "") }
	return rapid.Custom(func(t *rapid.T) func(*pb.ReadArtifactRequest) string {
		a := rapid.IntRange(1, len(lines)).Draw(t, "a")
		b := rapid.IntRange(a, len(lines)+3).Draw(t, "b")
		start := rapid.IntRange(0, len(text)-1).Draw(t, "start")
		end := rapid.IntRange(start+1, len(text)+3).Draw(t, "end")
		k := rapid.IntRange(0, 4).Draw(t, "around")
		kind := rapid.IntRange(0, 6).Draw(t, "kind")
		return func(r *pb.ReadArtifactRequest) string {
			switch kind {
			case 1:
				r.Selection = &pb.ReadArtifactRequest_Lines{Lines: &pb.LineRange{First: uint64(a), Last: uint64(b)}}
				return join(a-1, b)
			case 2:
				r.Selection = &pb.ReadArtifactRequest_Lines{Lines: &pb.LineRange{First: uint64(a)}}
				return join(a-1, len(lines))
			case 3:
				r.Selection = &pb.ReadArtifactRequest_Bytes{Bytes: &pb.ByteRange{Start: uint64(start), End: uint64(end)}}
				return text[start:min(end, len(text))]
			case 4:
				r.Selection = &pb.ReadArtifactRequest_Tail{Tail: &pb.TailLines{Lines: uint64(b)}}
				return join(len(lines)-b, len(lines))
			case 5:
				r.Selection = &pb.ReadArtifactRequest_Around{Around: &pb.AroundLine{Line: uint64(a), Before: uint32(k), After: uint32(b - a)}}
				return join(a-1-k, b)
			case 6:
				r.Selection = &pb.ReadArtifactRequest_Bytes{Bytes: &pb.ByteRange{Start: uint64(start)}}
				return text[start:]
			}
			return text
		}
	})
}

// TestPagesConcatenateToTheSelection reads a selection with any budget: the pages are the selected bytes, each within its
// budget, with ranges that are where the bytes are, and with a token as long as there is more.
func TestPagesConcatenateToTheSelection(t *testing.T) {
	t.Parallel()
	s := newServing(t, nil, nil)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "\n", "bbbb\n", "\xff\x00", "long " + strings.Repeat("l", 60) + "\n", "é"}), 1, 12).Draw(t, "text"), "")
		ref, err := s.catalog.SinkFor(catalog.Owner{Session: "s"}).Put(context.Background(), artifactstore.BytesBlob([]byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		budget := &pb.ReadBudget{MaxBytes: uint32(rapid.IntRange(1, 50).Draw(t, "bytes")), MaxLines: uint32(rapid.IntRange(1, 5).Draw(t, "lines"))}
		req := &pb.ReadArtifactRequest{Path: ref.Path, Budget: budget}
		want := selections(text).Draw(t, "selection")(req)
		var got []byte
		for page := 0; ; page++ {
			resp, err := s.ReadArtifact(trusted(), req)
			if err != nil {
				t.Fatal(err)
			}
			if len(resp.GetData()) > int(budget.GetMaxBytes()) || len(resp.GetData()) == 0 || page > len(text) {
				t.Fatalf("page %d has %d bytes", page, len(resp.GetData()))
			}
			if resp.GetTotalBytes() != uint64(len(text)) || resp.GetDigest() != ref.Digest || resp.GetLive() {
				t.Fatalf("%v", resp)
			}
			at := 0
			for _, r := range resp.GetRanges() {
				n := int(r.GetByteEnd() - r.GetByteStart())
				if text[r.GetByteStart():r.GetByteEnd()] != string(resp.GetData()[at:at+n]) {
					t.Fatalf("%v is not where %q is", r, resp.GetData())
				}
				if first := uint64(strings.Count(text[:r.GetByteStart()], "\n") + 1); r.GetFirstLine() != first {
					t.Fatalf("%v begins in line %d", r, first)
				}
				at += n
			}
			got = append(got, resp.GetData()...)
			if resp.GetComplete() != (resp.GetNextPageToken() == "") {
				t.Fatalf("complete is %v with the token %q", resp.GetComplete(), resp.GetNextPageToken())
			}
			if resp.GetComplete() {
				break
			}
			req.PageToken = resp.GetNextPageToken()
		}
		if string(got) != want {
			t.Fatalf("%v is %q, want %q", req, got, want)
		}
	})
}

// TestRequestsAreChecked has requests with one mistake each, and what each bound still allows.
func TestRequestsAreChecked(t *testing.T) {
	t.Parallel()
	s := newServing(t, nil, nil)
	path := s.put(t, "one\ntwo\n")
	other := s.put(t, "another\nartifact\n")
	token := func(path string) string {
		resp, err := s.ReadArtifact(trusted(), &pb.ReadArtifactRequest{Path: path, Budget: &pb.ReadBudget{MaxBytes: 4}})
		if err != nil {
			t.Fatal(err)
		}
		return resp.GetNextPageToken()
	}
	const bounds, missing, badToken = "FIELD_OUT_OF_BOUNDS", "FIELD_MISSING", "PAGE_TOKEN_INVALID"
	const most = 1 << 53
	lines := func(first, last uint64) *pb.ReadArtifactRequest_Lines {
		return &pb.ReadArtifactRequest_Lines{Lines: &pb.LineRange{First: first, Last: last}}
	}
	ranged := func(start, end uint64) *pb.ReadArtifactRequest_Bytes {
		return &pb.ReadArtifactRequest_Bytes{Bytes: &pb.ByteRange{Start: start, End: end}}
	}
	around := func(line uint64, before, after uint32) *pb.ReadArtifactRequest_Around {
		return &pb.ReadArtifactRequest_Around{Around: &pb.AroundLine{Line: line, Before: before, After: after}}
	}
	match := func(pattern string, before, after uint32) *pb.ReadArtifactRequest_Match {
		return &pb.ReadArtifactRequest_Match{Match: &pb.MatchingLines{Pattern: pattern, Before: before, After: after}}
	}
	for _, c := range []struct {
		req           *pb.ReadArtifactRequest
		reason, field string
	}{
		{&pb.ReadArtifactRequest{}, missing, "path"},
		{&pb.ReadArtifactRequest{Path: strings.Repeat("x", MaxPath+1)}, "FIELD_TOO_LONG", "path"},
		{&pb.ReadArtifactRequest{Path: "/etc/passwd"}, "PATH_OUTSIDE_STORE", ""},
		{&pb.ReadArtifactRequest{Path: "memory/ffffffff"}, "ARTIFACT_NOT_FOUND", ""},
		{&pb.ReadArtifactRequest{Path: path, SessionId: "a b"}, "NAME_INVALID", "session_id"},
		{&pb.ReadArtifactRequest{Path: path, Budget: &pb.ReadBudget{MaxBytes: MaxReadBytes + 1}}, bounds, "budget.max_bytes"},
		{&pb.ReadArtifactRequest{Path: path, Budget: &pb.ReadBudget{MaxLines: MaxReadLines + 1}}, bounds, "budget.max_lines"},
		{&pb.ReadArtifactRequest{Path: path, Budget: &pb.ReadBudget{MaxBytes: MaxReadBytes, MaxLines: MaxReadLines}}, "", ""},
		{&pb.ReadArtifactRequest{Path: path, Selection: lines(2, 1)}, bounds, "lines.last"},
		{&pb.ReadArtifactRequest{Path: path, Selection: lines(2, 2)}, "", ""},
		{&pb.ReadArtifactRequest{Path: path, Selection: lines(1, most+1)}, bounds, "lines.last"},
		{&pb.ReadArtifactRequest{Path: path, Selection: lines(1, most)}, "", ""},
		{&pb.ReadArtifactRequest{Path: path, Selection: lines(most+1, 0)}, bounds, "lines.first"},
		{&pb.ReadArtifactRequest{Path: path, Selection: lines(3, 0)}, "RANGE_NOT_SATISFIABLE", ""},
		{&pb.ReadArtifactRequest{Path: path, Selection: ranged(5, 4)}, bounds, "bytes.end"},
		{&pb.ReadArtifactRequest{Path: path, Selection: ranged(most+1, 0)}, bounds, "bytes.start"},
		{&pb.ReadArtifactRequest{Path: path, Selection: ranged(9, 10)}, "RANGE_NOT_SATISFIABLE", ""},
		{&pb.ReadArtifactRequest{Path: path, Selection: &pb.ReadArtifactRequest_Tail{Tail: &pb.TailLines{}}}, missing, "tail.lines"},
		{&pb.ReadArtifactRequest{Path: path, Selection: &pb.ReadArtifactRequest_Tail{Tail: &pb.TailLines{Lines: MaxReadLines + 1}}}, bounds, "tail.lines"},
		{&pb.ReadArtifactRequest{Path: path, Selection: around(0, 1, 1)}, missing, "around.line"},
		{&pb.ReadArtifactRequest{Path: path, Selection: around(1, maxAround+1, 1)}, bounds, "around.before"},
		{&pb.ReadArtifactRequest{Path: path, Selection: around(1, 1, maxAround+1)}, bounds, "around.after"},
		{&pb.ReadArtifactRequest{Path: path, Selection: around(1, maxAround, maxAround)}, "", ""},
		{&pb.ReadArtifactRequest{Path: path, Selection: match("", 0, 0)}, missing, "match.pattern"},
		{&pb.ReadArtifactRequest{Path: path, Selection: match("(", 0, 0)}, "PATTERN_INVALID", "match.pattern"},
		{&pb.ReadArtifactRequest{Path: path, Selection: match("o", MaxContext+1, 0)}, bounds, "match.before"},
		{&pb.ReadArtifactRequest{Path: path, Selection: match("o", 0, MaxContext+1)}, bounds, "match.after"},
		{&pb.ReadArtifactRequest{Path: path, Selection: &pb.ReadArtifactRequest_JsonPointer{JsonPointer: "x"}}, "POINTER_INVALID", "json_pointer"},
		{&pb.ReadArtifactRequest{Path: path, Selection: &pb.ReadArtifactRequest_JsonPointer{JsonPointer: "/x"}}, "JSON_INVALID", "json_pointer"},
		{&pb.ReadArtifactRequest{Path: path, PageToken: "x"}, badToken, "page_token"},
		{&pb.ReadArtifactRequest{Path: path, PageToken: token(other)}, badToken, "page_token"},
		{&pb.ReadArtifactRequest{Path: path, PageToken: "z" + token(path)}, badToken, "page_token"},
		{&pb.ReadArtifactRequest{Path: path, PageToken: "-" + token(path)}, badToken, "page_token"},
		{&pb.ReadArtifactRequest{Path: path, PageToken: "8-" + strings.SplitN(token(path), "-", 2)[1]}, "", ""}, // at the end
		{&pb.ReadArtifactRequest{Path: path, PageToken: "9-" + strings.SplitN(token(path), "-", 2)[1]}, badToken, "page_token"},
		{&pb.ReadArtifactRequest{Path: path, PageToken: token(path)}, "", ""},
		{&pb.ReadArtifactRequest{Path: path, PageToken: "1.0"}, badToken, "page_token"},
		{&pb.ReadArtifactRequest{Path: path, PageToken: "x.00000000"}, badToken, "page_token"},
		{&pb.ReadArtifactRequest{Path: path, PageToken: "-1.00000000"}, badToken, "page_token"},
		{&pb.ReadArtifactRequest{Path: path, PageToken: "9.00000000"}, badToken, "page_token"},
	} {
		resp, err := s.ReadArtifact(trusted(), c.req)
		if reason, field := reasonOf(err); reason != c.reason || field != c.field || (resp == nil) != (err != nil) {
			t.Errorf("%v: %v", c.req, err)
		}
	}
	r := apierror.ToStatus(func() error {
		_, err := s.ReadArtifact(trusted(), &pb.ReadArtifactRequest{Path: path, Selection: lines(3, 0)})
		return err
	}())
	if r.Metadata["total_lines"] != "2" || r.Metadata["total_bytes"] != "8" {
		t.Errorf("%v", r.Metadata)
	}
}

// TestReadsAreMeasured has a measurement for each read that is answered, with the selection as the contract names it.
func TestReadsAreMeasured(t *testing.T) {
	t.Parallel()
	s := newServing(t, nil, nil)
	path := s.put(t, `{"items":["one","two"]}`)
	for _, req := range []*pb.ReadArtifactRequest{
		{Path: path}, {Path: path, Selection: &pb.ReadArtifactRequest_JsonPointer{JsonPointer: "/items/1"}},
		{Path: path, Selection: &pb.ReadArtifactRequest_Match{Match: &pb.MatchingLines{Pattern: "tw."}}}, {Path: "memory/ffff"},
	} {
		_, _ = s.ReadArtifact(trusted(), req)
	}
	name, err := s.catalog.Resolve(path)
	if err != nil {
		t.Fatal(err)
	}
	want := []metrics.Read{{Selection: "whole", Bytes: 23, Artifact: name}, {Selection: "json_pointer", Bytes: 5, Artifact: name}, {Selection: "match", Bytes: 23, Artifact: name}}
	if fmt.Sprint(s.reads.list) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", s.reads.list, want)
	}
	unmeasured := newServing(t, nil, func(o *Options, _ *catalog.Options) { o.Metrics = nil })
	if _, err := unmeasured.ReadArtifact(trusted(), &pb.ReadArtifactRequest{Path: unmeasured.put(t, "x")}); err != nil {
		t.Error(err)
	}
}

// TestDamageIsReported changes the file of an artifact: reading and verifying it are findings about it.
func TestDamageIsReported(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "store")
	store, err := dir.Open(root, dir.Options{Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	s := newServing(t, store, nil)
	good, bad, gone := s.put(t, strings.Repeat("a line\n", 5000)), s.put(t, strings.Repeat("b line\n", 5000)), s.put(t, strings.Repeat("c line\n", 5000))
	if err := errors.Join(os.Chmod(bad, 0o600), os.WriteFile(bad, []byte(strings.Repeat("x line\n", 5000)), 0o600), os.Remove(gone)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{good: "", bad: "ARTIFACT_CORRUPT", gone: "ARTIFACT_MISSING"} {
		_, err := s.ReadArtifact(trusted(), &pb.ReadArtifactRequest{Path: path})
		if reason, _ := reasonOf(err); reason != want {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	call := &verifying{ctx: trusted()}
	if err := s.VerifyArtifacts(&pb.VerifyArtifactsRequest{Paths: []string{good, bad, gone, "/etc/passwd"}}, call); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, m := range call.sent[:len(call.sent)-1] {
		found[m.GetCorrupt().GetPath()] = m.GetCorrupt().GetReason()
	}
	counts := call.sent[len(call.sent)-1].GetCounts()
	if found[bad] != "ARTIFACT_CORRUPT" || found[gone] != "ARTIFACT_MISSING" || found["/etc/passwd"] != "PATH_OUTSIDE_STORE" || len(found) != 3 || counts.GetIntact() != 1 || counts.GetCorrupt() != 3 {
		t.Errorf("%v, %v", found, counts)
	}
}
