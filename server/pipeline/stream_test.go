package pipeline_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
)

// streamed takes the bytes of every payload out of an output, by the name of the
// stream that they go to.
func streamed(m protoreflect.Message, streams map[string][]byte) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil:
		case f.IsList():
			for i := range v.List().Len() {
				streamed(v.List().Get(i).Message(), streams)
			}
		case f.Message().FullName() == "toolresult.v1.Payload":
			p := v.Message()
			name := fmt.Sprintf("s%d", len(streams))
			streams[name] = p.Get(p.Descriptor().Fields().ByName("inline")).Bytes()
			p.Set(p.Descriptor().Fields().ByName("stream"), protoreflect.ValueOfString(name))
		default:
			streamed(v.Message(), streams)
		}
		return true
	})
}

// requestsOf is an output as a stream: its payloads torn into chunks that come in
// any order but that of their own stream.
func (h harness) requestsOf(t *rapid.T, family string, out *pb.CompleteToolOutput, policy *pb.ProjectionPolicy) []*pb.ProjectStreamRequest {
	out = proto.CloneOf(out)
	streams := map[string][]byte{}
	if own := h.Types[family]; own != nil && out.GetCustom() != nil {
		m := own.Read(envelope.NewChecker(""), out.GetCustom())
		streamed(m, streams)
		binary, err := proto.Marshal(m.Interface())
		if err != nil {
			t.Fatal(err)
		}
		out.GetCustom().Encoding = &pb.CustomOutput_Message{Message: binary}
	} else {
		streamed(out.ProtoReflect(), streams)
	}
	header := &pb.StreamHeader{Family: family, Policy: policy, CommandLine: out.GetCommand().GetCommandLine()}
	var names []string
	for i := range len(streams) {
		names = append(names, fmt.Sprintf("s%d", i))
	}
	header.Streams = names
	requests := []*pb.ProjectStreamRequest{{Message: &pb.ProjectStreamRequest_Header{Header: header}}}
	last := ""
	for len(names) > 0 {
		i := rapid.IntRange(0, len(names)-1).Draw(t, "stream")
		name := names[i]
		rest := streams[name]
		n := min(len(rest), rapid.OneOf(rapid.IntRange(0, 9), rapid.IntRange(100, 20_000)).Draw(t, "chunk"))
		said := name
		if name == last && rapid.Bool().Draw(t, "again") {
			said = ""
		}
		requests, last = append(requests, servertest.Chunk(said, rest[:n])), name
		if streams[name] = rest[n:]; len(rest) == n {
			names = append(names[:i], names[i+1:]...)
		}
	}
	return append(requests, servertest.Finish(out))
}

// Design property 8: the same data gives the same messages, for every family.
func TestUnaryEqualsStreaming(t *testing.T) {
	h := newHarness(t)
	h.EachFamily(t, func(t *testing.T, family string) {
		if family == "" {
			t.Skip("an error has no payloads")
		}
		rapid.Check(t, func(t *rapid.T) {
			out, policy := h.OutputOf(family).Draw(t, "output"), servertest.Policies().Draw(t, "policy")
			want, unaryErr := h.Project(t.Context(), &pb.ProjectRequest{Output: out, Policy: policy})
			answers, streamErr := h.Stream(t.Context(), h.requestsOf(t, family, out, policy))
			var a, b *envelope.InvalidError
			if errors.As(unaryErr, &a) != errors.As(streamErr, &b) || (unaryErr == nil) != (streamErr == nil) {
				t.Fatalf("unary: %v, streaming: %v", unaryErr, streamErr)
			}
			if unaryErr != nil {
				return
			}
			if len(answers) != 1 || !proto.Equal(want, answers[0].GetResult()) {
				t.Fatalf("%d answers\n%s", len(answers), cmp.Diff(want, answers[0].GetResult(), protocmp.Transform()))
			}
		})
	})
}
