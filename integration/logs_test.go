package integration_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/grpc/codes"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

func logHeader(session, call, name string, at uint64) *pb.AppendLogRequest {
	return &pb.AppendLogRequest{Message: &pb.AppendLogRequest_Header{Header: &pb.LogHeader{
		Call: &pb.CallReference{SessionId: session, CallId: call}, Name: name, AtByte: at,
	}}}
}

func logData(text string) *pb.AppendLogRequest {
	return &pb.AppendLogRequest{Message: &pb.AppendLogRequest_Data{Data: []byte(text)}}
}

var (
	logSync   = &pb.AppendLogRequest{Message: &pb.AppendLogRequest_Sync{Sync: &pb.LogSync{}}}
	logFinish = &pb.AppendLogRequest{Message: &pb.AppendLogRequest_Finish{Finish: &pb.LogFinish{}}}
)

// appender is one AppendLog call.
type appender struct {
	pb.ArtifactService_AppendLogClient
	first *pb.AppendLogResponse
}

// appendTo begins a call for the log of a call of the tool.
func appendTo(ctx context.Context, t testing.TB, s *sidecar, call string) *appender {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	t.Cleanup(cancel)
	c, err := pb.NewArtifactServiceClient(s.conn).AppendLog(ctx)
	if err != nil {
		t.Fatal(err)
	}
	a := &appender{ArtifactService_AppendLogClient: c}
	a.send(t, logHeader("session", call, "", 0))
	if a.first, err = c.Recv(); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *appender) send(t testing.TB, messages ...*pb.AppendLogRequest) {
	t.Helper()
	for _, m := range messages {
		if err := a.Send(m); err != nil {
			t.Fatal(err)
		}
	}
}

// untilDurable waits for an answer that says so much is durable.
func (a *appender) untilDurable(t testing.TB, n int) *pb.AppendLogResponse {
	t.Helper()
	for {
		answer, err := a.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if answer.GetPath() != a.first.GetPath() || answer.GetDurableBytes() > answer.GetReceivedBytes() {
			t.Fatalf("answer %v after %v", answer, a.first)
		}
		if answer.GetDurableBytes() >= uint64(n) {
			return answer
		}
	}
}

// finish finishes the log, and returns the last answer.
func (a *appender) finish(t testing.TB) *pb.AppendLogResponse {
	t.Helper()
	a.send(t, logFinish)
	last := a.first
	for {
		answer, err := a.Recv()
		if errors.Is(err, io.EOF) {
			return last
		}
		if err != nil {
			t.Fatal(err)
		}
		last = answer
	}
}

// follower reads what is new of a log, each time that it is asked to.
type follower struct {
	c    pb.ArtifactServiceClient
	req  *pb.ReadArtifactRequest
	last *pb.ReadArtifactResponse
	data string
}

func follow(s *sidecar, path string) *follower {
	return &follower{c: pb.NewArtifactServiceClient(s.conn), req: &pb.ReadArtifactRequest{Path: path}}
}

// read reads all that is new.
func (f *follower) read(t testing.TB) {
	t.Helper()
	for {
		resp, err := f.c.ReadArtifact(t.Context(), f.req)
		if err != nil {
			t.Fatalf("after %d bytes: %v", len(f.data), err)
		}
		for _, r := range resp.GetRanges() {
			if r.GetByteStart() != uint64(len(f.data)) && f.req.GetSelection() == nil {
				t.Fatalf("bytes from %d on, after %d", r.GetByteStart(), len(f.data))
			}
		}
		f.data += string(resp.GetData())
		f.last, f.req.PageToken = resp, resp.GetNextPageToken()
		if (resp.GetNextPageToken() == "") != (resp.GetComplete() && !resp.GetLive()) {
			t.Fatalf("complete %v, live %v, with the cursor %q", resp.GetComplete(), resp.GetLive(), resp.GetNextPageToken())
		}
		if resp.GetLive() != (resp.GetDigest() == "") {
			t.Fatalf("live %v with the digest %q", resp.GetLive(), resp.GetDigest())
		}
		if resp.GetComplete() {
			return
		}
	}
}

