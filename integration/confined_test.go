package integration_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/config"
)

// issue makes the token of a session.
func issue(t testing.TB, conn *grpc.ClientConn, session string) string {
	t.Helper()
	resp, err := pb.NewAccessServiceClient(conn).IssueSessionToken(context.Background(), &pb.IssueSessionTokenRequest{SessionId: session})
	if err != nil {
		t.Fatal(err)
	}
	return resp.GetToken()
}

// bearing is a context whose calls carry a token; an empty one: none.
func bearing(ctx context.Context, token string) context.Context {
	if token == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
}

// confinedTo is a context whose calls are confined to a session.
func confinedTo(t testing.TB, s *sidecar, session string) context.Context {
	t.Helper()
	return bearing(context.WithoutCancel(t.Context()), issue(t, s.conn, session))
}

func callOf(session, call string) *pb.CallReference {
	return &pb.CallReference{SessionId: session, CallId: call}
}

// sessionsOf are all the ways in which a request names a session, each as a call for one.
func sessionsOf(s *sidecar) map[string]func(ctx context.Context, session string) error {
	artifacts := pb.NewArtifactServiceClient(s.conn)
	named := func(session string) *pb.CallReference {
		if session == "" {
			return nil
		}
		return callOf(session, "call")
	}
	return map[string]func(context.Context, string) error{
		"Project": func(ctx context.Context, session string) error {
			req := completed(0, "x")
			req.Call = named(session)
			_, err := s.Project(ctx, req)
			return err
		},
		"ProjectTurn": func(ctx context.Context, session string) error {
			first, second := completed(0, "x"), completed(0, "y")
			second.Call = named(session)
			_, err := s.ProjectTurn(ctx, &pb.ProjectTurnRequest{TotalTokens: 1000, Outputs: []*pb.ProjectRequest{first, second}})
			return err
		},
		"ProjectSession": func(ctx context.Context, own string) error {
			req := completed(0, "x")
			req.Call = named(own)
			answers, err := session(ctx, s, inSession(1, req))
			return errors.Join(err, statusOf(answers[1]))
		},
		"ProjectStream": func(ctx context.Context, session string) error {
			_, err := streams(ctx, s, &pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{
				Header: &pb.StreamHeader{Family: "command", Call: named(session), Streams: []string{"stdout"}},
			}}, finishOf(completed(0, "x").GetOutput()))
			return err
		},
		"Compact": func(ctx context.Context, session string) error {
			_, err := s.Compact(ctx, &pb.CompactRequest{SessionId: session, Policy: &pb.CompactionPolicy{Level: handles}})
			return err
		},
		"ListArtifacts": func(ctx context.Context, session string) error {
			_, err := artifacts.ListArtifacts(ctx, &pb.ListArtifactsRequest{SessionId: session})
			return err
		},
		"LeaseSession": func(ctx context.Context, session string) error {
			_, err := artifacts.LeaseSession(ctx, &pb.LeaseSessionRequest{SessionId: session, Duration: durationpb.New(time.Minute)})
			return err
		},
		"ReadArtifact": func(ctx context.Context, session string) error {
			_, err := artifacts.ReadArtifact(ctx, &pb.ReadArtifactRequest{Path: "memory/00000000", SessionId: session})
			if status.Code(err) == codes.NotFound { // it went as far as looking for it
				return nil
			}
			return err
		},
		"SetSessionFocus": func(ctx context.Context, session string) error { return setFocus(ctx, s, session, "", "the task") },
		"focus_session": func(ctx context.Context, session string) error {
			req := completed(0, "x")
			req.Policy = &pb.ProjectionPolicy{FocusSession: session}
			_, err := s.Project(ctx, req)
			return err
		},
		"CallTool": func(ctx context.Context, session string) error {
			_, err := pb.NewToolServiceClient(s.conn).CallTool(ctx, &pb.CallToolRequest{Name: "read_result", Call: named(session)})
			return err
		},
		"AppendLog": func(ctx context.Context, session string) error {
			call := named(session)
			if call == nil {
				call = callOf("", "call")
			}
			_, err := logFor(ctx, artifacts, call, "x", false)
			return err
		},
	}
}

