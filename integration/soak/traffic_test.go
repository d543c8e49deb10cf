//go:build linux

package soak_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/zeebo/blake3"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
)

// kind is one kind of call.
type kind struct {
	name    string
	weight  int
	make    func(c *client, ctx context.Context) error
	reasons string // of refusals that it may get
	gives   bool   // the client itself gives up, so that gRPC may answer in place of the server
}

// kinds is the mix. Every kind may also find the server busy (IN_FLIGHT_BYTES).
func kinds() []kind {
	return []kind{
		{"Project", 480, (*client).project, "BUDGET_TOO_SMALL", false},
		{"Project, large", 25, (*client).projectLarge, "BUDGET_TOO_SMALL", false},
		{"ProjectStream", 90, (*client).projectStream, "BUDGET_TOO_SMALL", false},
		{"ProjectStream, huge", 1, (*client).projectHuge, "", false},
		{"ProjectStream, abandoned", 20, (*client).abandon, "CLIENT_CANCELLED", true},
		{"ProjectTurn", 20, (*client).projectTurn, "BUDGET_TOO_SMALL", false},
		{"ReadArtifact", 130, (*client).read, "", false},
		{"ListArtifacts", 40, (*client).list, "", false},
		{"Render", 50, (*client).render, "BUDGET_TOO_SMALL", false},
		{"Compact", 50, (*client).compact, "", false},
		{"GetServerInfo", 10, (*client).info, "", false},
		{"invalid", 40, (*client).invalid, "ENVELOPE_EXCLUSIVITY FIELD_MISSING FIELD_OUT_OF_BOUNDS PATH_OUTSIDE_STORE ARTIFACT_NOT_FOUND FAMILY_UNKNOWN STREAM_ORDER CHUNK_ORDER MESSAGE_TOO_LARGE NAME_INVALID", false},
		{"deadline too short", 20, (*client).hurried, "DEADLINE BUDGET_TOO_SMALL", true},
		{"cancelled", 24, (*client).cancelled, "CLIENT_CANCELLED", true},
	}
}

// everywhere are reasons that any call may get, of clients that are stopped for longer than the server waits.
const (
	everywhere = " IN_FLIGHT_BYTES "
	whenFrozen = " STREAM_IDLE DEADLINE CLIENT_CANCELLED "
)

// patienceOfCalls is the deadline of a usual call.
const patienceOfCalls = 30 * time.Second

// client makes calls, one after the other.
type client struct {
	pb.ToolResultServiceClient
	artifacts pb.ArtifactServiceClient
	conn      *grpc.ClientConn
	rng       *rand.Rand
	tally     *tally
	kinds     []kind
	weights   int
	name      string
	frozen    bool // it may be stopped at any time
	calls     int
	known     []stored                  // artifacts, the latest last
	results   []*pb.CanonicalToolResult // likewise
}

// stored is an artifact that an answer named.
type stored struct {
	path, digest string
	bytes        int
	at           time.Time
}

func newClient(socket, name string, seed uint64) (*client, error) {
	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithUnaryInterceptor(noteUnary), grpc.WithStreamInterceptor(noteStream))
	if err != nil {
		return nil, err
	}
	c := &client{
		ToolResultServiceClient: pb.NewToolResultServiceClient(conn), artifacts: pb.NewArtifactServiceClient(conn), conn: conn,
		rng: rand.New(rand.NewPCG(seed, 8)), tally: newTally(), kinds: kinds(), name: name,
	}
	for _, k := range c.kinds {
		c.weights += k.weight
	}
	return c, nil
}

// one makes a call of a random kind.
func (c *client) one(ctx context.Context) {
	n := c.rng.IntN(c.weights)
	i := 0
	for ; n >= c.kinds[i].weight; i++ {
		n -= c.kinds[i].weight
	}
	c.make(ctx, &c.kinds[i])
}

