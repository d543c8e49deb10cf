package integration_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/redacttest"
	"github.com/toolresult/toolresult/integration/sidecartest"
	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/rpc"
)

// overheard has everything that a client is told: messages in both of their forms, headers, trailers and
// refusals with their details.
type overheard struct {
	mu    sync.Mutex
	texts []surface
}

// surface is a text that may not have a secret.
type surface struct {
	name string
	text []byte
}

func (o *overheard) add(name string, text []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.texts = append(o.texts, surface{name, text})
}

// take returns what was heard since the last call.
func (o *overheard) take() (texts []surface) {
	o.mu.Lock()
	defer o.mu.Unlock()
	texts, o.texts = o.texts, nil
	return texts
}

type methodKey struct{}

// TagRPC is of [stats.Handler].
func (o *overheard) TagRPC(ctx context.Context, i *stats.RPCTagInfo) context.Context {
	return context.WithValue(ctx, methodKey{}, i.FullMethodName)
}

// HandleRPC is of [stats.Handler].
func (o *overheard) HandleRPC(ctx context.Context, s stats.RPCStats) {
	method, _ := ctx.Value(methodKey{}).(string)
	switch s := s.(type) {
	case *stats.InPayload:
		m, ok := s.Payload.(proto.Message)
		if !ok {
			return
		}
		wire, _ := proto.Marshal(m)
		text, _ := protojson.Marshal(m)
		o.add("answer of "+method, wire)
		o.add("JSON of the answer of "+method, text)
	case *stats.InHeader:
		o.metadata("header of "+method, s.Header)
	case *stats.InTrailer:
		o.metadata("trailer of "+method, s.Trailer)
	case *stats.End:
		if st, ok := status.FromError(s.Error); ok && s.Error != nil && st.Code() != codes.Unimplemented { // which repeats the method
			wire, _ := proto.Marshal(st.Proto())
			text, _ := protojson.Marshal(st.Proto())
			o.add("refusal of "+method, append(append(wire, '\n'), text...))
		}
	}
}

func (o *overheard) metadata(name string, m metadata.MD) {
	for key, values := range m {
		if key == strings.ToLower(rpc.RequestIDHeader) {
			continue // what the client itself sent is sent back
		}
		o.add(name, []byte(key+": "+strings.Join(values, "\n")))
	}
}

// TagConn is of [stats.Handler].
func (o *overheard) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn is of [stats.Handler].
func (o *overheard) HandleConn(context.Context, stats.ConnStats) {}

// TestSecrets plants secrets in everything that a sidecar is sent, by every way in, and looks for
// them, and for parts of them, in everything that it answers and keeps. There are more than two thousand of
// them in the long form.
func TestSecrets(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: TestSomeSecrets does the same with fewer; `make integration` runs it")
	}
	t.Parallel()
	list := redacttest.Planted()
	if long := sidecartest.All(); !long {
		short := list[:0:0]
		for i, p := range list {
			if i%7 == 0 {
				short = append(short, p)
			}
		}
		list = short
	}
	newPlanting(t, list).everywhere(t, true)
}

// TestSomeSecrets is TestSecrets with so few secrets that it takes a second.
func TestSomeSecrets(t *testing.T) {
	t.Parallel()
	const every = 100
	var list []redacttest.Plant
	named := false // a name is among them
	for i, p := range redacttest.Planted() {
		if i%every == 7 || !named && mayBeName(&p) {
			list, named = append(list, p), named || mayBeName(&p)
		}
	}
	newPlanting(t, list).everywhere(t, false)
}

// everywhere plants by every way in, and searches.
func (w *planting) everywhere(t *testing.T, families bool) {
	t.Helper()
	for _, way := range []struct {
		name string
		sow  func(*testing.T)
	}{
		{"families", w.families}, {"errors", w.toolErrors}, {"payloads", w.payloads}, {"streams", w.streamed}, {"streams in order", w.inOrder},
		{"abandoned streams", w.abandoned}, {"turns", w.turns}, {"files", w.files}, {"logs", w.logs}, {"details", w.details},
		{"refusals", w.refusals}, {"names", w.names},
	} {
		if way.name == "families" && !families {
			continue
		}
		before := w.planted
		t.Run(way.name, way.sow)
		t.Logf("%s: %d secrets", way.name, w.planted-before)
	}
	if n := len(w.once); n < len(w.list)*9/10 {
		t.Errorf("only %d of %d secrets were planted", n, len(w.list))
	}
	w.readEverything(t)
	w.search(t)
}

// planting is a sidecar and what was planted in it.
type planting struct {
	*sower
	*sidecar
	list  []redacttest.Plant
	root  string
	heard *overheard
	quiet *grpc.ClientConn // of which nobody hears
	call  int
}

