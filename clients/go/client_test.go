package toolresult

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/durationpb"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// rejected returns a status as a sidecar sends it.
func rejected(t *testing.T, code codes.Code, details ...protoadapt.MessageV1) error {
	t.Helper()
	st, err := status.New(code, "why").WithDetails(details...)
	if err != nil {
		t.Fatal(err)
	}
	return st.Err()
}

// TestErrorsHaveTheirReason: what a caller decides by is read from the status, whoever made it.
func TestErrorsHaveTheirReason(t *testing.T) {
	t.Parallel()
	info := func(reason, domain string) *errdetails.ErrorInfo {
		return &errdetails.ErrorInfo{Reason: reason, Domain: domain, Metadata: map[string]string{"field": "output.tool_name", "hint": "set it"}}
	}
	again := &errdetails.RetryInfo{RetryDelay: durationpb.New(100 * time.Millisecond)}
	for name, c := range map[string]struct {
		err       error
		is        error
		reason    string
		hint      string
		retryable bool
		after     time.Duration
	}{
		"of the sidecar":          {rejected(t, codes.InvalidArgument, info("FIELD_MISSING", domain)), ErrFieldMissing, "FIELD_MISSING", "set it", false, 0},
		"to be repeated":          {rejected(t, codes.ResourceExhausted, info("IN_FLIGHT_BYTES", domain), again), ErrInFlightBytes, "IN_FLIGHT_BYTES", "set it", true, 100 * time.Millisecond},
		"aborted":                 {rejected(t, codes.Aborted, info("GC_RACE", domain)), ErrGCRace, "GC_RACE", "set it", true, 0},
		"draining":                {rejected(t, codes.Unavailable, info("DRAINING", domain)), ErrDraining, "DRAINING", "set it", true, 0},
		"of a later version":      {rejected(t, codes.Internal, info("NEW_REASON", domain)), nil, "NEW_REASON", "set it", false, 0},
		"of another domain":       {rejected(t, codes.Internal, info("FIELD_MISSING", "other.v1")), nil, "", "", false, 0},
		"nobody there":            {status.Error(codes.Unavailable, "refused"), ErrUnavailable, "", startHint, true, 0},
		"time over":               {status.FromContextError(context.DeadlineExceeded).Err(), ErrDeadline, "DEADLINE", "", false, 0},
		"cancelled":               {status.FromContextError(context.Canceled).Err(), ErrClientCancelled, "CLIENT_CANCELLED", "", false, 0},
		"larger than is received": {status.Error(codes.ResourceExhausted, "larger than max"), ErrMessageTooLarge, "MESSAGE_TOO_LARGE", "", false, 0},
		"not found":               {noSidecar(errors.New("no sidecar runs")), ErrNoSidecar, "", startHint, true, 0},
		"not found, as away":      {noSidecar(errors.New("no sidecar runs")), ErrUnavailable, "", startHint, true, 0},
	} {
		var e *Error
		err := fromError(c.err)
		if !errors.As(err, &e) {
			t.Errorf("%s: %T", name, err)
			continue
		}
		if e.Reason != c.reason || e.Hint != c.hint || e.Retryable != c.retryable || e.RetryAfter != c.after {
			t.Errorf("%s: %+v", name, e)
		}
		if (e.Field != "") != (c.hint == "set it") {
			t.Errorf("%s: the field is %q", name, e.Field)
		}
		if c.is != nil && !errors.Is(err, c.is) || errors.Is(err, ErrPanic) {
			t.Errorf("%s: %v is not %v", name, err, c.is)
		}
		if status.Code(err) != e.Code || fromError(err) != err {
			t.Errorf("%s: the status is %v", name, status.Code(err))
		}
	}
	for _, err := range []error{nil, io.EOF, errors.New("other")} {
		if fromError(err) != err {
			t.Errorf("%v became another error", err)
		}
	}
}