// logFor appends to a log, ends it if it is to be, and returns its path.
func logFor(ctx context.Context, c pb.ArtifactServiceClient, call *pb.CallReference, data string, finish bool) (path string, err error) {
	log, err := c.AppendLog(ctx)
	if err != nil {
		return "", err
	}
	messages := []*pb.AppendLogRequest{
		{Message: &pb.AppendLogRequest_Header{Header: &pb.LogHeader{Call: call}}},
		{Message: &pb.AppendLogRequest_Data{Data: []byte(data)}},
	}
	if finish {
		messages = append(messages, &pb.AppendLogRequest{Message: &pb.AppendLogRequest_Finish{Finish: &pb.LogFinish{}}})
	}
	for _, m := range messages {
		_ = log.Send(m) // Recv has the reason
	}
	_ = log.CloseSend()
	for {
		resp, err := log.Recv()
		if errors.Is(err, io.EOF) {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		path = resp.GetPath()
	}
}

// TestConfinedCallsNameTheirSession calls everything for the own session, for none and for others, on the socket and
// over TCP.
func TestConfinedCallsNameTheirSession(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Store: config.MemoryStore, Args: []string{"--tcp", "127.0.0.1:0", "--token-file", tokenFile(t, 0o600)}})
	remote := *s
	remote.conn = dial(t, s.TCP)
	remote.ToolResultServiceClient = pb.NewToolResultServiceClient(remote.conn)
	for place, at := range map[string]*sidecar{"socket": s, "TCP": &remote} {
		own := confinedTo(t, s, "mine-"+place)
		for name, call := range sessionsOf(at) {
			for session, want := range map[string]string{"mine-" + place: "", "": "", "theirs": "SESSION_MISMATCH", "mine-" + place + "x": "SESSION_MISMATCH"} {
				err := call(own, session)
				switch {
				case want == "" && err != nil:
					t.Errorf("%s %s of %q: %v", place, name, session, err)
				case want != "":
					wantRefusal(t, err, codes.PermissionDenied, want, "")
				}
			}
		}
		// What named no session is of the caller's.
		resp, err := pb.NewArtifactServiceClient(at.conn).ListArtifacts(own, &pb.ListArtifactsRequest{})
		if err != nil || len(resp.GetArtifacts()) == 0 || resp.GetLeasedUntil() == nil {
			t.Errorf("%s: %v, %v", place, resp, err)
		}
	}
	for session := range map[string]bool{"theirs": true, "": true} {
		resp, err := pb.NewArtifactServiceClient(s.conn).ListArtifacts(t.Context(), &pb.ListArtifactsRequest{SessionId: session})
		if err != nil || len(resp.GetArtifacts()) != 0 {
			t.Errorf("session %q has %v, %v", session, resp, err)
		}
	}
	info, err := s.GetServerInfo(confinedTo(t, s, "mine"), &pb.GetServerInfoRequest{})
	if err != nil || info.GetStore().GetArtifacts() != 0 || info.GetStore().GetBytes() != 0 || info.GetVersion() == "" {
		t.Errorf("a confined caller is told of the store: %v, %v", info.GetStore(), err)
	}
}

