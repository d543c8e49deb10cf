package integration_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/toolresult/toolresult/artifactstore/catalog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// stored projects a command whose output is cut, and returns the service and the
// path that the receipt names.
func stored(t *testing.T, s *sidecar, text string) (pb.ArtifactServiceClient, string) {
	t.Helper()
	r := s.project(t, within(&pb.Budget{MaxTokens: 300}, completed(0, text)))
	got := r.GetCanonical().GetCommand()
	artifact := got.GetStdoutArtifact()
	if source := got.GetStdoutSource(); source != nil && source.OriginalArtifact != nil {
		artifact = source.GetOriginalArtifact() // as it was written
	}
	return pb.NewArtifactServiceClient(s.conn), got.GetArtifacts()[artifact].GetPath()
}

// counted are the numbers from 1, a line each.
func counted(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strconv.Itoa(i+1) + "\n")
	}
	return b.String()
}

// readAll follows the cursors of a request.
func readAll(t *testing.T, c pb.ArtifactServiceClient, req *pb.ReadArtifactRequest) (data string, pages int) {
	t.Helper()
	for {
		resp, err := c.ReadArtifact(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		data += string(resp.GetData())
		pages++
		if resp.GetComplete() != (resp.GetNextPageToken() == "") && !resp.GetLive() { // of a live log it is what it has now
			t.Fatalf("complete is %v with the cursor %q", resp.GetComplete(), resp.GetNextPageToken())
		}
		if resp.GetComplete() {
			return data, pages
		}
		req.PageToken = resp.GetNextPageToken()
	}
}

// Whatever a receipt left out is one call away, and pages are the bytes.
func TestReadArtifact(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	text := counted(200_000)
	c, path := stored(t, s, text)
	if data, pages := readAll(t, c, &pb.ReadArtifactRequest{Path: path, Budget: &pb.ReadBudget{MaxBytes: 100_000, MaxLines: 1_000_000}}); data != text || pages < 10 {
		t.Errorf("%d bytes in %d pages", len(data), pages)
	}
	lines := &pb.ReadArtifactRequest_Lines{Lines: &pb.LineRange{First: 9000, Last: 9060}}
	if data, _ := readAll(t, c, &pb.ReadArtifactRequest{Path: path, Selection: lines}); !strings.HasPrefix(data, "9000\n") || !strings.HasSuffix(data, "\n9060\n") {
		t.Errorf("lines: %.60q", data)
	}
	tail := &pb.ReadArtifactRequest_Tail{Tail: &pb.TailLines{Lines: 2}}
	if data, _ := readAll(t, c, &pb.ReadArtifactRequest{Path: path, Selection: tail}); data != "199999\n200000\n" {
		t.Errorf("tail: %q", data)
	}
	around := &pb.ReadArtifactRequest_Around{Around: &pb.AroundLine{Line: 50, Before: 1, After: 2}}
	if data, _ := readAll(t, c, &pb.ReadArtifactRequest{Path: path, Selection: around}); data != "49\n50\n51\n52\n" {
		t.Errorf("around: %q", data)
	}
	match := &pb.ReadArtifactRequest_Match{Match: &pb.MatchingLines{Pattern: `^1999\d8$`, Before: 1}}
	resp, err := c.ReadArtifact(t.Context(), &pb.ReadArtifactRequest{Path: path, Selection: match})
	if err != nil || len(resp.GetRanges()) != 10 || !strings.HasPrefix(string(resp.GetData()), "199907\n199908\n199917\n") || resp.GetRanges()[0].GetFirstLine() != 199_907 {
		t.Errorf("match: %v, %v", resp, err)
	}
}

// A value of a JSON text of any size is read by its pointer, in pages as everything
// else.
func TestReadArtifactByPointer(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	long := strings.Repeat(`é\n`, 40_000)
	c, path := stored(t, s, `{"items":[`+strings.Repeat(`{"id":1.0},`, 9000)+`{"id":9000,"a/b":"`+long+`"}]}`)
	read := func(path, pointer, cursor string) (*pb.ReadArtifactResponse, error) {
		return c.ReadArtifact(t.Context(), &pb.ReadArtifactRequest{
			Path: path, Selection: &pb.ReadArtifactRequest_JsonPointer{JsonPointer: pointer}, PageToken: cursor,
		})
	}
	resp, err := read(path, "/items/8999/id", "")
	if err != nil || string(resp.GetData()) != "1.0" || !resp.GetComplete() || resp.GetRanges()[0].GetFirstLine() != 1 {
		t.Errorf("%v, %v", resp, err)
	}
	req := &pb.ReadArtifactRequest{Path: path, Selection: &pb.ReadArtifactRequest_JsonPointer{JsonPointer: "/items/9000/a~1b"}}
	if data, pages := readAll(t, c, req); data != `"`+long+`"` || pages < 3 {
		t.Errorf("%d bytes in %d pages", len(data), pages)
	}
	if shell := mustCLI(t, environment(t), nil, "artifacts", "read", "--server", "unix://"+s.Socket, "--pointer", "/items/9000/id", path); shell != "9000" {
		t.Errorf("the command prints %q", shell)
	}
	_, lines := stored(t, s, counted(10_000))
	resp, err = read(path, "/items", "")
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]struct {
		path, pointer, cursor string
		code                  codes.Code
		reason, field         string
	}{
		"no pointer":          {path, canary, "", codes.InvalidArgument, "POINTER_INVALID", "json_pointer"},
		"a bad escape":        {path, "/~" + canary, "", codes.InvalidArgument, "POINTER_INVALID", "json_pointer"},
		"a long pointer":      {path, "/" + strings.Repeat(canary, 1000), "", codes.InvalidArgument, "FIELD_TOO_LONG", "json_pointer"},
		"no value":            {path, "/" + canary, "", codes.OutOfRange, "RANGE_NOT_SATISFIABLE", ""},
		"no element":          {path, "/items/-", "", codes.OutOfRange, "RANGE_NOT_SATISFIABLE", ""},
		"no JSON":             {lines, "/items", "", codes.InvalidArgument, "JSON_INVALID", "json_pointer"},
		"a cursor of another": {path, "/items/0", resp.GetNextPageToken(), codes.InvalidArgument, "PAGE_TOKEN_INVALID", "page_token"},
	} {
		_, err := read(p.path, p.pointer, p.cursor)
		t.Run(name, func(t *testing.T) { wantRefusal(t, err, p.code, p.reason, p.field) })
	}
}

