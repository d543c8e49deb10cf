package pipeline

import (
	"context"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/ingest"
)

// maxWhole bounds the streams of one output that a projector reads whole, in bytes of all of them.
const maxWhole = 32 << 20

// Inline returns an output and its streams as the projector of a family takes them: a family that reads its payloads whole
// has them inline, as the tool wrote them, and no streams. They are redacted as a whole, then.
func Inline(ctx context.Context, f *families.Family, out *pb.CompleteToolOutput, streams map[string]ingest.Payload) (*pb.CompleteToolOutput, map[string]ingest.Payload, error) {
	if !f.Whole || len(streams) == 0 {
		return out, streams, nil
	}
	out = proto.CloneOf(out)
	check := envelope.NewChecker("")
	rest := int64(maxWhole)
	var failed error
	envelope.VisitPayloads("output", out.ProtoReflect(), func(path string, p *pb.Payload) {
		s, ok := streams[projectors.Key(p)]
		if !ok || failed != nil {
			return
		}
		if rest -= s.Blob.Size(); rest < 0 {
			check.Fail(path, pb.ErrorReason_ERROR_REASON_FIELD_TOO_LONG, "is more than the %d bytes that this family reads", maxWhole)
			return
		}
		blob := s.Blob
		if s.Original != nil {
			blob = s.Original
		}
		content := make([]byte, 0, blob.Size())
		failed = ingest.ReadBlocks(ctx, blob, func(block []byte) error {
			content = append(content, block...)
			return nil
		})
		p.Source = &pb.Payload_Inline{Inline: content}
	})
	if failed != nil {
		return nil, nil, failed
	}
	return out, nil, check.Err()
}

// Streams returns payloads as a projector reads them; nil when there are none.
func Streams(payloads map[string]ingest.Payload) map[string]projectors.Stream {
	if len(payloads) == 0 {
		return nil
	}
	streams := make(map[string]projectors.Stream, len(payloads))
	for key, p := range payloads {
		streams[key] = p.Stream
	}
	return streams
}

// excerpt reads streams again whose excerpts were kept for another budget, so that they are shown like payloads that are
// inline: streams of a tool that was not known when they were received, and outputs that get a share of a turn.
func (o *prepared) excerpt(ctx context.Context, tokens int) error {
	rules := o.family.LineRules(o.input.Output.GetCommand().GetCommandLine())
	for key := range o.input.Streams {
		s := o.streams[key]
		if s.Tokens == tokens {
			continue
		}
		w := preview.NewWriter(tokens)
		w.Watch(rules)
		if err := ingest.ReadBlocks(ctx, s.Blob, func(block []byte) error {
			_, err := w.Write(block)
			return err
		}); err != nil {
			return err
		}
		s.Excerpt, s.Tokens = w.Finish(), tokens
		o.streams[key], o.input.Streams[key] = s, s.Stream
	}
	return nil
}

// rememberingSink is a sink that remembers what was put into it.
type rememberingSink struct {
	artifactstore.Sink
	refs map[string]artifactstore.Ref // by digest
}

// Put puts a blob.
func (s *rememberingSink) Put(ctx context.Context, b artifactstore.Blob) (artifactstore.Ref, error) {
	ref, err := s.Sink.Put(ctx, b)
	if err == nil {
		s.refs[ref.Digest] = ref
	}
	return ref, err
}

// ref returns where a blob is; it is put if it was not put before.
func (s *rememberingSink) ref(ctx context.Context, digest string, b artifactstore.Blob) (artifactstore.Ref, error) {
	if ref, ok := s.refs[digest]; ok {
		return ref, nil
	}
	return s.Put(ctx, b)
}