func wantFollowed(t testing.TB, f *follower, want string, live bool) {
	t.Helper()
	f.read(t)
	lines := strings.Count(want, "\n")
	if !strings.HasSuffix(want, "\n") && want != "" {
		lines++
	}
	if f.data != want || f.last.GetLive() != live || f.last.GetTotalBytes() != uint64(len(want)) || f.last.GetTotalLines() != uint64(lines) {
		t.Fatalf("%d bytes of %d were followed, live %v; in all %d bytes, %d lines", len(f.data), len(want), f.last.GetLive(), f.last.GetTotalBytes(), f.last.GetTotalLines())
	}
}

// A log is read while it grows: what is new and nothing else, and its path goes on
// when it is an artifact.
func TestLogIsFollowed(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Args: []string{"--log-sync=20ms"}})
	a := appendTo(t.Context(), t, s, "followed")
	f := follow(s, a.first.GetPath())
	wantFollowed(t, f, "", true)
	text := ""
	for _, part := range []string{"a\n", "half a li", "ne\n", "", strings.Repeat("many lines\n", 100_000), "\xff\xfe no text\x00", "\n"} {
		a.send(t, logData(part))
		if text += part; part != "" {
			a.untilDurable(t, len(text)) // by itself
		}
		wantFollowed(t, f, text, true)
		wantFollowed(t, f, text, true) // nothing is new
	}
	late := follow(s, a.first.GetPath())
	late.read(t)
	last := a.finish(t)
	e := last.GetArtifact()
	if last.GetPath() != a.first.GetPath() || e.GetBytes() != uint64(len(text)) || last.GetDurableBytes() != e.GetBytes() ||
		e.GetCallId() != "followed" || e.GetState() != pb.ArtifactState_ARTIFACT_STATE_STORED || !strings.HasPrefix(e.GetDigest(), "blake3:") {
		t.Errorf("the last answer is %v", last)
	}
	wantFollowed(t, f, text, false)    // with a cursor of the live time
	wantFollowed(t, late, text, false) // as well
	for _, path := range []string{last.GetPath(), e.GetPath()} {
		wantFollowed(t, follow(s, path), text, false)
		if content, err := os.ReadFile(path); err != nil || string(content) != text { // also without the sidecar
			t.Errorf("%s has %d bytes, %v", path, len(content), err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(s.Store, "live", "*")); err != nil || len(left) != 1 {
		t.Errorf("live has %v", left)
	}
	// Finished again, as after an answer that was lost.
	if again := appendTo(t.Context(), t, s, "followed").finish(t); again.GetArtifact().GetPath() != e.GetPath() {
		t.Errorf("finished again: %v", again)
	}
}

// Each selection of a live log says what is new of it.
func TestLogSelections(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	for name, c := range map[string]struct {
		req               *pb.ReadArtifactRequest
		first, then, last string
	}{
		"everything": {&pb.ReadArtifactRequest{}, "1\n2\n3\n4", "4\n5\nerror 6", "\n7\n"},
		"bytes":      {&pb.ReadArtifactRequest{Selection: &pb.ReadArtifactRequest_Bytes{Bytes: &pb.ByteRange{Start: 5}}}, "\n4", "4\n5\nerror 6", "\n7\n"},
		"some bytes": {&pb.ReadArtifactRequest{Selection: &pb.ReadArtifactRequest_Bytes{Bytes: &pb.ByteRange{Start: 5, End: 10}}}, "\n4", "4\n5", ""},
		"lines":      {&pb.ReadArtifactRequest{Selection: &pb.ReadArtifactRequest_Lines{Lines: &pb.LineRange{First: 3}}}, "3\n4", "4\n5\nerror 6", "\n7\n"},
		"some lines": {&pb.ReadArtifactRequest{Selection: &pb.ReadArtifactRequest_Lines{Lines: &pb.LineRange{First: 3, Last: 4}}}, "3\n4", "4\n", ""},
		"tail":       {&pb.ReadArtifactRequest{Selection: &pb.ReadArtifactRequest_Tail{Tail: &pb.TailLines{Lines: 1}}}, "4", "4\n5\nerror 6", "\n7\n"},
		"around":     {&pb.ReadArtifactRequest{Selection: &pb.ReadArtifactRequest_Around{Around: &pb.AroundLine{Line: 4, Before: 1, After: 1}}}, "3\n4", "4\n5\n", ""},
		"match":      {&pb.ReadArtifactRequest{Selection: &pb.ReadArtifactRequest_Match{Match: &pb.MatchingLines{Pattern: "[246]"}}}, "2\n", "44\n", "error 6\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := appendTo(t.Context(), t, s, "selections/"+strings.ReplaceAll(name, " ", "-"))
			f := follow(s, a.first.GetPath())
			c.req.Path = a.first.GetPath()
			f.req = c.req
			if name == "everything" {
				f.req.Selection = &pb.ReadArtifactRequest_Bytes{Bytes: &pb.ByteRange{}}
			}
			at := 0
			more := func(text string) {
				t.Helper()
				a.send(t, logData(text), logSync)
				at += len(text)
				a.untilDurable(t, at)
			}
			want := func(text string, live bool) {
				t.Helper()
				f.data = ""
				f.read(t)
				if f.data != text || f.last.GetLive() != live || f.last.GetTotalBytes() != uint64(at) {
					t.Errorf("%q, live %v, %d bytes; want %q", f.data, f.last.GetLive(), f.last.GetTotalBytes(), text)
				}
			}
			more("1\n2\n3\n4")
			want(c.first, true)
			want("", true)
			more("4\n5\nerror 6")
			want(c.then, true)
			more("\n7\n")
			if got := a.finish(t); got.GetArtifact() == nil {
				t.Fatal("it was not finished")
			}
			want(c.last, false)
		})
	}
}