func (c *client) make(ctx context.Context, k *kind) {
	c.calls++
	ctx, cancel := context.WithTimeout(ctx, patienceOfCalls)
	defer cancel()
	began, named := time.Now(), head{}
	err := k.make(c, withHead(ctx, &named))
	c.judge(k, err, time.Since(began))
	if named.Sequence > 0 {
		c.tally.Records++
		c.tally.Head = c.tally.Head.later(named)
	}
}

// judge counts an answer, and says when it should not be.
func (c *client) judge(k *kind, err error, took time.Duration) {
	st, isStatus := status.FromError(err)
	if err == nil {
		c.tally.call(k.name, "OK", took)
		return
	}
	var info *errdetails.ErrorInfo
	for _, d := range st.Details() {
		if i, ok := d.(*errdetails.ErrorInfo); ok {
			info = i
		}
	}
	if info == nil {
		if !isStatus || !c.mayBeOfGRPC(k, st) {
			c.tally.bad("%s of %s: %v", k.name, c.name, err)
		}
		c.tally.call(k.name, st.Code().String()+" by gRPC", took)
		return
	}
	c.tally.call(k.name, st.Code().String()+" "+info.GetReason(), took)
	allowed := k.reasons + everywhere
	if c.frozen {
		allowed += whenFrozen
	}
	_, inContract := pb.ErrorReason_value["ERROR_REASON_"+info.GetReason()]
	if info.GetDomain() != apierror.Domain || !inContract || !slices.Contains(strings.Fields(allowed), info.GetReason()) {
		c.tally.bad("%s of %s: %v, reason %q of %q", k.name, c.name, err, info.GetReason(), info.GetDomain())
	}
}

// mayBeOfGRPC reports whether gRPC may have answered in place of the server: where the
// client gave up or was stopped, and for a message that is so large that nobody reads it.
func (c *client) mayBeOfGRPC(k *kind, st *status.Status) bool {
	switch st.Code() {
	case codes.Canceled, codes.DeadlineExceeded:
		return k.gives || c.frozen
	case codes.Unavailable:
		return c.frozen
	case codes.ResourceExhausted:
		return k.name == "invalid" && strings.HasPrefix(st.Message(), "grpc: received message larger than max")
	}
	return false
}

// pool is text of logs, of which payloads are cut.
var pool = func() []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < 2<<20; i++ {
		switch i % 7 {
		case 3:
			fmt.Fprintf(&b, "src/mod_%d.rs:%d:9: warning: unused variable `x%d`\n", i%91, i%400, i)
		case 5:
			fmt.Fprintf(&b, "\x1b[32mok\x1b[0m   example.com/pkg/%d\t0.%03ds\n", i%300, i%1000)
		default:
			fmt.Fprintf(&b, "--- PASS: TestParse/case_%d (0.0%ds)\n", i, i%9)
		}
	}
	return b.Bytes()
}()

// text is text that no other call has.
func (c *client) text(size int) []byte {
	head := fmt.Sprintf("call %d of %s\n", c.calls, c.name)
	from := c.rng.IntN(1 << 20)
	if rest := size - len(head); rest > 0 {
		return append([]byte(head), pool[from:from+min(rest, 1<<20)]...)
	}
	return []byte(head)
}

// size is 0.1 to 8 KiB.
func (c *client) size() int { return 100 + c.rng.IntN(1<<(7+c.rng.IntN(7))) }

// callsOfSession is how many calls a session has.
const callsOfSession = 100

func (c *client) session() string { return fmt.Sprintf("%s-%d", c.name, c.calls/callsOfSession) }

func (c *client) reference() *pb.CallReference {
	return &pb.CallReference{SessionId: c.session(), CallId: fmt.Sprintf("call_%d", c.calls)}
}