// artifactProvocations has a row for every refusal that artifact.proto lists for reading, listing and keeping. A dead
// handle says in which way it is dead.
func artifactProvocations() []provocation {
	const invalid, bounds = "INVALID_ARGUMENT", "FIELD_OUT_OF_BOUNDS"
	long := strings.Repeat(canary, 1000)
	lines := func(first, last uint64) *pb.ReadArtifactRequest {
		return &pb.ReadArtifactRequest{Selection: &pb.ReadArtifactRequest_Lines{Lines: &pb.LineRange{First: first, Last: last}}}
	}
	pointer := func(p string) *pb.ReadArtifactRequest {
		return &pb.ReadArtifactRequest{Selection: &pb.ReadArtifactRequest_JsonPointer{JsonPointer: p}}
	}
	list := []provocation{
		{listed{"ReadArtifact", invalid, "FIELD_MISSING"}, "path", readOf(&pb.ReadArtifactRequest{}, nowhere)},
		{listed{"ReadArtifact", invalid, "FIELD_TOO_LONG"}, "path", readOf(&pb.ReadArtifactRequest{Path: long}, asGiven)},
		{listed{"ReadArtifact", invalid, bounds}, "lines.last", readOf(lines(9, 8), someArtifact)},
		{listed{"ReadArtifact", invalid, bounds}, "budget.max_bytes", readOf(&pb.ReadArtifactRequest{Budget: &pb.ReadBudget{MaxBytes: 1 << 31}}, someArtifact)},
		{listed{"ReadArtifact", invalid, "PATTERN_INVALID"}, "match.pattern", readOf(&pb.ReadArtifactRequest{
			Selection: &pb.ReadArtifactRequest_Match{Match: &pb.MatchingLines{Pattern: "(" + canary}},
		}, someArtifact)},
		{listed{"ReadArtifact", invalid, "PAGE_TOKEN_INVALID"}, "page_token", readOf(&pb.ReadArtifactRequest{PageToken: canary}, someArtifact)},
		{listed{"ReadArtifact", invalid, "PAGE_TOKEN_INVALID"}, "page_token", withCursorOfAnother},
		{listed{"ReadArtifact", "PERMISSION_DENIED", "PATH_OUTSIDE_STORE"}, "", readOf(&pb.ReadArtifactRequest{Path: "/etc/" + canary}, asGiven)},
		{listed{"ReadArtifact", "NOT_FOUND", "ARTIFACT_NOT_FOUND"}, "", readOf(&pb.ReadArtifactRequest{Path: "/000/123456"}, underStore)},
		{listed{"ReadArtifact", "OUT_OF_RANGE", "RANGE_NOT_SATISFIABLE"}, "", readOf(lines(10_001, 0), someArtifact)},
		{listed{"ReadArtifact", "DATA_LOSS", "ARTIFACT_CORRUPT"}, "", readOf(&pb.ReadArtifactRequest{}, damagedArtifact)},
		{listed{"ReadArtifact", "DATA_LOSS", "ARTIFACT_MISSING"}, "", readOf(&pb.ReadArtifactRequest{}, missingArtifact)},
		{listed{"ReadArtifact", "FAILED_PRECONDITION", "ARTIFACT_EXPIRED"}, "", withDeletedArtifact},
		{listed{"ReadArtifact", invalid, "POINTER_INVALID"}, "json_pointer", readOf(pointer(canary), someArtifact)},
		{listed{"ReadArtifact", invalid, "JSON_INVALID"}, "json_pointer", readOf(pointer("/items"), someArtifact)},
		{listed{"ReadArtifact", "UNAVAILABLE", "OBJECT_STORE_UNAVAILABLE"}, "", withoutObjectStore},
		{listed{"VerifyArtifacts", invalid, "FIELD_TOO_LONG"}, "paths[1]", verifyOf("/x", long)},
		{listed{"VerifyArtifacts", invalid, bounds}, "paths", verifyOf(make([]string, 10_001)...)},
		{listed{"CollectGarbage", "INTERNAL", "STORE_FAILED"}, "", withoutShards},
		{listed{"Project", "RESOURCE_EXHAUSTED", "QUOTA_STORE"}, "", overQuota("--store-quota=1KiB")},
		{listed{"Project", "RESOURCE_EXHAUSTED", "QUOTA_SESSION"}, "", overQuota("--session-quota=1KiB")},
		{listed{"Project", "ABORTED", "GC_RACE"}, "", whileCollected},
	}
	for field, req := range map[string]*pb.ListArtifactsRequest{
		"session_id": {SessionId: "no " + canary}, "call_id": {SessionId: "s", CallId: "a\nb"},
	} {
		list = append(list, provocation{listed{"ListArtifacts", invalid, "NAME_INVALID"}, field, listOf(req)})
	}
	return append(list,
		provocation{listed{"ListArtifacts", invalid, bounds}, "page_size", listOf(&pb.ListArtifactsRequest{PageSize: 1001})},
		provocation{listed{"ListArtifacts", invalid, "PAGE_TOKEN_INVALID"}, "page_token", listOf(&pb.ListArtifactsRequest{PageToken: "!" + canary})},
		provocation{listed{"LeaseSession", invalid, "FIELD_MISSING"}, "session_id", leaseOf(&pb.LeaseSessionRequest{Duration: durationpb.New(time.Second)})},
		provocation{listed{"LeaseSession", invalid, "NAME_INVALID"}, "session_id", leaseOf(&pb.LeaseSessionRequest{SessionId: "no " + canary})},
		provocation{listed{"LeaseSession", invalid, bounds}, "duration", leaseOf(&pb.LeaseSessionRequest{SessionId: "s", Duration: &durationpb.Duration{Seconds: 1 << 32}})},
	)
}