// A delta costs what is new, however long the log is.
func TestDeltaDoesNotScan(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	a := appendTo(t.Context(), t, s, "long")
	const size = 64 << 20
	line := strings.Repeat("x", 1023) + "\n"
	for range size / (256 << 10) {
		a.send(t, logData(strings.Repeat(line, 256)))
	}
	a.send(t, logSync)
	a.untilDurable(t, size)
	f := &follower{c: pb.NewArtifactServiceClient(s.conn), req: &pb.ReadArtifactRequest{
		Path: a.first.GetPath(), Selection: &pb.ReadArtifactRequest_Tail{Tail: &pb.TailLines{Lines: 1}},
	}}
	before := bytesRead(t, s)
	f.read(t)
	a.send(t, logData("new\n"), logSync)
	a.untilDurable(t, size+4)
	f.read(t)
	if cost := bytesRead(t, s) - before; f.data != line+"new\n" || cost > 4<<20 {
		t.Errorf("%q; %d bytes were read", f.data, cost)
	}
	// With nobody writing, after a crash: once over all of it, and no more.
	s.Signal(syscall.SIGKILL)
	s.Wait()
	next := startSidecar(t, launch{Socket: s.Socket, Store: s.Store})
	f.c, f.data = pb.NewArtifactServiceClient(next.conn), ""
	f.read(t)
	if once := bytesRead(t, next); once < size || once > 2*size {
		t.Errorf("the first read cost %d bytes", once)
	}
	before = bytesRead(t, next)
	for range 10 {
		f.read(t)
	}
	if cost := bytesRead(t, next) - before; f.data != "" || cost > 8<<20 {
		t.Errorf("%q; %d bytes were read", f.data, cost)
	}
}

// bytesRead is how much the process has read by system calls.
func bytesRead(t testing.TB, s *sidecar) int {
	t.Helper()
	return processNumber(t, s, "io", "rchar:")
}

func processNumber(t testing.TB, s *sidecar, file, field string) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.PID(), file))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), field)
	if !found {
		t.Fatalf("%s has no %s", file, field)
	}
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Memory does not grow with a log, also when its client never reads an answer.
func TestLogMemory(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Args: []string{"--log-sync=10ms"}})
	a := appendTo(t.Context(), t, s, "endless")
	chunk := logData(strings.Repeat("a line of a log without end\n", 256<<10/28))
	send := func(n int) {
		for range n {
			a.send(t, chunk)
		}
	}
	send(256) // 64 MiB
	before := processNumber(t, s, "status", "VmHWM:")
	send(768)
	after := processNumber(t, s, "status", "VmHWM:")
	if grown := after - before; grown > 48<<10 && !raceDetector {
		t.Errorf("%d KiB, then %d KiB", before, after)
	}
	if last := a.finish(t); last.GetArtifact().GetBytes() != uint64(1024*len(chunk.GetData())) {
		t.Errorf("the last answer is %v", last)
	}
}