func (c *client) policy() *pb.ProjectionPolicy {
	return &pb.ProjectionPolicy{
		Render: &pb.RenderPolicy{
			Budget:          &pb.Budget{MaxTokens: []uint32{0, 0, 30, 200, 600}[c.rng.IntN(5)]},
			TokenVocabulary: pb.TokenVocabulary(c.rng.IntN(4)),
		},
		ArtifactPolicy: pb.ArtifactPolicy(c.rng.IntN(3)),
	}
}

func inline(content []byte) *pb.Payload {
	return &pb.Payload{Source: &pb.Payload_Inline{Inline: content}}
}

func command(stdout *pb.Payload, exit int32) *pb.CompleteToolOutput {
	return success("ExecCommand", &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
		Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(exit), Stdout: stdout, CommandLine: "cargo build",
	}})
}

func success(tool string, result any) *pb.CompleteToolOutput {
	out := &pb.CompleteToolOutput{ToolName: tool, Status: pb.ToolStatus_TOOL_STATUS_SUCCESS}
	switch r := result.(type) {
	case *pb.CompleteToolOutput_Command:
		out.Result = r
	case *pb.CompleteToolOutput_FileRead:
		out.Result = r
	case *pb.CompleteToolOutput_Search:
		out.Result = r
	case *pb.CompleteToolOutput_TaskOutput:
		out.Result = r
	case *pb.CompleteToolOutput_ExternalJson:
		out.Result = r
	}
	return out
}

// output is of one of several families, and has text of some size.
func (c *client) output(content []byte) *pb.CompleteToolOutput {
	switch c.rng.IntN(10) {
	case 0:
		return success("ReadFile", &pb.CompleteToolOutput_FileRead{FileRead: &pb.FileReadOutput{Path: "src/main.go", Content: inline(content)}})
	case 1:
		hits := []*pb.SearchHit{}
		for i, line := range strings.SplitN(string(content), "\n", 12) {
			hits = append(hits, &pb.SearchHit{Path: fmt.Sprintf("src/%d.go", i%4), Line: uint64(i + 1), Text: line[:min(len(line), 500)]})
		}
		return success("Search", &pb.CompleteToolOutput_Search{Search: &pb.SearchOutput{Query: "case", Matches: hits}})
	case 2:
		return success("TaskOutput", &pb.CompleteToolOutput_TaskOutput{TaskOutput: &pb.TaskOutputOutput{
			RetrievalStatus: pb.TaskRetrieval_TASK_RETRIEVAL_SUCCESS, Output: inline(content),
			Task: &pb.TaskSnapshot{TaskId: "task_1", Status: pb.TaskStatus_TASK_STATUS_RUNNING},
		}})
	case 3:
		rows := strings.Repeat(`{"id":1,"name":"a row","state":"open"},`, len(content)/40)
		text := fmt.Sprintf(`{"call":"%d of %s","rows":[%snull]}`, c.calls, c.name, rows)
		return success("Fetch", &pb.CompleteToolOutput_ExternalJson{ExternalJson: &pb.ExternalJsonOutput{Server: "rows", Result: inline([]byte(text))}})
	case 4:
		return &pb.CompleteToolOutput{ToolName: "ReadFile", Status: pb.ToolStatus_TOOL_STATUS_ERROR, Error: &pb.CompleteToolError{
			Kind: "file_not_found", Message: inline([]byte("there is no such file")), Details: inline(fmt.Appendf(nil, `{"call":%d}`, c.calls)),
		}}
	}
	return command(inline(content), int32(c.rng.IntN(3)))
}

func (c *client) project(ctx context.Context) error { return c.projects(ctx, c.size()) }

// projectLarge has 64 KiB to 1 MiB.
func (c *client) projectLarge(ctx context.Context) error {
	return c.projects(ctx, 1<<16+c.rng.IntN(1<<20-1<<16))
}

func (c *client) projects(ctx context.Context, size int) error {
	content := c.text(size)
	out := c.output(content)
	c.tally.Bytes += int64(len(content))
	resp, err := c.Project(ctx, &pb.ProjectRequest{Output: out, Policy: c.policy(), Call: c.reference()})
	if err == nil {
		c.answered(resp, content)
	}
	return err
}