// TestTokensStayOnTheMachine: without TLS a token goes to no other one.
func TestTokensStayOnTheMachine(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{
		"unix:///run/s": true, "127.0.0.1:1": true, "localhost:1": true, "[::1]:1": true, "192.0.2.1:1": false, "example.com:1": false, "127.0.0.1.example.com:1": false,
	} {
		client, err := Connect(t.Context(), WithAddress(address), WithToken("secret"))
		if (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
		if err == nil {
			_ = client.Close()
		}
	}
}

// TestServiceConfigKnowsAllMethods: every method of the contract has a deadline and a policy of retries, or is a stream, which has no
// deadline, and is repeated only if it changes nothing and its client has sent all of it; and no name is of a method that does not exist.
func TestServiceConfigKnowsAllMethods(t *testing.T) {
	t.Parallel()
	var config struct {
		MethodConfig []struct {
			Name []struct {
				Service, Method string
			}
			Timeout     string
			RetryPolicy *struct{ MaxAttempts int }
		}
	}
	if err := json.Unmarshal([]byte(ServiceConfig), &config); err != nil {
		t.Fatal(err)
	}
	type policy struct{ timeout, retries bool }
	policies := map[string]policy{}
	for _, c := range config.MethodConfig {
		for _, n := range c.Name {
			policies[n.Service+"/"+n.Method] = policy{c.Timeout != "", c.RetryPolicy != nil}
		}
	}
	known := map[string]bool{"grpc.health.v1.Health/Check": true}
	protoregistry.GlobalFiles.RangeFilesByPackage("toolresult.v1", func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			service := file.Services().Get(i)
			known[string(service.FullName())+"/"] = true
			for m := range service.Methods().Len() {
				method := service.Methods().Get(m)
				name := fmt.Sprintf("%s/%s", service.FullName(), method.Name())
				known[name] = true
				p, named := policies[name]
				if !named {
					p = policies[string(service.FullName())+"/"]
				}
				streams := method.IsStreamingClient() || method.IsStreamingServer()
				if p.timeout == streams || streams && p.retries != (name == "toolresult.v1.TransportService/AssembleToolCalls") {
					t.Errorf("%s has %+v", name, p)
				}
			}
		}
		return true
	})
	for name := range policies {
		if !known[name] {
			t.Errorf("there is no method %s", name)
		}
	}
}

// TestLargePayloadsMove: a message and its streams have the bytes that the message had, for payloads of any family and place.
func TestLargePayloadsMove(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.SliceOf(rapid.Byte()), 3, 3).Draw(t, "data")
		output := rapid.SampledFrom([]*pb.CompleteToolOutput{
			{ToolName: "t", Result: &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{Content: inline(data[0])}}},
			Command{Stdout: data[0], Stderr: data[1]}.output(inline),
			{ToolName: "t", Error: &pb.CompleteToolError{Message: inline(data[0]), Details: inline(data[1])}},
			{ToolName: "t", Result: &pb.CompleteToolOutput_CommandBatch{CommandBatch: &pb.CommandBatchOutput{Items: []*pb.CommandBatchItemOutput{
				{Result: &pb.CommandOutput{Stdout: inline(data[0])}}, {Result: &pb.CommandOutput{CombinedOutput: inline(data[2])}},
			}}}},
		}).Draw(t, "output")
		moved := proto.CloneOf(output)
		taken := takePayloads(moved.ProtoReflect())
		visitPayloads(moved.ProtoReflect(), func(p *pb.Payload) {
			var i int
			if _, err := fmt.Sscanf(p.GetStream(), "payload-%d", &i); err != nil {
				t.Fatalf("a payload is %v", p)
			}
			p.Source = &pb.Payload_Inline{Inline: taken[i]}
		})
		if !proto.Equal(moved, output) {
			t.Fatalf("%v became %v", output, moved)
		}
	})
}

// visitPayloads calls f for each payload of a message.
func visitPayloads(m protoreflect.Message, f func(*pb.Payload)) {
	if p, ok := m.Interface().(*pb.Payload); ok {
		f(p)
		return
	}
	m.Range(func(field protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case field.IsList() && field.Message() != nil:
			for i := range v.List().Len() {
				visitPayloads(v.List().Get(i).Message(), f)
			}
		case field.Message() != nil && !field.IsMap():
			visitPayloads(v.Message(), f)
		}
		return true
	})
}

// TestOptionsOfTheClient: a call that names a session has that one, others that of the client.
func TestOptionsOfTheClient(t *testing.T) {
	t.Parallel()
	c := &Client{session: "of-client"}
	if p := c.projection(nil); p.request.GetCall().GetSessionId() != "of-client" || p.request.GetRequestId() != "" {
		t.Errorf("%v", p.request)
	}
	policy := &pb.ProjectionPolicy{Segments: true}
	p := c.projection([]Option{Policy(policy), MaxTokens(300), Session("own"), CallID("c"), RequestID("")})
	want := &pb.ProjectRequest{
		Policy: &pb.ProjectionPolicy{Segments: true, Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 300}}},
		Call:   &pb.CallReference{SessionId: "own", CallId: "c"},
	}
	if !proto.Equal(p.request, want) || policy.GetRender() != nil {
		t.Errorf("%v, want %v", p.request, want)
	}
}