// A client that is killed leaves the log, and another goes on with it.
func TestKilledClientOfALog(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Args: []string{"--log-sync=0s"}})
	cmd := exec.Command(binary, "artifacts", "append", "--server", "unix://"+s.Socket, "--session=session", "--call=killed")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := &output{}
	cmd.Env, cmd.Stderr = environment(t), stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	text := counted(1000) + "half a li"
	if _, err := io.WriteString(in, text); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the path", func() bool { return strings.HasSuffix(stderr.String(), "\n") })
	f := follow(s, strings.TrimSpace(stderr.String()))
	waitFor(t, "the log", func() bool { f.read(t); return f.data == text })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	_ = in.Close()
	waitFor(t, "the log to be free", func() bool {
		c, err := pb.NewArtifactServiceClient(s.conn).AppendLog(t.Context())
		if err == nil {
			err = c.Send(logHeader("session", "killed", "", uint64(len(text))))
		}
		if err != nil {
			t.Fatal(err)
		}
		first, err := c.Recv()
		if err != nil {
			wantRefusal(t, err, codes.Aborted, "LOG_BUSY", "")
			return false
		}
		if first.GetReceivedBytes() != uint64(len(text)) || first.GetDurableBytes() != uint64(len(text)) {
			t.Errorf("the log goes on from %v", first)
		}
		(&appender{c, first}).send(t, logData("ne\n"))
		if last := (&appender{c, first}).finish(t); last.GetArtifact() == nil {
			t.Errorf("the last answer is %v", last)
		}
		return true
	})
	wantFollowed(t, f, text+"ne\n", false)
}

// A sidecar that is killed loses nothing that it answered, and the log goes on.
func TestKilledSidecarOfALog(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Args: []string{"--log-sync=5ms"}})
	want := ""
	var f *follower
	for round := range 4 {
		a := appendTo(t.Context(), t, s, "survives")
		at := int(a.first.GetReceivedBytes())
		if round > 0 && (at > len(want) || f.last.GetTotalBytes() > uint64(at)) {
			t.Fatalf("the log goes on from %d, after %d that were read", at, f.last.GetTotalBytes())
		}
		want = want[:at] // what nobody answered for is sent again, or other things
		if f == nil {
			f = follow(s, a.first.GetPath())
		}
		f.c = pb.NewArtifactServiceClient(s.conn)
		wantFollowed(t, f, want, true)
		for i := range 60 {
			part := fmt.Sprintf("round %d, part %d %s\n", round, i, strings.Repeat("x", 100*i))
			want += part
			a.send(t, logData(part))
		}
		a.send(t, logSync)
		durable := int(a.untilDurable(t, len(want)).GetDurableBytes())
		for i := range 60 { // some of this may be lost
			part := fmt.Sprintf("after part %d of round %d\n", i, round)
			want += part
			a.send(t, logData(part))
		}
		f.read(t)
		if f.data != want[:len(f.data)] {
			t.Fatal("what was followed is not what was sent")
		}
		s.Signal(syscall.SIGKILL)
		s.Wait()
		if content, err := os.ReadFile(a.first.GetPath()); err != nil || len(content) < durable || !strings.HasPrefix(want, string(content)) {
			t.Fatalf("%d bytes of %d durable ones are there, %v", len(content), durable, err)
		}
		s = startSidecar(t, launch{Socket: s.Socket, Store: s.Store, Args: []string{"--log-sync=5ms"}})
	}
	a := appendTo(t.Context(), t, s, "survives")
	want = want[:a.first.GetReceivedBytes()]
	if a.finish(t).GetArtifact().GetBytes() != uint64(len(want)) {
		t.Error("the artifact has another size")
	}
	f.c = pb.NewArtifactServiceClient(s.conn)
	wantFollowed(t, f, want, false)
}