// A confined caller cannot make the sidecar read files for it.
func TestConfinedCallersNameNoFiles(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	path := filepath.Join(root, "log")
	if err := os.WriteFile(path, []byte(numbered(10)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startSidecar(t, launch{Args: []string{"--roots", root}})
	req := completed(0, "")
	req.Output.GetCommand().Stdout = &pb.Payload{Source: &pb.Payload_File{File: &pb.FileReference{Path: path}}}
	s.project(t, req)
	_, err := s.Project(confinedTo(t, s, "a"), req)
	wantRefusal(t, err, codes.PermissionDenied, "FILE_NOT_ALLOWED", "")
}

// world is what a test of separate sessions has made.
type world struct {
	*sidecar
	artifacts pb.ArtifactServiceClient
	sessions  []string
	tokens    map[string]string
	owned     map[string]map[string]bool // session, path
	content   map[string]string          // by path
	paths     []string
}

func newWorld(t testing.TB, s *sidecar, run int) *world {
	w := &world{
		sidecar: s, artifacts: pb.NewArtifactServiceClient(s.conn), tokens: map[string]string{"": ""},
		owned: map[string]map[string]bool{}, content: map[string]string{},
	}
	for i := range 3 {
		name := fmt.Sprintf("s%d-%d", run, i)
		w.sessions = append(w.sessions, name)
		w.tokens[name], w.owned[name] = issue(t, s.conn, name), map[string]bool{}
	}
	return w
}

func (w *world) has(session, path, content string) {
	if w.content[path] == "" {
		w.paths = append(w.paths, path)
	}
	w.owned[session][path], w.content[path] = true, content
}

// act does something for a session, by the runtime or by a caller that is confined to it.
func (w *world) act(t *rapid.T) {
	session := rapid.SampledFrom(w.sessions).Draw(t, "session")
	ctx := context.Background()
	if rapid.Bool().Draw(t, "confined") {
		ctx = bearing(ctx, w.tokens[session])
	}
	call := fmt.Sprint("call-", len(w.content))
	content := numbered(rapid.IntRange(60, 63).Draw(t, "lines"))
	switch rapid.SampledFrom([]string{"project", "log", "finished log"}).Draw(t, "what") {
	case "project":
		req := within(&pb.Budget{MaxTokens: 100}, completed(0, content))
		req.Call = callOf(session, call)
		resp, err := w.Project(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		w.has(session, resp.GetCanonical().GetCommand().GetArtifacts()[0].GetPath(), content)
	case "log":
		content = session + call + content
		path, err := logFor(ctx, w.artifacts, callOf(session, call), content, false)
		if err != nil {
			t.Fatal(err)
		}
		w.has(session, path, content)
	case "finished log":
		content = session + call + content
		path, err := logFor(ctx, w.artifacts, callOf(session, call), content, true)
		if err != nil {
			t.Fatal(err)
		}
		w.has(session, path, content)
	}
}

// selections are ways to read an artifact that could tell something of it.
func selections() []*pb.ReadArtifactRequest {
	return []*pb.ReadArtifactRequest{
		{},
		{Selection: &pb.ReadArtifactRequest_Tail{Tail: &pb.TailLines{Lines: 3}}},
		{Selection: &pb.ReadArtifactRequest_Lines{Lines: &pb.LineRange{First: 1 << 40}}},
		{Selection: &pb.ReadArtifactRequest_JsonPointer{JsonPointer: "/a"}},
		{Selection: &pb.ReadArtifactRequest_Match{Match: &pb.MatchingLines{Pattern: "line"}}},
		{PageToken: "1-00000000"},
		{PageToken: canary},
	}
}

// TestSessionsAreSeparate makes artifacts and logs for some sessions, and reads every one of them for every session: by a
// caller that is confined, and by the runtime that says for whom. Each gets what is its own; of everything else the
// answer is, in code, text and details, that for what never was. Lists have what is of the session, and nothing else.
func TestSessionsAreSeparate(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Store: config.MemoryStore})
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		w := newWorld(t, s, run)
		for range rapid.IntRange(1, 6).Draw(rt, "acts") {
			w.act(rt)
		}
		selection := rapid.SampledFrom(selections()).Draw(rt, "selection")
		for _, session := range w.sessions {
			w.checkReads(rt, session, selection)
			w.checkList(rt, session)
		}
	})
}