type provoke = func(*testing.T, *sidecar) error

// readOf reads at a path that is made for it.
func readOf(req *pb.ReadArtifactRequest, path func(*testing.T, *sidecar, string) string) provoke {
	return func(t *testing.T, s *sidecar) error {
		t.Helper()
		req := proto.CloneOf(req)
		req.Path = path(t, s, req.GetPath())
		_, err := pb.NewArtifactServiceClient(s.conn).ReadArtifact(t.Context(), req)
		return err
	}
}

func nowhere(*testing.T, *sidecar, string) string { return "" }

func asGiven(_ *testing.T, _ *sidecar, path string) string { return path }

func underStore(_ *testing.T, s *sidecar, path string) string { return s.Store + path }

func someArtifact(t *testing.T, s *sidecar, _ string) string {
	t.Helper()
	_, path := stored(t, s, counted(10_000))
	return path
}

func missingArtifact(t *testing.T, s *sidecar, _ string) string {
	t.Helper()
	_, path := stored(t, s, strings.Repeat("missing\n", 9000))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// withCursorOfAnother reads on with the cursor of another artifact.
func withCursorOfAnother(t *testing.T, s *sidecar) error {
	t.Helper()
	c, path := stored(t, s, counted(20_000))
	first, err := c.ReadArtifact(t.Context(), &pb.ReadArtifactRequest{Path: path, Budget: &pb.ReadBudget{MaxLines: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return readOf(&pb.ReadArtifactRequest{PageToken: first.GetNextPageToken()}, someArtifact)(t, s)
}

// withDeletedArtifact reads an artifact whose time is over.
func withDeletedArtifact(t *testing.T, _ *sidecar) error {
	t.Helper()
	s := startSidecar(t, launch{Args: []string{"--keep-for=1ms", "--session-lease=0s", "--gc-interval=0s"}})
	c, path := stored(t, s, counted(10_000))
	time.Sleep(5 * time.Millisecond)
	collected, err := c.CollectGarbage(t.Context(), &pb.CollectGarbageRequest{})
	if err != nil || collected.GetDeletedArtifacts() != 1 || collected.GetDeleted()[0].GetPath() != path {
		t.Fatal(collected, err)
	}
	_, err = c.ReadArtifact(t.Context(), &pb.ReadArtifactRequest{Path: path})
	r := refusalOf(t, err)
	if at, failed := time.Parse(time.RFC3339, r.metadata["deleted_at"]); failed != nil || time.Since(at) > time.Hour || r.metadata["why"] == "" {
		t.Errorf("the tombstone says %v", r.metadata)
	}
	return err
}

// withoutObjectStore reads what can only be in an object store that nobody serves.
func withoutObjectStore(t *testing.T, _ *sidecar) error {
	t.Helper()
	s := startSidecar(t, launch{
		Args: []string{"--object-store=s3://bucket/p?endpoint=http://127.0.0.1:1"},
		Env:  []string{"AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test"},
	})
	return readOf(&pb.ReadArtifactRequest{Path: "s3://bucket/p/" + strings.Repeat("0", 32)}, asGiven)(t, s)
}

func listOf(req *pb.ListArtifactsRequest) provoke {
	return func(t *testing.T, s *sidecar) error {
		t.Helper()
		_, err := pb.NewArtifactServiceClient(s.conn).ListArtifacts(t.Context(), req)
		return err
	}
}

func leaseOf(req *pb.LeaseSessionRequest) provoke {
	return func(t *testing.T, s *sidecar) error {
		t.Helper()
		_, err := pb.NewArtifactServiceClient(s.conn).LeaseSession(t.Context(), req)
		return err
	}
}

func verifyOf(paths ...string) provoke {
	return func(t *testing.T, s *sidecar) error {
		t.Helper()
		call, err := pb.NewArtifactServiceClient(s.conn).VerifyArtifacts(t.Context(), &pb.VerifyArtifactsRequest{Paths: paths})
		if err != nil {
			return err
		}
		_, err = call.Recv()
		return err
	}
}

// withoutShards collects garbage in a store of which a part cannot be read.
func withoutShards(t *testing.T, _ *sidecar) error {
	t.Helper()
	s := startSidecar(t, launch{})
	c, path := stored(t, s, counted(10_000))
	shard := filepath.Dir(path)
	if err := errors.Join(os.RemoveAll(shard), os.WriteFile(shard, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	_, err := c.CollectGarbage(t.Context(), &pb.CollectGarbageRequest{})
	return err
}

// overQuota stores more than it may.
func overQuota(quota string) provoke {
	return func(t *testing.T, _ *sidecar) error {
		t.Helper()
		s := startSidecar(t, launch{Args: []string{quota}})
		req := within(&pb.Budget{MaxTokens: 300}, completed(0, counted(10_000)))
		req.Call = &pb.CallReference{SessionId: "s"}
		_, err := s.Project(t.Context(), req)
		return err
	}
}

// whileCollected stands for a deletion that always wins.
func whileCollected(t *testing.T, _ *sidecar) error {
	t.Helper()
	s := serve(t, func(context.Context) error { return catalog.ErrRace }, asConfigured)
	_, err := s.Project(t.Context(), completed(0, "x"))
	return err
}

// damagedArtifact stores one, and flips a byte of it.
func damagedArtifact(t *testing.T, s *sidecar, _ string) string {
	t.Helper()
	_, path := stored(t, s, strings.Repeat("damaged\n", 9000))
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(content, []byte("damaged"), []byte("Damaged"), 1), 0o400); err != nil {
		t.Fatal(err)
	}
	return path
}

// Paths that are none of an artifact are refused, whatever they lead to.
func TestOnlyArtifactsAreRead(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	c, path := stored(t, s, counted(10_000))
	for _, foreign := range []string{
		"/etc/passwd", s.Store + "/../../etc/passwd", s.Store + "/LOCK", s.Store + "/catalog.db", s.Store + "/journal/segments/0000000001.segment", path + ".index", path + "/", strings.ToUpper(path),
	} {
		_, err := c.ReadArtifact(t.Context(), &pb.ReadArtifactRequest{Path: foreign})
		wantRefusal(t, err, codes.PermissionDenied, "PATH_OUTSIDE_STORE", "")
	}
}

// What a call stored is listed for it, is kept for as long as its session needs it, and can be verified.
func TestArtifactsOfCalls(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Args: []string{"--keep-for=1ms", "--gc-interval=0s"}})
	c := pb.NewArtifactServiceClient(s.conn)
	var paths []string
	for i := range 3 {
		req := within(&pb.Budget{MaxTokens: 300}, completed(0, counted(10_000+i)))
		req.Call = &pb.CallReference{SessionId: "session-1", CallId: "call_" + strconv.Itoa(i)}
		paths = append(paths, s.project(t, req).GetCanonical().GetCommand().GetArtifacts()[0].GetPath())
	}
	_, loose := stored(t, s, counted(9000))
	list, err := c.ListArtifacts(t.Context(), &pb.ListArtifactsRequest{SessionId: "session-1", PageSize: 2})
	if err != nil || len(list.GetArtifacts()) != 2 || list.GetArtifacts()[0].GetPath() != paths[2] || list.GetLeasedUntil() == nil {
		t.Fatal(list, err)
	}
	rest, err := c.ListArtifacts(t.Context(), &pb.ListArtifactsRequest{SessionId: "session-1", PageSize: 2, PageToken: list.GetNextPageToken()})
	if err != nil || len(rest.GetArtifacts()) != 1 || rest.GetArtifacts()[0].GetCallId() != "call_0" || rest.GetNextPageToken() != "" {
		t.Error(rest, err)
	}
	info, err := s.GetServerInfo(t.Context(), &pb.GetServerInfoRequest{})
	if err != nil || info.GetStore().GetArtifacts() != 4 {
		t.Error(info.GetStore(), err)
	}
	time.Sleep(5 * time.Millisecond)
	collected, err := c.CollectGarbage(t.Context(), &pb.CollectGarbageRequest{})
	if err != nil || collected.GetDeletedArtifacts() != 1 || collected.GetDeleted()[0].GetPath() != loose || collected.GetKeptArtifacts() != 3 {
		t.Error(collected, err)
	}
	s.Terminate()
	again := startSidecar(t, launch{Store: s.Store})
	list, err = pb.NewArtifactServiceClient(again.conn).ListArtifacts(t.Context(), &pb.ListArtifactsRequest{SessionId: "session-1"})
	if err != nil || len(list.GetArtifacts()) != 3 || list.GetArtifacts()[1].GetPath() != paths[1] {
		t.Error(list, err)
	}
}

// The command line lists, verifies, leases and collects.
func TestArtifactCommands(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	req := within(&pb.Budget{MaxTokens: 300}, completed(0, counted(10_000)))
	req.Call = &pb.CallReference{SessionId: "session-1", CallId: "call_1"}
	path := s.project(t, req).GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
	damaged := damagedArtifact(t, s, "")
	for _, c := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"list", "--session", "session-1"}, 0, []string{path, "call_1", "48 KiB"}},
		{[]string{"lease", "session-1", "24h"}, 0, []string{"T"}},
		{[]string{"lease", "session-1", "0s"}, 0, []string{"no lease"}},
		{[]string{"verify", path}, 0, []string{"1 intact, 0 corrupt"}},
		{[]string{"verify"}, 1, []string{"ARTIFACT_CORRUPT  " + damaged, "1 intact, 1 corrupt"}},
		{[]string{"gc", "--dry-run"}, 0, []string{"0 deleted, 0 B; 2 kept"}},
		{[]string{"lease", "session-1", "tomorrow"}, 125, nil},
		{[]string{"read", "--lines", "9999-", path}, 0, []string{"9999\n10000\n"}},
		{[]string{"read", "--lines", "-2", path}, 0, []string{"1\n2\n"}},
		{[]string{"read", "--lines", "7", path}, 125, nil},
		{[]string{"read", "--lines", "1-x", path}, 125, nil},
	} {
		args := append([]string{"artifacts", c.args[0], "--server", "unix://" + s.Socket}, c.args[1:]...)
		r := cli(t, environment(t), nil, args...)
		if r.code != c.code {
			t.Errorf("%v: exit code %d\n%s%s", c.args, r.code, r.stdout, r.stderr)
		}
		for _, w := range c.want {
			if !strings.Contains(r.stdout, w) {
				t.Errorf("%v prints no %q:\n%s", c.args, w, r.stdout)
			}
		}
	}
}