// SIGTERM ends an open call in good order: what came is durable, and the client is told.
func TestTerminationWithAnOpenLog(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Args: []string{"--log-sync=0s", "--shutdown-timeout=20s"}})
	a := appendTo(t.Context(), t, s, "open")
	a.send(t, logData("came before the end\n"))
	f := follow(s, a.first.GetPath())
	waitFor(t, "the data", func() bool { f.read(t); return f.data != "" })
	if code := s.Terminate(); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.Log)
	}
	if strings.Contains(s.Log.String(), "were cut") {
		t.Errorf("the call was cut:\n%s", s.Log)
	}
	durable := uint64(0)
	for {
		answer, err := a.Recv()
		if err != nil {
			wantRefusal(t, err, codes.Unavailable, "DRAINING", "")
			break
		}
		durable = answer.GetDurableBytes()
	}
	if durable != uint64(len(f.data)) {
		t.Errorf("%d bytes were durable at the end", durable)
	}
	next := startSidecar(t, launch{Socket: s.Socket, Store: s.Store})
	if first := appendTo(t.Context(), t, next, "open").first; first.GetReceivedBytes() != durable || first.GetDurableBytes() != durable {
		t.Errorf("the log goes on from %v", first)
	}
}

// A call that ends without a finish is answered once more.
func TestLogThatIsLeft(t *testing.T) {
	t.Parallel()
	for name, store := range map[string]string{"on disk": "", "in memory": "memory"} {
		s := startSidecar(t, launch{Store: store, Args: []string{"--log-sync=0s"}})
		for round := 1; round <= 3; round++ {
			a := appendTo(t.Context(), t, s, "left")
			a.send(t, logData("abc"))
			if err := a.CloseSend(); err != nil {
				t.Fatal(err)
			}
			last := a.first
			for {
				answer, err := a.Recv()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				last = answer
			}
			want := uint64(3 * round)
			if durable := last.GetDurableBytes(); last.GetReceivedBytes() != want || durable != want && store == "" || durable != 0 && store != "" {
				t.Errorf("%s, call %d: %v", name, round, last)
			}
		}
	}
}

// The command line writes logs, and follows them.
func TestAppendAndFollow(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	in, feed := io.Pipe()
	stderr, stdout := &output{}, &output{}
	appending := exec.Command(binary, "artifacts", "append", "--server", "unix://"+s.Socket, "--session=session", "--call=cli", "--name=build")
	appending.Env, appending.Stdin, appending.Stderr = environment(t), in, stderr
	if err := appending.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the path", func() bool { return strings.HasSuffix(stderr.String(), "\n") })
	path := strings.TrimSpace(stderr.String())
	following := exec.Command(binary, "artifacts", "read", "--follow", "--server", "unix://"+s.Socket, path)
	following.Env, following.Stdout, following.Stderr = environment(t), stdout, stderr
	if err := following.Start(); err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, part := range []string{"first\n", "second, in ", "two parts\n", counted(300_000)} {
		text += part
		if _, err := io.WriteString(feed, part); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "what was appended", func() bool { return stdout.String() == text })
	}
	page := mustCLI(t, environment(t), nil, "artifacts", "read", "--server", "unix://"+s.Socket, "--tail=1", path)
	if page != "300000\n" {
		t.Errorf("the tail is %q", page)
	}
	_ = feed.Close()
	if err := errors.Join(appending.Wait(), following.Wait()); err != nil {
		t.Errorf("%v\n%s", err, stderr)
	}
	if content, err := os.ReadFile(path); err != nil || !bytes.Equal(content, []byte(text)) {
		t.Errorf("%d bytes, %v", len(content), err)
	}
}