func (c *client) projectTurn(ctx context.Context) error {
	req := &pb.ProjectTurnRequest{TotalTokens: 3000}
	for range 1 + c.rng.IntN(4) {
		req.Outputs = append(req.Outputs, &pb.ProjectRequest{Output: c.output(c.text(c.size())), Call: c.reference()})
	}
	_, err := c.ProjectTurn(ctx, req)
	return err
}

// answered remembers what an answer names. Of a command's text the digest is known.
func (c *client) answered(resp *pb.ProjectResponse, content []byte) {
	digest := blake3.Sum256(content)
	c.remember(resp, len(content), digest[:])
}

func (c *client) remember(resp *pb.ProjectResponse, size int, digest []byte) {
	c.results = keepLast(append(c.results, resp.GetCanonical()), 8)
	r := resp.GetCanonical().GetCommand()
	if r == nil || r.StdoutArtifact == nil {
		return
	}
	c.tally.Stored++
	written := r.GetStdoutArtifact()
	// Two cut sequences of a terminal side by side may move the cursor: a display is stored beside the text that was sent.
	if source := r.GetStdoutSource(); source != nil && source.OriginalArtifact != nil {
		written = source.GetOriginalArtifact()
	}
	c.known = keepLast(append(c.known, stored{
		path: r.GetArtifacts()[written].GetPath(), digest: fmt.Sprintf("blake3:%x", digest), bytes: size, at: time.Now(),
	}), 32)
}

func keepLast[T any](list []T, n int) []T {
	if len(list) > n {
		return slices.Delete(list, 0, len(list)-n)
	}
	return list
}

const chunkSize = 64 << 10

// upload is a ProjectStream call with its header sent. What cannot be sent is for Recv to explain.
func (c *client) upload(ctx context.Context, policy *pb.ProjectionPolicy, keep bool) (grpc.BidiStreamingClient[pb.ProjectStreamRequest, pb.ProjectStreamResponse], error) {
	call, err := c.ProjectStream(ctx)
	if err != nil {
		return nil, err
	}
	header := &pb.StreamHeader{Family: "command", Streams: []string{"stdout"}, Policy: policy, Call: c.reference(), KeepOrder: c.rng.IntN(2) == 0}
	if keep {
		header.OnAbort = pb.AbortPolicy_ABORT_POLICY_KEEP
	}
	_ = call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{Header: header}})
	return call, nil
}

func chunk(data []byte) *pb.ProjectStreamRequest {
	return &pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Chunk{Chunk: &pb.StreamChunk{Stream: "stdout", Data: data}}}
}

// streams sends size bytes in chunks and returns the result.
func (c *client) streams(ctx context.Context, policy *pb.ProjectionPolicy, size, chunkSize int) error {
	call, err := c.upload(ctx, policy, c.rng.IntN(2) == 0)
	if err != nil {
		return err
	}
	digest := blake3.New()
	sent := 0
	for first := true; sent < size; first = false {
		data := pool[c.rng.IntN(1<<20):][:min(chunkSize, size-sent)]
		if first {
			data = c.text(min(chunkSize, size))
		}
		if call.Send(chunk(data)) != nil {
			break
		}
		_, _ = digest.Write(data)
		sent += len(data)
	}
	_ = call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Finish{Finish: &pb.StreamFinish{
		Output: command(&pb.Payload{Source: &pb.Payload_Stream{Stream: "stdout"}}, 0), StreamBytes: map[string]uint64{"stdout": uint64(sent)},
	}}})
	_ = call.CloseSend()
	for {
		resp, err := call.Recv()
		if err != nil {
			return err
		}
		if r := resp.GetResult(); r != nil {
			c.tally.Bytes += int64(sent)
			c.remember(r, sent, digest.Sum(nil))
			if _, err := call.Recv(); !errors.Is(err, io.EOF) {
				return err
			}
			return nil
		}
	}
}

