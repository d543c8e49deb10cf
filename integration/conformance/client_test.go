package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/sidecartest"
)

const grpcurlPath = "../../.bin/grpcurl"

// client calls the sidecar for one row and records what it called. Its first failure stays
// in err; after it every method does nothing and returns an empty answer.
type client struct {
	ctx    context.Context
	on     *sidecar
	conn   *grpc.ClientConn
	called []string
	err    error
}

func newClient(ctx context.Context, on *sidecar) (*client, error) {
	c := &client{ctx: ctx, on: on}
	var err error
	c.conn, err = grpc.NewClient("unix://"+on.Socket, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)),
		grpc.WithUnaryInterceptor(func(ctx context.Context, method string, req, resp any, conn *grpc.ClientConn, call grpc.UnaryInvoker, o ...grpc.CallOption) error {
			c.record("", method)
			return call(ctx, method, req, resp, conn, o...)
		}),
		grpc.WithStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, call grpc.Streamer, o ...grpc.CallOption) (grpc.ClientStream, error) {
			c.record("", method)
			return call(ctx, desc, conn, method, o...)
		}))
	return c, err
}

// record notes a call once.
func (c *client) record(by, what string) {
	if what = strings.TrimSpace(by + " " + path.Base(what)); !slices.Contains(c.called, what) {
		c.called = append(c.called, what)
	}
}

// fail keeps the first failure.
func (c *client) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// call makes a unary call, unless one failed before.
func call[Q, A any](c *client, method func(context.Context, Q, ...grpc.CallOption) (*A, error), req Q) *A {
	if c.err != nil {
		return new(A)
	}
	answer, err := method(c.ctx, req)
	if err != nil {
		c.fail(err)
		return new(A)
	}
	return answer
}

func (c *client) results() pb.ToolResultServiceClient { return pb.NewToolResultServiceClient(c.conn) }
func (c *client) artifacts() pb.ArtifactServiceClient { return pb.NewArtifactServiceClient(c.conn) }
func (c *client) audit() pb.AuditServiceClient        { return pb.NewAuditServiceClient(c.conn) }
func (c *client) transport() pb.TransportServiceClient {
	return pb.NewTransportServiceClient(c.conn)
}

// parse reads a message in protobuf's text form.
func parse[M proto.Message](c *client, text string, m M) M {
	if err := prototext.Unmarshal([]byte(text), m); err != nil {
		c.fail(fmt.Errorf("%w in %s", err, text))
	}
	return m
}

// answer is what Project answered, with the RFC's JSON read.
type answer struct {
	*pb.ProjectResponse
	json envelope
}

func (a answer) text() string { return a.GetReceipt().GetText() }

// project projects a request in protobuf's text form.
func (c *client) project(format string, args ...any) answer {
	req := parse(c, fmt.Sprintf(format, args...), &pb.ProjectRequest{})
	req.CanonicalForm = pb.CanonicalForm_CANONICAL_FORM_BOTH
	resp := call(c, c.results().Project, req)
	return answer{resp, c.envelope(resp.GetCanonicalJson())}
}

// refused makes a call that must be refused, and returns the reason and the field.
func (c *client) refused(format string, args ...any) string {
	if c.err != nil {
		return ""
	}
	_, err := c.results().Project(c.ctx, parse(c, fmt.Sprintf(format, args...), &pb.ProjectRequest{}))
	return reasonOf(err)
}

// reasonOf returns the reason of a refusal; of a call that was answered "answered".
func reasonOf(err error) string {
	if err == nil {
		return "answered"
	}
	for _, d := range status.Convert(err).Details() {
		if d, ok := d.(*errdetails.ErrorInfo); ok {
			return d.GetReason()
		}
	}
	return err.Error()
}

// render renders a canonical result.
func (c *client) render(r *pb.CanonicalToolResult) string {
	return call(c, c.results().Render, &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: r}}).GetReceipt().GetText()
}

// renderJSON renders a canonical result in the RFC's JSON.
func (c *client) renderJSON(text, family string) string {
	req := &pb.RenderRequest{Result: &pb.RenderRequest_CanonicalJson{CanonicalJson: text}, Family: family}
	return call(c, c.results().Render, req).GetReceipt().GetText()
}

// read reads all of an artifact.
func (c *client) read(path string) string {
	req := &pb.ReadArtifactRequest{Path: path, Budget: &pb.ReadBudget{MaxBytes: 3 << 20, MaxLines: 1000000}}
	return string(call(c, c.artifacts().ReadArtifact, req).GetData())
}