// appends sends messages, and returns how the call ended.
func appends(messages ...*pb.AppendLogRequest) func(*testing.T, *sidecar) error {
	return func(t *testing.T, s *sidecar) error {
		call, err := pb.NewArtifactServiceClient(s.conn).AppendLog(t.Context())
		if err != nil {
			return err
		}
		for _, m := range messages {
			if err := call.Send(m); err != nil {
				break // the answer says why
			}
		}
		if err := call.CloseSend(); err != nil {
			return err
		}
		for {
			if _, err := call.Recv(); err != nil {
				if errors.Is(err, io.EOF) {
					return nil
				}
				return err
			}
		}
	}
}

// appendingTo is a log of a store that is broken.
func appendingTo(broken func(*testing.T, func(*sidecar)) *sidecar) func(*testing.T, *sidecar) error {
	return func(t *testing.T, _ *sidecar) error {
		s := broken(t, func(s *sidecar) { s.project(t, completed(0, "")) }) // so that there is a connection
		return appends(logHeader("session", "broken", "", 0), logData(strings.Repeat(canary, 1000)))(t, s)
	}
}

// logProvocations has a row for every refusal that AppendLog lists.
func logProvocations() []provocation {
	var list []provocation
	add := func(code, reason, field string, run func(*testing.T, *sidecar) error) {
		list = append(list, provocation{listed{"AppendLog", code, reason}, field, run})
	}
	add("INVALID_ARGUMENT", "FIELD_MISSING", "header.call.session_id", appends(logHeader("", "c", "", 0)))
	add("INVALID_ARGUMENT", "FIELD_MISSING", "header.call.call_id", appends(logHeader("s", "", "", 0)))
	add("INVALID_ARGUMENT", "NAME_INVALID", "header.call.session_id", appends(logHeader("../"+canary, "c", "", 0)))
	add("INVALID_ARGUMENT", "NAME_INVALID", "header.call.call_id", appends(logHeader("s", canary+"\n", "", 0)))
	add("INVALID_ARGUMENT", "NAME_INVALID", "header.name", appends(logHeader("s", "c", ".", 0)))
	add("INVALID_ARGUMENT", "FIELD_TOO_LONG", "header.require_set", appends(requiringOf("s", strings.Repeat("x", 129))))
	add("FAILED_PRECONDITION", "SECRETS_UNKNOWN", "", appends(requiringOf("s", "a-set-of-another-start")))
	add("INVALID_ARGUMENT", "STREAM_ORDER", "message", appends())
	add("INVALID_ARGUMENT", "STREAM_ORDER", "message", appends(logData(canary)))
	add("INVALID_ARGUMENT", "STREAM_ORDER", "message", appends(logHeader("s", "order", "", 0), logHeader("s", "order", "", 0)))
	add("INVALID_ARGUMENT", "STREAM_ORDER", "message", appends(logHeader("s", "nothing", "", 0), &pb.AppendLogRequest{}))
	add("FAILED_PRECONDITION", "LOG_OFFSET_MISMATCH", "", atAnotherPosition)
	add("FAILED_PRECONDITION", "LOG_FINISHED", "", afterTheFinish)
	add("ABORTED", "LOG_BUSY", "", whileAnotherAppends)
	add("RESOURCE_EXHAUSTED", "QUOTA_STORE", "", appendsOver("--store-quota=1KiB"))
	add("RESOURCE_EXHAUSTED", "QUOTA_SESSION", "", appendsOver("--session-quota=1KiB"))
	add("RESOURCE_EXHAUSTED", "DISK_FULL", "", appendingTo(onFullDisk))
	add("RESOURCE_EXHAUSTED", "FD_LIMIT", "", appendingTo(withoutDescriptors))
	add("RESOURCE_EXHAUSTED", "ARTIFACT_TOO_LARGE", "", appendingTo(withSmallFiles))
	add("FAILED_PRECONDITION", "STORE_READ_ONLY", "", appendingTo(withReadOnlyLogs))
	add("INTERNAL", "STORE_FAILED", "", appendingTo(withoutDirectoryOfLogs))
	return list
}

// requiringOf is the header of a log that is not kept without a set of registered values.
func requiringOf(session, set string) *pb.AppendLogRequest {
	m := logHeader(session, "requires", "", 0)
	m.GetHeader().RequireSet = set
	return m
}