func newPlanting(t *testing.T, list []redacttest.Plant) *planting {
	t.Helper()
	w := &planting{sower: newSower(list), list: list, root: t.TempDir(), heard: &overheard{}}
	w.sidecar = startSidecar(t, launch{Args: append(withFamilies(t), "--tcp=127.0.0.1:0", "--token-file", tokenFile(t, 0o600), "--metrics=127.0.0.1:0",
		"--roots", w.root, "--log-sync=1h", "--gc-interval=0s")})
	w.quiet = w.conn
	w.conn = dial(t, "unix://"+w.Socket, grpc.WithStatsHandler(w.heard))
	w.ToolResultServiceClient = pb.NewToolResultServiceClient(w.conn)
	req := &pb.RegisterSecretsRequest{Secrets: []*pb.RegisteredSecret{{Name: "word", Value: []byte("hunter_22_hunter")}}}
	for _, s := range redacttest.Secrets() {
		req.Secrets = append(req.Secrets, &pb.RegisteredSecret{Name: s.Name, Value: s.Value})
	}
	if _, err := pb.NewAccessServiceClient(w.conn).RegisterSecrets(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	return w
}

// reference names the next call of the session.
func (w *planting) reference() *pb.CallReference {
	w.call++
	return callOf("session", "call-"+strconv.Itoa(w.call))
}

func (w *planting) sow(t *testing.T, req *pb.ProjectRequest) *pb.ProjectResponse {
	t.Helper()
	if req.Call == nil {
		req.Call = w.reference()
	}
	if req.Policy == nil {
		req.Policy = w.policy()
	}
	resp, err := w.Project(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// families plants in every field of every complete message.
func (w *planting) families(t *testing.T) {
	covered, want := map[string]bool{}, map[string]bool{}
	project := func(req *pb.ProjectRequest) error {
		_, err := w.Project(t.Context(), req)
		return err
	}
	cases := (*pb.CompleteToolOutput)(nil).ProtoReflect().Descriptor().Oneofs().ByName("result").Fields()
	for i := range cases.Len() {
		f := cases.Get(i)
		if f.Name() == "custom" {
			continue
		}
		var out *pb.CompleteToolOutput
		complete := func() protoreflect.Message {
			out = &pb.CompleteToolOutput{}
			return out.ProtoReflect().Mutable(f).Message()
		}
		w.sowFamily(t, string(f.Name()), complete, func(protoreflect.Message) *pb.CompleteToolOutput { return out }, project, covered)
		textFields(f.Message(), want, map[protoreflect.FullName]bool{}, 0)
	}
	brought, err := families.LoadCustomFamilies(exampleFamilies)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range brought {
		turn := 0
		output := func(m protoreflect.Message) *pb.CompleteToolOutput {
			turn++
			return customOutput(t, f.Name, m, turn%2 == 0)
		}
		w.sowFamily(t, "custom", func() protoreflect.Message { return newMessage(f.Type.Complete) }, output, project, covered)
		textFields(f.Type.Complete, want, map[protoreflect.FullName]bool{}, 0)
	}
	delete(want, "toolresult.v1.CompleteToolError.kind") // one of the runtime's own words
	var missing []string
	for name := range want {
		if !covered[name] {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		t.Errorf("no secret could be planted in %q", missing)
	}
	t.Logf("%d fields", len(want))
}

func (w *planting) toolErrors(t *testing.T) {
	for range 40 {
		w.sow(t, failedTool(&pb.CompleteToolError{
			Kind: "internal", Message: payloadOf(w.text(2000)), RecoveryHint: new(w.text(1000)),
			Details: payloadOf(`{"cause":` + w.inJSON() + `,` + w.inJSON() + `:{"deep":[` + w.inJSON() + `,1e999]}}`),
		}))
	}
}

// payloads plants where previews are cut: at every distance from their seams.
func (w *planting) payloads(t *testing.T) {
	for i := range len(w.list) / 20 {
		text := func() string {
			return numbered(w.random.IntN(30)) + string(w.payload()) + numbered(w.random.IntN(400)) + string(w.payload())
		}
		req := completed(int32(i%2), text())
		req.Output.GetCommand().Stderr = inline(text())
		req.Output.GetCommand().CommandLine = "make " + w.text(2000)
		req.Policy = w.policy()
		req.Policy.Render.Budget.MaxBytes = 700 + w.random.Uint32N(2000)
		if _, err := w.Project(t.Context(), req); err != nil && refusalOf(t, err).reason != "BUDGET_TOO_SMALL" {
			t.Fatal(err)
		}
	}
	big := strings.Repeat("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.", 4)
	w.sow(t, completed(0, strings.Repeat(big+"\n"+string(w.payload()), 60)))
}

// torn cuts a text into chunks, inside of what is planted more often than not.
func (w *planting) torn(stream string, text []byte) (list []*pb.ProjectStreamRequest) {
	most := []int{3, 17, 60, 400}[w.random.IntN(4)]
	for len(text) > 0 {
		n := 1 + w.random.IntN(min(len(text), most))
		list = append(list, chunkOf(stream, string(text[:n])))
		text = text[n:]
	}
	return list
}

// streamed plants in streams, with snapshots in their middle.
func (w *planting) streamed(t *testing.T) {
	for i := range len(w.list) / 40 {
		header := &pb.StreamHeader{Family: "command", Policy: w.policy(), Call: w.reference(), CommandLine: w.text(1000), Streams: []string{"stdout"}}
		messages := []*pb.ProjectStreamRequest{headerOf(header)}
		chunks := w.torn("stdout", w.payload())
		for k, m := range chunks {
			if messages = append(messages, m); k%(len(chunks)/12+2+i%5) == 1 {
				messages = append(messages, snapshotOf(exited(0)))
			}
		}
		if _, err := streams(t.Context(), w.sidecar, append(messages, finishOf(exited(0)))...); err != nil && refusalOf(t, err).reason != "BUDGET_TOO_SMALL" {
			t.Fatal(err)
		}
	}
}

// inOrder plants in two streams that come in turns.
func (w *planting) inOrder(t *testing.T) {
	for range len(w.list) / 60 {
		policy := w.policy()
		policy.ArtifactPolicy = pb.ArtifactPolicy_ARTIFACT_POLICY_ALWAYS
		messages := []*pb.ProjectStreamRequest{headerOf(&pb.StreamHeader{Family: "command", Policy: policy, Call: w.reference(), KeepOrder: true, Streams: []string{"stdout", "stderr"}})}
		a, b := w.torn("stdout", w.payload()), w.torn("stderr", w.payload())
		for len(a)+len(b) > 0 {
			if len(b) == 0 || len(a) > 0 && w.random.IntN(2) == 0 {
				messages, a = append(messages, a[0]), a[1:]
			} else {
				messages, b = append(messages, b[0]), b[1:]
			}
			if w.random.IntN(len(a)+len(b)+9) < 8 && w.random.IntN(4) == 0 {
				messages = append(messages, snapshotOf(exited(0)))
			}
		}
		if _, err := streams(t.Context(), w.sidecar, append(messages, finishOf(both()))...); err != nil && refusalOf(t, err).reason != "BUDGET_TOO_SMALL" {
			t.Fatal(err)
		}
	}
}

// abandoned plants in streams that have no finish, and are kept.
func (w *planting) abandoned(t *testing.T) {
	for range 10 {
		header := &pb.StreamHeader{Family: "command", Call: w.reference(), OnAbort: pb.AbortPolicy_ABORT_POLICY_KEEP, KeepOrder: true}
		messages := append([]*pb.ProjectStreamRequest{headerOf(header)}, w.torn("stdout", w.payload())...)
		messages = append(messages, w.torn("stderr", w.payload())...)
		_, err := streams(t.Context(), w.sidecar, messages...)
		refusalOf(t, err)
	}
}

func (w *planting) turns(t *testing.T) {
	for range len(w.list)/100 + 1 {
		turn := &pb.ProjectTurnRequest{TotalTokens: 3000}
		for range 3 {
			req := completed(1, string(w.payload()))
			req.Output.SummaryText, req.Call = w.text(1024), w.reference()
			req.Audit = &pb.AuditDetails{ToolInput: w.text(2000)}
			turn.Outputs = append(turn.Outputs, req)
		}
		if _, err := w.ProjectTurn(t.Context(), turn); err != nil {
			t.Fatal(err)
		}
	}
}

func (w *planting) files(t *testing.T) {
	for i := range 20 {
		text := w.payload()
		if i%3 == 0 {
			text = append([]byte(numbered(3_000)), append(text, numbered(2_000)...)...)
		}
		path := filepath.Join(w.root, fmt.Sprintf("file-%d", i))
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		w.sow(t, ofFile(path))
		read := &pb.ProjectRequest{Output: &pb.CompleteToolOutput{
			ToolName: "Read", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
			Result: &pb.CompleteToolOutput_FileRead{FileRead: &pb.FileReadOutput{
				Path: path, Content: &pb.Payload{Source: &pb.Payload_File{File: &pb.FileReference{Path: path}}},
			}},
		}}
		w.sow(t, read)
	}
	for _, name := range []string{w.name(60), "x" + w.name(60)} { // a file that is not there
		_, err := w.Project(t.Context(), ofFile(filepath.Join(w.root, name)))
		refusalOf(t, err)
	}
}

// logs plants in logs that are synced in the middle of secrets, and read while they grow.
func (w *planting) logs(t *testing.T) {
	for i := range len(w.list)/80 + 2 {
		text := slices.Concat(w.payload(), w.payload())
		a := appendTo(t.Context(), t, w.sidecar, fmt.Sprintf("log-%d", i))
		f := follow(w.sidecar, a.first.GetPath())
		for rest := text; len(rest) > 0; {
			n := 1 + w.random.IntN(min(len(rest), 200))
			a.send(t, logData(string(rest[:n])), logSync)
			if _, err := a.Recv(); err != nil {
				t.Fatal(err)
			}
			f.read(t)
			rest = rest[n:]
		}
		if i%2 == 0 {
			a.send(t, logFinish)
		} else if err := a.CloseSend(); err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := a.Recv(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if f.read(t); len(f.data) != len(text) {
			t.Errorf("a log of %d bytes has %d", len(text), len(f.data))
		}
	}
}

func (w *planting) details(t *testing.T) {
	for i := range 20 {
		req := completed(0, "done\n")
		req.RequestId = "details-" + strconv.Itoa(i)
		req.Audit = &pb.AuditDetails{
			ToolInput: `{"command":` + w.inJSON() + `}`, Runtime: w.payload(), Trust: map[string]string{"source": w.text(256), "why": w.text(256)},
		}
		w.sow(t, req)
		w.sow(t, proto.CloneOf(req)) // the record answers
	}
	for range 10 { // of a client that knows fields that the server does not
		req := completed(0, string(w.payload()))
		newer := protowire.AppendBytes(protowire.AppendTag(nil, 7777, protowire.BytesType), w.any())
		req.Output.GetCommand().ProtoReflect().SetUnknown(newer)
		req.Output.ProtoReflect().SetUnknown(newer)
		req.Output.GetCommand().GetStdout().ProtoReflect().SetUnknown(newer)
		req.Audit = &pb.AuditDetails{}
		req.Audit.ProtoReflect().SetUnknown(newer)
		w.sow(t, req)
	}
}

// refusals plants in what is refused.
func (w *planting) refusals(t *testing.T) {
	refused := func(err error) {
		t.Helper()
		if err == nil {
			t.Error("it was served")
			return
		}
		refusalOf(t, err)
	}
	for range 10 {
		for name, c := range invalidProjects() {
			req := proto.CloneOf(c.req)
			w.overwrite(req.ProtoReflect())
			if _, err := w.Project(t.Context(), req); err != nil {
				refusalOf(t, err)
			} else if name == "ENVELOPE_EXCLUSIVITY" {
				t.Error("it was served")
			}
		}
		bad := w.text(1000)
		_, err := w.Project(t.Context(), &pb.ProjectRequest{Output: &pb.CompleteToolOutput{ToolName: bad + "\n", Status: 1}, RequestId: bad + " ", Call: callOf(bad+" ", bad+" ")})
		refused(err)
		artifacts, audit := pb.NewArtifactServiceClient(w.conn), pb.NewAuditServiceClient(w.conn)
		_, err = artifacts.ReadArtifact(t.Context(), &pb.ReadArtifactRequest{Path: "/" + bad})
		refused(err)
		_, err = artifacts.ReadArtifact(t.Context(), &pb.ReadArtifactRequest{Path: w.Store + "/" + w.name(60), Raw: true})
		refused(err)
		_, err = artifacts.ListArtifacts(t.Context(), &pb.ListArtifactsRequest{SessionId: bad + " "})
		refused(err)
		_, err = audit.ListRecords(t.Context(), &pb.ListRecordsRequest{ToolName: bad + "\n", PageToken: bad})
		refused(err)
		_, err = w.Render(t.Context(), &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: &pb.CanonicalToolResult{ToolName: bad + "\n", SummaryText: bad, Status: 99}}})
		refused(err)
		_, err = pb.NewAccessServiceClient(w.conn).RegisterSecrets(t.Context(), &pb.RegisterSecretsRequest{Secrets: []*pb.RegisteredSecret{{Name: bad + "]", Value: []byte(bad)}}})
		refused(err)
		_, err = pb.NewAccessServiceClient(w.conn).RegisterSecrets(t.Context(), &pb.RegisterSecretsRequest{SessionId: "x", Secrets: []*pb.RegisteredSecret{
			{Name: "n", Value: bytes.Repeat(w.any(), 1000)},
		}})
		refused(err)
		_, err = streams(t.Context(), w.sidecar, headerOf(&pb.StreamHeader{Family: bad}))
		refused(err)
		_, err = streams(t.Context(), w.sidecar, headerOf(&pb.StreamHeader{Family: "command"}), chunkOf(bad+"\n", bad))
		refused(err)
		for _, method := range []string{"/toolresult.v1.ToolResultService/" + w.name(60), "/" + w.name(60) + "/Project"} {
			if err := w.conn.Invoke(t.Context(), method, &pb.GetServerInfoRequest{}, &pb.GetServerInfoResponse{}); err == nil {
				t.Error("an unknown method was served")
			}
		}
	}
}

// overwrite puts secrets into every string of a request that has the canary.
func (w *planting) overwrite(m protoreflect.Message) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsList() || f.IsMap():
		case f.Kind() == protoreflect.StringKind && strings.Contains(v.String(), canary):
			m.Set(f, protoreflect.ValueOfString(strings.ReplaceAll(v.String(), canary, w.text(60))))
		case f.Kind() == protoreflect.BytesKind && bytes.Contains(v.Bytes(), []byte(canary)):
			m.Set(f, protoreflect.ValueOfBytes(bytes.ReplaceAll(v.Bytes(), []byte(canary), []byte(w.text(60)))))
		case f.Message() != nil:
			w.overwrite(v.Message())
		}
		return true
	})
}