func (c *client) projectStream(ctx context.Context) error {
	return c.streams(ctx, c.policy(), 1<<(10+c.rng.IntN(8))+c.rng.IntN(1000), 1<<(9+c.rng.IntN(8)))
}

// projectHuge has 16 to 64 MiB.
func (c *client) projectHuge(ctx context.Context) error {
	return c.streams(ctx, nil, 16<<20+c.rng.IntN(48<<20), chunkSize)
}

// abandon begins an upload and goes away.
func (c *client) abandon(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	call, err := c.upload(ctx, c.policy(), c.rng.IntN(2) == 0)
	if err != nil {
		return err
	}
	for range c.rng.IntN(6) {
		_ = call.Send(chunk(c.text(c.size())))
	}
	time.Sleep(time.Duration(c.rng.IntN(3000)) * time.Microsecond)
	cancel()
	_, err = call.Recv()
	return err
}

// pageSize is the most that one page has.
const pageSize = 3 << 20

// read reads an artifact that an answer named: whole, with its digest, or a part of it.
func (c *client) read(ctx context.Context) error {
	if len(c.known) == 0 {
		return c.list(ctx)
	}
	a := c.known[c.rng.IntN(len(c.known))]
	req := &pb.ReadArtifactRequest{Path: a.path}
	switch n := c.rng.IntN(8); {
	case n < 4 && a.bytes < 4<<20:
		return c.readWhole(ctx, a)
	case n == 4:
		req.Selection = &pb.ReadArtifactRequest_Tail{Tail: &pb.TailLines{Lines: uint64(1 + c.rng.IntN(50))}}
	case n == 5:
		req.Selection = &pb.ReadArtifactRequest_Match{Match: &pb.MatchingLines{Pattern: "case_[0-9]*7 "}}
	case n == 6:
		req.Selection = &pb.ReadArtifactRequest_Bytes{Bytes: &pb.ByteRange{Start: uint64(c.rng.IntN(a.bytes + 1))}}
	}
	resp, err := c.artifacts.ReadArtifact(ctx, req)
	switch {
	case status.Code(err) == codes.OutOfRange || c.expired(a, err):
		return nil
	case err == nil && resp.GetDigest() != a.digest:
		c.tally.bad("%s has the digest %s, and %s was sent", a.path, resp.GetDigest(), a.digest)
	}
	c.tally.Slices++
	return err
}

// expired reports whether an artifact is gone because its time was over, as the settings have it.
func (c *client) expired(a stored, err error) bool {
	return status.Code(err) == codes.FailedPrecondition && time.Since(a.at) > leaseOfSessions
}

func (c *client) readWhole(ctx context.Context, a stored) error {
	digest, err := readAll(ctx, c.artifacts, a.path)
	switch {
	case c.expired(a, err):
		return nil
	case err == nil && digest != a.digest:
		c.tally.bad("%s is %s, and %s was sent", a.path, digest, a.digest)
	case err == nil:
		c.tally.Verified++
	}
	return err
}

// readAll reads an artifact page by page and returns the digest of what came.
func readAll(ctx context.Context, artifacts pb.ArtifactServiceClient, path string) (string, error) {
	digest := blake3.New()
	for req := (&pb.ReadArtifactRequest{Path: path, Budget: &pb.ReadBudget{MaxBytes: pageSize, MaxLines: 1_000_000}}); ; {
		page, err := artifacts.ReadArtifact(ctx, req)
		if err != nil {
			return "", err
		}
		_, _ = digest.Write(page.GetData())
		if page.GetComplete() {
			return fmt.Sprintf("blake3:%x", digest.Sum(nil)), nil
		}
		req.PageToken = page.GetNextPageToken()
	}
}