func (w *world) checkReads(t *rapid.T, session string, selection *pb.ReadArtifactRequest) {
	read := func(path string, confined bool) (*pb.ReadArtifactResponse, *status.Status) {
		req := proto.CloneOf(selection)
		req.Path = path
		ctx := context.Background()
		if confined {
			ctx = bearing(ctx, w.tokens[session])
		} else {
			req.SessionId = session
		}
		resp, err := w.artifacts.ReadArtifact(ctx, req)
		return resp, status.Convert(err)
	}
	for _, confined := range []bool{true, false} {
		_, never := read("memory/ffffffffffff", confined)
		if never.Code() != codes.NotFound {
			t.Fatalf("what never was: %v", never)
		}
		for _, path := range w.paths {
			resp, st := read(path, confined)
			if w.owned[session][path] {
				if st.Code() == codes.NotFound {
					t.Fatalf("session %s does not get its own %s: %v", session, path, st)
				}
				if selection.GetSelection() == nil && selection.GetPageToken() == "" && !strings.HasPrefix(w.content[path], string(resp.GetData())) {
					t.Fatalf("session %s gets other bytes", session)
				}
				continue
			}
			if !proto.Equal(st.Proto(), never.Proto()) || resp != nil {
				t.Fatalf("session %s asks for %s of another one:\n%v\nand for what never was:\n%v", session, path, st.Proto(), never.Proto())
			}
		}
	}
}

func (w *world) checkList(t *rapid.T, session string) {
	resp, err := w.artifacts.ListArtifacts(bearing(context.Background(), w.tokens[session]), &pb.ListArtifactsRequest{PageSize: 1000})
	if err != nil {
		t.Fatal(err)
	}
	digests := map[string]bool{} // the path of a log stays, that of its artifact is in the list
	for _, e := range resp.GetArtifacts() {
		digests[e.GetPath()] = true
		own := false
		for path := range w.owned[session] {
			own = own || path == e.GetPath() || uint64(len(w.content[path])) == e.GetBytes() && strings.Contains(path, "/live/")
		}
		if !own {
			t.Fatalf("session %s lists %v", session, e)
		}
	}
	if len(digests) != len(w.owned[session]) {
		t.Fatalf("session %s lists %d artifacts of %d", session, len(digests), len(w.owned[session]))
	}
}

// TestDeletedArtifactsOfOthers asks for what was deleted, for its session and for another.
func TestDeletedArtifactsOfOthers(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Args: []string{"--keep-for=1ms", "--session-lease=0s", "--gc-interval=0s"}})
	req := completed(0, numbered(2000))
	req.Call = callOf("a", "call")
	path := s.project(t, req).GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
	c := pb.NewArtifactServiceClient(s.conn)
	time.Sleep(5 * time.Millisecond)
	if got, err := c.CollectGarbage(t.Context(), &pb.CollectGarbageRequest{}); err != nil || got.GetDeletedArtifacts() != 1 {
		t.Fatal(got, err)
	}
	_, own := c.ReadArtifact(confinedTo(t, s, "a"), &pb.ReadArtifactRequest{Path: path})
	wantRefusal(t, own, codes.FailedPrecondition, "ARTIFACT_EXPIRED", "")
	other := confinedTo(t, s, "b")
	_, foreign := c.ReadArtifact(other, &pb.ReadArtifactRequest{Path: path})
	_, never := c.ReadArtifact(other, &pb.ReadArtifactRequest{Path: s.Store + "/000/123456"})
	wantRefusal(t, foreign, codes.NotFound, "ARTIFACT_NOT_FOUND", "")
	if !proto.Equal(status.Convert(foreign).Proto(), status.Convert(never).Proto()) {
		t.Errorf("%v\n%v", foreign, never)
	}
}

// TestSessionTokensEndWithTheServer takes the token of a server to the next one on the same socket and store: on the
// socket too it does not turn into a call that is confined to nothing.
func TestSessionTokensEndWithTheServer(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	ctx := confinedTo(t, s, "a")
	if _, err := s.GetServerInfo(ctx, &pb.GetServerInfoRequest{}); err != nil {
		t.Fatal(err)
	}
	s.Terminate()
	next := startSidecar(t, launch{Socket: s.Socket, Store: s.Store})
	_, err := next.GetServerInfo(ctx, &pb.GetServerInfoRequest{})
	wantRefusal(t, err, codes.Unauthenticated, "TOKEN_INVALID", "")
}