// mayBeName reports whether a planted value is registered, and has the form of a name.
func mayBeName(p *redacttest.Plant) bool {
	return p.Registered && len(p.Text) <= 128 && looksLikeName.Match(p.Text)
}

// names puts registered values where a runtime puts names of its own: they are refused, and not recorded.
func (w *planting) names(t *testing.T) {
	for i := range 12 {
		bad := string(w.plant("registered name", mayBeName).Text)
		unary := map[string]func(*pb.ProjectRequest){
			"call.session_id":  func(r *pb.ProjectRequest) { r.Call = callOf(bad, "a") },
			"call.call_id":     func(r *pb.ProjectRequest) { r.Call = callOf("session", bad) },
			"request_id":       func(r *pb.ProjectRequest) { r.RequestId = bad },
			"output.tool_name": func(r *pb.ProjectRequest) { r.Output.ToolName = bad },
			"audit.trust":      func(r *pb.ProjectRequest) { r.Audit = &pb.AuditDetails{Trust: map[string]string{bad: "x"}} },
			"output.command.stdout.redactions": func(r *pb.ProjectRequest) {
				r.Output.GetCommand().Stdout.Redactions = []*pb.Redaction{{Kind: bad, Count: 1}}
			},
			"output.command.stdout.stream": func(r *pb.ProjectRequest) {
				r.Output.GetCommand().Stdout = &pb.Payload{Source: &pb.Payload_Stream{Stream: bad}}
			},
			"output.command.stdout.file.path": func(r *pb.ProjectRequest) { r.Output = ofFile(filepath.Join(w.root, bad)).GetOutput() },
		}
		for field, spoil := range unary {
			req := completed(0, "x\n")
			spoil(req)
			_, err := w.Project(t.Context(), req)
			if r := wantRefusal(t, err, codes.InvalidArgument, "NAME_INVALID", field); i == 0 && field == "request_id" {
				wantIn(t, r.message, "has a registered value")
			}
		}
		header := &pb.StreamHeader{Family: "command"}
		for field, messages := range map[string][]*pb.ProjectStreamRequest{
			"chunk.stream":           {headerOf(header), chunkOf(bad, "x")},
			"header.request_id":      {headerOf(&pb.StreamHeader{Family: "command", RequestId: bad})},
			"header.call.session_id": {headerOf(&pb.StreamHeader{Family: "command", Call: callOf(bad, "")})},
		} {
			_, err := streams(t.Context(), w.sidecar, messages...)
			wantRefusal(t, err, codes.InvalidArgument, "NAME_INVALID", field)
		}
		_, err := logFor(t.Context(), pb.NewArtifactServiceClient(w.conn), callOf("session", bad), "x", true)
		wantRefusal(t, err, codes.InvalidArgument, "NAME_INVALID", "header.call.call_id")
	}
	token := "ghp_" + strings.Repeat("7hQ2", 9) // what looks like a secret may be an id
	w.sow(t, func() *pb.ProjectRequest { r := completed(0, "x\n"); r.RequestId = token; return r }())
}