// compact compacts results and returns them all in their order: what changed, and the rest as
// it was.
func (c *client) compact(policy string, history ...*pb.CanonicalToolResult) ([]*pb.CompactedResult, *pb.CompactResponse) {
	req := &pb.CompactRequest{Policy: parse(c, policy, &pb.CompactionPolicy{}), CanonicalForm: pb.CanonicalForm_CANONICAL_FORM_BOTH}
	var all []*pb.CompactedResult
	for i, r := range history {
		req.Entries = append(req.Entries, &pb.CompactEntry{Result: &pb.CompactEntry_Canonical{Canonical: r}, CallId: fmt.Sprintf("call_%d", i)})
		all = append(all, &pb.CompactedResult{Index: uint32(i), Canonical: r})
	}
	resp := call(c, c.results().Compact, req)
	for _, r := range resp.GetResults() {
		all[r.GetIndex()] = r
	}
	return all, resp
}

// reduced compacts one result to a level, which must change it.
func (c *client) reduced(level string, r *pb.CanonicalToolResult) *pb.CompactedResult {
	all, resp := c.compact("level: COMPACTION_LEVEL_"+level+" preview_tokens: 64", r)
	if c.err == nil && len(resp.GetResults()) != 1 {
		c.fail(fmt.Errorf("the result did not change: %v", resp.GetPlan()))
	}
	return all[0]
}

// errNoGrpcurl is the failure of a row that needs grpcurl where it was not built.
var errNoGrpcurl = errors.New("needs " + grpcurlPath + "; make grpcurl builds it")

// grpcurl calls a method with a request in JSON and returns the answer, decoded.
func (c *client) grpcurl(method, request string) object {
	out := c.run(grpcurlPath, "grpcurl "+path.Base(method), request, "-plaintext", "-unix", "-d", "@", c.on.Socket, "toolresult.v1."+method)
	return c.object(out)
}

// describe returns what reflection says of a message.
func (c *client) describe(message string) string {
	return c.run(grpcurlPath, "grpcurl describe", "", "-plaintext", "-unix", c.on.Socket, "describe", "toolresult.v1."+message)
}

// cli runs a command of the binary against the sidecar.
func (c *client) cli(command string, args ...string) string {
	words := append(strings.Fields(command), "--server", "unix://"+c.on.Socket)
	return c.run(binary, "toolresult "+command, "", append(words, args...)...)
}

// run runs a program, which must succeed, and returns what it wrote.
func (c *client) run(program, name, stdin string, args ...string) string {
	if c.err != nil {
		return ""
	}
	if _, err := os.Stat(program); err != nil {
		c.fail(errNoGrpcurl)
		return ""
	}
	c.record("", "`"+name+"`")
	ctx, cancel := context.WithTimeout(c.ctx, sidecartest.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Env = append(os.Environ(), "HOME="+c.on.dir, "XDG_RUNTIME_DIR="+c.on.dir)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		c.fail(fmt.Errorf("%s: %w: %s", name, err, &stderr))
	}
	return stdout.String()
}

// object is a JSON object.
type object map[string]any

// at returns what is at a path of members; nil when nothing is.
func (o object) at(path string) any {
	var v any = map[string]any(o)
	for name := range strings.SplitSeq(path, ".") {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

// text returns the string at a path.
func (o object) text(path string) string {
	s, _ := o.at(path).(string)
	return s
}

func (c *client) object(text string) object {
	var o object
	if c.err == nil {
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			c.fail(fmt.Errorf("%w in %s", err, text))
		}
	}
	return o
}

// envelope is the RFC's JSON of a canonical result.
type envelope struct {
	object
	raw     string
	members []string // of the envelope, in their order
}

// envelope reads the RFC's JSON.
func (c *client) envelope(text string) envelope {
	return envelope{c.object(text), text, c.members(text)}
}

// members returns the names of an object's members in their order.
func (c *client) members(text string) []string {
	if c.err != nil {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	var names []string
	_, err := d.Token()
	for err == nil && d.More() {
		var name json.Token
		if name, err = d.Token(); err == nil {
			names = append(names, fmt.Sprint(name))
			err = d.Decode(&json.RawMessage{})
		}
	}
	if err != nil {
		c.fail(errors.Join(err, errors.New(text)))
	}
	return names
}