func (c *client) list(ctx context.Context) error {
	_, err := c.artifacts.ListArtifacts(ctx, &pb.ListArtifactsRequest{SessionId: c.session(), PageSize: 20})
	return err
}

func (c *client) render(ctx context.Context) error {
	if len(c.results) == 0 {
		return c.info(ctx)
	}
	_, err := c.Render(ctx, &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: c.results[c.rng.IntN(len(c.results))]}})
	return err
}

func (c *client) compact(ctx context.Context) error {
	entries := make([]*pb.CompactEntry, len(c.results))
	for i, r := range c.results {
		entries[i] = &pb.CompactEntry{Result: &pb.CompactEntry_Canonical{Canonical: r}}
	}
	_, err := c.Compact(ctx, &pb.CompactRequest{
		Entries: entries, SessionId: c.session(),
		Policy: &pb.CompactionPolicy{Level: pb.CompactionLevel(1 + c.rng.IntN(3)), PreviewTokens: uint32(16 + c.rng.IntN(300))},
	})
	return err
}

func (c *client) info(ctx context.Context) error {
	_, err := c.GetServerInfo(ctx, &pb.GetServerInfoRequest{})
	return err
}

// invalid makes a call that must be refused.
func (c *client) invalid(ctx context.Context) (err error) {
	switch c.rng.IntN(8) {
	case 0:
		_, err = c.Project(ctx, &pb.ProjectRequest{Output: &pb.CompleteToolOutput{ToolName: "x", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS}})
	case 1:
		_, err = c.Project(ctx, &pb.ProjectRequest{Output: command(inline(c.text(200)), 0), Policy: &pb.ProjectionPolicy{HeadPercent: new(uint32(101))}})
	case 2:
		_, err = c.artifacts.ReadArtifact(ctx, &pb.ReadArtifactRequest{Path: "/etc/shadow"})
	case 3:
		_, err = c.Render(ctx, &pb.RenderRequest{})
	case 4:
		_, err = c.Project(ctx, &pb.ProjectRequest{Output: command(inline(make([]byte, 4<<20+1<<c.rng.IntN(22))), 0)})
	case 5:
		_, err = c.Project(ctx, &pb.ProjectRequest{Output: command(inline(nil), 0), Call: &pb.CallReference{SessionId: "a session", CallId: "\n"}})
	default:
		call, err := c.ProjectStream(ctx)
		if err != nil {
			return err
		}
		if c.rng.IntN(2) == 0 {
			_ = call.Send(chunk(c.text(300)))
		} else {
			_ = call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{Header: &pb.StreamHeader{Family: "command"}}})
			_ = call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Chunk{Chunk: &pb.StreamChunk{Stream: "stdout", Data: []byte("x"), Offset: new(uint64(7))}}})
		}
		_ = call.CloseSend()
		_, err = call.Recv()
		return c.mustRefuse(err)
	}
	return c.mustRefuse(err)
}

func (c *client) mustRefuse(err error) error {
	if err == nil {
		c.tally.bad("an invalid call of %s is served", c.name)
	}
	return err
}

// hurried has a deadline that may be too short.
func (c *client) hurried(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(50+c.rng.IntN(5000))*time.Microsecond)
	defer cancel()
	return c.projects(ctx, 1<<(10+c.rng.IntN(9)))
}

// cancelled is given up while the server works on it.
func (c *client) cancelled(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := time.AfterFunc(time.Duration(c.rng.IntN(4000))*time.Microsecond, cancel)
	defer stop.Stop()
	if c.rng.IntN(2) == 0 {
		return c.streams(ctx, &pb.ProjectionPolicy{ArtifactPolicy: pb.ArtifactPolicy_ARTIFACT_POLICY_ALWAYS}, 1<<(14+c.rng.IntN(6)), 1<<12)
	}
	_, err := c.Project(ctx, &pb.ProjectRequest{Output: command(inline(c.text(1<<(12+c.rng.IntN(8)))), 0), Call: c.reference()})
	return err
}