// readEverything asks for all that can be asked for, so that it is heard.
func (w *planting) readEverything(t *testing.T) {
	artifacts, audit := pb.NewArtifactServiceClient(w.conn), pb.NewAuditServiceClient(w.conn)
	for _, session := range []string{"session", "sown"} {
		if session == "sown" && w.next["sown"] == 0 {
			continue
		}
		listed, err := artifacts.ListArtifacts(t.Context(), &pb.ListArtifactsRequest{SessionId: session})
		if err != nil || len(listed.GetArtifacts()) == 0 {
			t.Fatal(err)
		}
		for i, a := range listed.GetArtifacts() {
			if i%10 == 0 { // their files are all searched
				readAll(t, artifacts, &pb.ReadArtifactRequest{Path: a.GetPath()})
			}
		}
	}
	var cursor string
	verified := 0
	for {
		page, err := audit.ListRecords(t.Context(), &pb.ListRecordsRequest{PageToken: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range page.GetRecords() {
			if i%4 > 0 || verified == 60 {
				continue
			}
			verified++
			resp, err := audit.VerifyRecord(t.Context(), &pb.VerifyRecordRequest{Sequence: r.GetSequence()})
			if err != nil || !resp.GetHolds() || !resp.GetComplete() {
				t.Errorf("record %d of %s: %v, %v", r.GetSequence(), r.GetFamily(), resp.GetFindings(), err)
			}
		}
		if cursor = page.GetNextPageToken(); cursor == "" {
			break
		}
	}
	if _, err := w.GetServerInfo(t.Context(), &pb.GetServerInfoRequest{}); err != nil {
		t.Fatal(err)
	}
}

// exported are the audit records as the command line prints them, and the paths of payloads as the tool wrote them.
func (w *planting) exported(t *testing.T) (text string, raw map[string]bool) {
	t.Helper()
	text = mustCLI(t, environment(t), nil, "audit", "export", "--server", "unix://"+w.Socket)
	raw = map[string]bool{}
	for line := range strings.Lines(text) {
		var r pb.AuditRecord
		if err := protojson.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		for _, p := range r.GetPayloads() {
			if p.GetOriginalArtifact() != "" {
				raw[p.GetOriginalArtifact()] = true
			}
		}
	}
	return text, raw
}

// search looks for all that was planted.
func (w *planting) search(t *testing.T) {
	export, raw := w.exported(t)
	surfaces := append(w.heard.texts, surface{"audit export", []byte(export)}, surface{"log of the server", []byte(w.Log.String())}, surface{"metrics", scraped(t, w.Metrics)})
	originals := w.stored(t, raw, &surfaces)
	h := newHunt(w.list)
	leaks := map[string]int{}
	size := 0
	for _, s := range surfaces {
		size += len(s.text)
		for plant, what := range h.everywhere(s.text) {
			if leaks[s.name]++; leaks[s.name] <= 3 {
				t.Errorf("%s has a part of %s, %s: %s", s.name, plant.Kind, plant.Where, what)
			}
		}
	}
	for name, n := range leaks {
		t.Errorf("%s has parts of %d secrets", name, n)
	}
	kept := map[*redacttest.Plant]string{}
	for _, text := range originals {
		h.in(redacttest.Visible(text), kept)
	}
	if len(kept) < len(w.list)/2 {
		t.Errorf("of %d secrets %d are in what was kept as the tool wrote it: the search finds nothing", len(w.list), len(kept))
	}
	t.Logf("%d secrets were planted %d times; %d texts with %d bytes have none of them; %d originals have %d", len(w.once), w.planted, len(surfaces), size, len(originals), len(kept))
	w.rawIsGuarded(t, raw, h)
}

func scraped(t *testing.T, url string) []byte {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || len(text) == 0 {
		t.Fatal(err)
	}
	return text
}

// stored adds every file of the store and every entry of its journal to the surfaces, but for payloads as the tool wrote them, which
// it returns.
func (w *planting) stored(t *testing.T, raw map[string]bool, into *[]surface) (originals [][]byte) {
	t.Helper()
	err := filepath.WalkDir(w.Store, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a segment that was sealed meanwhile
		}
		if err != nil {
			return err
		}
		if raw[path] {
			originals = append(originals, content)
			return nil
		}
		name, _ := filepath.Rel(w.Store, path)
		*into = append(*into, surface{"name of a file", []byte(name)})
		if strings.HasSuffix(name, ".zst") {
			return nil // compressed, and read by entries: its bytes leave out repetitions, so neighbours may spell a secret by chance
		}
		*into = append(*into, surface{"file " + name, content})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(originals) != len(raw) {
		t.Errorf("%d originals are named, and %d are there", len(raw), len(originals))
	}
	*into = append(*into, w.entries(t)...)
	return originals
}

// entries returns all entries of the journal, sealed or not. It reads a copy, because the sidecar holds the journal.
func (w *planting) entries(t *testing.T) (list []surface) {
	t.Helper()
	var dir string
	for gone := fs.ErrNotExist; errors.Is(gone, fs.ErrNotExist); { // again, where a segment was sealed while it was copied
		dir = filepath.Join(t.TempDir(), "journal")
		if gone = os.CopyFS(dir, os.DirFS(filepath.Join(w.Store, "journal"))); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			t.Fatal(gone)
		}
	}
	j, err := journal.Open(journal.Options{Dir: dir, Volatile: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close() // of a copy
	for _, stream := range []journal.Stream{journal.Records, journal.Catalog} {
		n := len(list)
		err := j.Each(t.Context(), stream, 1, func(e *journal.Entry) error {
			list = append(list, surface{fmt.Sprintf("entry of the %s", stream), bytes.Clone(e.Data)})
			return nil
		}, func(d journal.Damage) error { return fmt.Errorf("entries %d to %d: %s", d.First, d.Last, d.Reason) })
		if err != nil || len(list) == n {
			t.Fatalf("%s: %d entries, %v", stream, len(list)-n, err)
		}
	}
	return list
}

// rawIsGuarded reads payloads as the tool wrote them: its own user may, in so many words, and others may not.
func (w *planting) rawIsGuarded(t *testing.T, raw map[string]bool, h *hunt) {
	artifacts := pb.NewArtifactServiceClient(w.quiet)
	n := 0
	for path := range raw {
		if n++; n > 20 {
			break
		}
		_, err := artifacts.ReadArtifact(t.Context(), &pb.ReadArtifactRequest{Path: path})
		if r := refusalOf(t, err); r.reason != "ARTIFACT_NOT_FOUND" {
			t.Errorf("%s is answered with %s", path, r.reason)
		}
		resp, err := artifacts.ReadArtifact(t.Context(), &pb.ReadArtifactRequest{Path: path, Raw: true})
		if err != nil || len(h.everywhere(resp.GetData())) == 0 && resp.GetComplete() {
			t.Errorf("%s has no secret: %v", path, err)
		}
		for _, ask := range []bool{false, true} {
			_, err = artifacts.ReadArtifact(confinedTo(t, w.sidecar, "session"), &pb.ReadArtifactRequest{Path: path, Raw: ask})
			if r := refusalOf(t, err); r.reason != map[bool]string{false: "ARTIFACT_NOT_FOUND", true: "RAW_NOT_ALLOWED"}[ask] {
				t.Errorf("a confined caller is answered with %s", r.reason)
			}
		}
		listed, err := artifacts.ListArtifacts(t.Context(), &pb.ListArtifactsRequest{SessionId: "session"})
		if err != nil || slices.ContainsFunc(listed.GetArtifacts(), func(a *pb.ArtifactEntry) bool { return a.GetPath() == path }) {
			t.Errorf("it is listed: %v", err)
		}
	}
	if n == 0 {
		t.Error("nothing was kept as the tool wrote it")
	}
}

// TestRedactedTwin follows the path that a receipt names: what is there has no secret, and the payload as the tool wrote
// it is another artifact, which nobody is told of but who asks the audit log.
func TestRedactedTwin(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	artifacts, audit := pb.NewArtifactServiceClient(s.conn), pb.NewAuditServiceClient(s.conn)
	const token = "ghp_7kQ2m9ZxW4vR8tY1uI5oP3aS6dF0gH7jK2lM"
	text := numbered(300) + "token " + token + "\n" + numbered(300)
	req := within(&pb.Budget{MaxTokens: 200}, completed(0, text))
	req.Call = callOf("session", "call")
	resp := s.project(t, req)
	named := resp.GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
	wantIn(t, resp.GetReceipt().GetText(), named, "1 secret redacted")
	content, err := os.ReadFile(named)
	if err != nil || string(content) != strings.Replace(text, token, "[redacted:github-pat]", 1) {
		t.Errorf("the artifact that the receipt names has %d bytes, %v", len(content), err)
	}
	listed, err := artifacts.ListArtifacts(t.Context(), &pb.ListArtifactsRequest{SessionId: "session"})
	if err != nil || len(listed.GetArtifacts()) != 1 || listed.GetArtifacts()[0].GetPath() != named {
		t.Errorf("the artifacts of the session are %v, %v", listed.GetArtifacts(), err)
	}
	records, err := audit.ListRecords(t.Context(), &pb.ListRecordsRequest{SessionId: "session"})
	if err != nil || len(records.GetRecords()) != 1 || len(records.GetRecords()[0].GetPayloads()) != 1 {
		t.Fatalf("%v, %v", records, err)
	}
	payload := records.GetRecords()[0].GetPayloads()[0]
	if payload.GetOriginalArtifact() == named || payload.GetOriginalBytes() != uint64(len(text)) || payload.GetBytes() != uint64(len(content)) {
		t.Errorf("the record says %v", payload)
	}
	_, err = artifacts.ReadArtifact(t.Context(), &pb.ReadArtifactRequest{Path: payload.GetOriginalArtifact()})
	wantRefusal(t, err, codes.NotFound, "ARTIFACT_NOT_FOUND", "")
	page, err := artifacts.ReadArtifact(t.Context(), &pb.ReadArtifactRequest{Path: payload.GetOriginalArtifact(), Raw: true,
		Selection: &pb.ReadArtifactRequest_Match{Match: &pb.MatchingLines{Pattern: "token"}}})
	if err != nil || string(page.GetData()) != "token "+token+"\n" || page.GetDigest() == payload.GetDigest() {
		t.Errorf("as the tool wrote it: %q, %v", page.GetData(), err)
	}
	verified, err := audit.VerifyRecord(t.Context(), &pb.VerifyRecordRequest{Sequence: records.GetRecords()[0].GetSequence()})
	if err != nil || !verified.GetHolds() || !verified.GetComplete() {
		t.Errorf("%v, %v", verified, err)
	}
}

// TestPatternsOff leaves what looks like a secret where a policy or the operator says so. Registered values are found all
// the same, and the record holds.
func TestPatternsOff(t *testing.T) {
	t.Parallel()
	const token, value = "ghp_7kQ2m9ZxW4vR8tY1uI5oP3aS6dF0gH7jK2lM", "plain words that nobody may see"
	text := "// " + token + "\n// " + value + "\n"
	off := &pb.ProjectionPolicy{Redaction: &pb.RedactionPolicy{Patterns: pb.PatternRedaction_PATTERN_REDACTION_OFF}}
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "f.go"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func(p *pb.Payload) *pb.CompleteToolOutput {
		return &pb.CompleteToolOutput{ToolName: "ReadFile", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_FileRead{
			FileRead: &pb.FileReadOutput{Path: "f.go", Content: p},
		}}
	}
	inline := &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(text)}}
	stream := func(family string, out *pb.CompleteToolOutput, policy *pb.ProjectionPolicy) provoke {
		return func(t *testing.T, s *sidecar) error {
			_, err := streams(t.Context(), s, headerOf(&pb.StreamHeader{Family: family, Policy: policy, Call: callOf("a", "")}), chunkOf("content", text), finishOf(out))
			return err
		}
	}
	project := func(out *pb.CompleteToolOutput, policy *pb.ProjectionPolicy) provoke {
		return projectOf(&pb.ProjectRequest{Output: out, Policy: policy, Call: callOf("a", "")})
	}
	turn := func(t *testing.T, s *sidecar) error {
		_, err := s.ProjectTurn(t.Context(), &pb.ProjectTurnRequest{TotalTokens: 1000, Outputs: []*pb.ProjectRequest{
			{Output: read(inline), Policy: off, Call: callOf("a", "")},
		}})
		return err
	}
	streamed := read(&pb.Payload{Source: &pb.Payload_Stream{Stream: "content"}})
	file := read(&pb.Payload{Source: &pb.Payload_File{File: &pb.FileReference{Path: filepath.Join(root, "f.go")}}})
	for _, c := range []struct {
		name  string
		flags []string
		call  provoke
	}{
		{"by the policy of a call", nil, project(read(inline), off)},
		{"by that of a stream", nil, stream("file_read", streamed, off)},
		{"of a file", nil, project(file, off)},
		{"in a turn", nil, turn},
		{"by the operator", []string{"--redaction=values"}, project(completed(0, text).GetOutput(), nil)},
		{"by the operator, in a stream", []string{"--redaction=values"}, stream("file_read", streamed, nil)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startSidecar(t, launch{Args: append(c.flags, "--roots", root)})
			_, err := pb.NewAccessServiceClient(s.conn).RegisterSecrets(t.Context(), &pb.RegisterSecretsRequest{
				Secrets: []*pb.RegisteredSecret{{Name: "VALUE", Value: []byte(value)}},
			})
			if err == nil {
				err = c.call(t, s)
			}
			if err != nil {
				t.Fatal(err)
			}
			records, err := s.audit().ListRecords(t.Context(), &pb.ListRecordsRequest{SessionId: "a"})
			if err != nil || len(records.GetRecords()) != 1 {
				t.Fatalf("%v, %v", records, err)
			}
			record, err := s.audit().GetRecord(t.Context(), &pb.GetRecordRequest{Sequence: records.GetRecords()[0].GetSequence()})
			if err != nil {
				t.Fatal(err)
			}
			wantIn(t, record.GetRecord().GetReceipt().GetText(), token, "[redacted:VALUE]")
			wantNone(t, record.String(), value)
			if v := record.GetRecord().GetVersions().GetRedaction(); v != "" {
				t.Errorf("the record says that %q was looked for", v)
			}
			verified, err := s.audit().VerifyRecord(t.Context(), &pb.VerifyRecordRequest{Sequence: record.GetRecord().GetSequence()})
			if err != nil || !verified.GetHolds() || !verified.GetComplete() {
				t.Errorf("%v, %v", verified, err)
			}
		})
	}
	s := startSidecar(t, launch{Args: []string{"--redaction=values"}})
	a := appendTo(t.Context(), t, s, "log")
	a.send(t, logData(text))
	content, err := os.ReadFile(a.finish(t).GetArtifact().GetPath())
	if err != nil || string(content) != text {
		t.Errorf("the log has %q, %v", content, err)
	}
	s = startSidecar(t, launch{})
	wantRefusal(t, project(completed(0, text).GetOutput(), off)(t, s), codes.InvalidArgument, "FIELD_OUT_OF_BOUNDS", "policy.redaction.patterns")
	unknown := &pb.ProjectionPolicy{Redaction: &pb.RedactionPolicy{Patterns: 99}}
	wantRefusal(t, project(read(inline), unknown)(t, s), codes.InvalidArgument, "ENUM_UNKNOWN", "policy.redaction.patterns")
}