// appendsOver appends more than a quota has room for, and finishes.
func appendsOver(quota string) func(*testing.T, *sidecar) error {
	return func(t *testing.T, _ *sidecar) error {
		t.Helper()
		finish := &pb.AppendLogRequest{Message: &pb.AppendLogRequest_Finish{Finish: &pb.LogFinish{}}}
		return appends(logHeader("s", "c", "", 0), logData(counted(1000)), finish)(t, startSidecar(t, launch{Args: []string{quota}}))
	}
}

func atAnotherPosition(t *testing.T, s *sidecar) error {
	err := appends(logHeader("s", "never-there", "", 7), logData(canary))(t, s)
	if r := wantRefusal(t, err, codes.FailedPrecondition, "LOG_OFFSET_MISMATCH", ""); r.metadata["received_bytes"] != "0" {
		t.Errorf("the metadata is %v", r.metadata)
	}
	if err := appends(logHeader("s", "position", "", 0), logData("12345"))(t, s); err != nil {
		t.Error(err)
	}
	if err := appends(logHeader("s", "position", "", 5))(t, s); err != nil {
		t.Error(err)
	}
	err = appends(logHeader("s", "position", "", 4), logData(canary))(t, s)
	if r := refusalOf(t, err); r.metadata["received_bytes"] != "5" {
		t.Errorf("the metadata is %v", r.metadata)
	}
	return err
}

func afterTheFinish(t *testing.T, s *sidecar) error {
	if err := appends(logHeader("s", "finished", "", 0), logData("12345"), logFinish)(t, s); err != nil {
		t.Error(err)
	}
	return appends(logHeader("s", "finished", "", 5), logData(canary))(t, s)
}

func whileAnotherAppends(t *testing.T, s *sidecar) error {
	a := appendTo(t.Context(), t, s, "busy")
	a.send(t, logData("first"))
	err := appends(logHeader("session", "busy", "", 0), logData("second"))(t, s)
	if err := appends(logHeader("session", "busy", "other", 0), logData("second"))(t, s); err != nil {
		t.Errorf("another log of the call: %v", err)
	}
	if last := a.finish(t); last.GetArtifact().GetBytes() != 5 {
		t.Errorf("the first writer was answered %v", last)
	}
	return err
}

func withReadOnlyLogs(t *testing.T, healthy func(*sidecar)) *sidecar {
	t.Helper()
	store := filepath.Join(t.TempDir(), "store")
	t.Run("the store is made", func(t *testing.T) { startSidecar(t, launch{Store: store}) })
	live := filepath.Join(store, "live")
	if err := os.Mkdir(live, 0o700); err != nil {
		t.Fatal(err)
	}
	mountAt(t, live, "ro,mode=0700")
	s := startSidecar(t, launch{Store: store})
	healthy(s)
	return s
}

func withoutDirectoryOfLogs(t *testing.T, healthy func(*sidecar)) *sidecar {
	t.Helper()
	s := startSidecar(t, launch{})
	healthy(s)
	if err := os.WriteFile(filepath.Join(s.Store, "live"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// What durable bytes are missing from is damaged, and says so.
func TestDamagedLog(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	a := appendTo(t.Context(), t, s, "damaged")
	a.send(t, logData(counted(1000)), logSync)
	a.untilDurable(t, 1)
	s.Signal(syscall.SIGKILL)
	s.Wait()
	if err := os.Truncate(a.first.GetPath(), 100); err != nil {
		t.Fatal(err)
	}
	next := startSidecar(t, launch{Socket: s.Socket, Store: s.Store})
	_, err := pb.NewArtifactServiceClient(next.conn).ReadArtifact(t.Context(), &pb.ReadArtifactRequest{Path: a.first.GetPath()})
	wantRefusal(t, err, codes.DataLoss, "ARTIFACT_CORRUPT", "")
	err = appends(logHeader("session", "damaged", "", 0), logData(canary))(t, next)
	wantRefusal(t, err, codes.Internal, "STORE_FAILED", "")
	if content, err := os.ReadFile(a.first.GetPath()); err != nil || len(content) != 100 {
		t.Errorf("the evidence has %d bytes, %v", len(content), err)
	}
}