// A sidecar that started again knows no values, and shows nothing to those who require them.
func TestValuesAreGoneAfterAStart(t *testing.T) {
	t.Parallel()
	store := filepath.Join(t.TempDir(), "store")
	register := func(s *sidecar) string {
		t.Helper()
		resp, err := pb.NewAccessServiceClient(s.conn).RegisterSecrets(t.Context(), &pb.RegisterSecretsRequest{
			SessionId: "a", Secrets: []*pb.RegisteredSecret{{Name: "VALUE", Value: []byte("plain words that nobody may see")}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return resp.GetSetId()
	}
	request := func(set string) *pb.ProjectRequest {
		req := completed(0, "it is plain words that nobody may see\n")
		req.Call, req.Policy = callOf("a", ""), &pb.ProjectionPolicy{Redaction: &pb.RedactionPolicy{RequireSet: set}}
		return req
	}
	const hidden = "Process exited with code 0\nstdout: 1 line; 1 secret redacted\nit is [redacted:VALUE]"
	first := startSidecar(t, launch{Store: store})
	id := register(first)
	wantReceipt(t, first.receipt(t, request(id)), strings.Split(hidden, "\n")...)
	if code := first.Terminate(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	second := startSidecar(t, launch{Store: store})
	_, err := second.Project(t.Context(), request(id))
	wantRefusal(t, err, codes.FailedPrecondition, "SECRETS_UNKNOWN", "")
	_, err = second.ProjectTurn(t.Context(), &pb.ProjectTurnRequest{TotalTokens: 1000, Outputs: []*pb.ProjectRequest{request(id)}})
	wantRefusal(t, err, codes.FailedPrecondition, "SECRETS_UNKNOWN", "")
	_, err = streams(t.Context(), second, headerOf(&pb.StreamHeader{Family: "command", Policy: request(id).GetPolicy(), Call: callOf("a", "")}))
	wantRefusal(t, err, codes.FailedPrecondition, "SECRETS_UNKNOWN", "")
	wantRefusal(t, appends(requiringOf("a", id), logData("it is plain words"))(t, second), codes.FailedPrecondition, "SECRETS_UNKNOWN", "")
	again := register(second)
	if again == id {
		t.Error("the id of the values is that of the start before: it says something of them")
	}
	wantReceipt(t, second.receipt(t, request(again)), strings.Split(hidden, "\n")...)
	if err := appends(requiringOf("a", again), logData("it is plain words"))(t, second); err != nil {
		t.Errorf("a log whose values are registered: %v", err)
	}
	wantNone(t, first.Log.String()+second.Log.String(), "plain words")
}

// A stream goes on when a secret without end is torn between its chunks, and the original has all of it.
func TestSecretWithoutEndInAStream(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	text := "before eyJhbGciOiJIUzI1NiJ9.eyJ" + strings.Repeat("Ab3dEf6hIj9lMn2pQr5t", 4000) + " after\n"
	messages := []*pb.ProjectStreamRequest{headerOf(&pb.StreamHeader{Family: "command", Call: callOf("a", ""), Streams: []string{"stdout"}})}
	for part := range slices.Chunk([]byte(text), 1000) {
		messages = append(messages, chunkOf("stdout", string(part)))
		if len(messages)%20 == 0 {
			messages = append(messages, snapshotOf(exited(0)))
		}
	}
	answers, err := streams(t.Context(), s, append(messages, finishOf(exited(0)))...)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		wantNone(t, a.String(), "Ab3dEf6h")
	}
	wantReceipt(t, answers[len(answers)-1].GetResult().GetReceipt().GetText(),
		"Process exited with code 0", "stdout: 1 line; 1 secret redacted", "before [redacted:jwt] after")
	records, err := pb.NewAuditServiceClient(s.conn).ListRecords(t.Context(), &pb.ListRecordsRequest{SessionId: "a"})
	if err != nil {
		t.Fatal(err)
	}
	original, err := os.ReadFile(records.GetRecords()[0].GetPayloads()[0].GetOriginalArtifact())
	if err != nil || string(original) != text {
		t.Errorf("the original has %d bytes of %d, %v", len(original), len(text), err)
	}
	a := appendTo(t.Context(), t, s, "log")
	for part := range slices.Chunk([]byte(text), 1000) {
		a.send(t, logData(string(part)), logSync)
	}
	last := a.finish(t)
	content, err := os.ReadFile(last.GetArtifact().GetPath())
	if err != nil || len(content) != len(text) || bytes.Contains(content, []byte("Ab3dEf6h")) || last.GetReceivedBytes() != uint64(len(text)) {
		t.Errorf("the log has %d bytes of %d: %.100q, %v", len(content), len(text), content, err)
	}
}
