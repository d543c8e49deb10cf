package pipeline

import (
	"fmt"
	"maps"
	"slices"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/server/ingest"
)

// joinedStream is the name of the stream that the streams of an unknown family are joined to.
const joinedStream = "output"

// asText returns an output of a family that this server does not know as text, with the streams of the call joined behind its
// message: only the family would say what each of them is. It returns any other output as it is.
func (a *arrival) asText(out *pb.CompleteToolOutput, from received) (*pb.CompleteToolOutput, received, error) {
	text := a.pipeline.Registry.AsText(out)
	if text == out || len(from.streams) == 0 {
		return text, from, nil
	}
	joined, err := a.join(text.GetText().GetContent().GetInline(), from.streams)
	if err != nil {
		return nil, from, err
	}
	text.GetText().Content = &pb.Payload{Source: &pb.Payload_Stream{Stream: joinedStream}}
	from.streams, from.inOrder = map[string]ingest.Payload{joinedStream: joined}, projectors.InOrder{}
	return text, from, nil
}

// join returns a payload of a message and the streams behind it, in the order of their names, each under a line with its name
// and size. They are as the tool wrote them, and are redacted again.
func (a *arrival) join(message []byte, streams map[string]ingest.Payload) (ingest.Payload, error) {
	spool, err := ingest.NewSpool(a.stageContext(), a.pipeline.Store, a.pass.Options, a.budget, nil)
	if err != nil {
		return ingest.Payload{}, err
	}
	a.joined = append(a.joined, spool)
	write := func(p []byte) error { return spool.Write([][]byte{p}, nil) }
	if err := write(message); err != nil {
		return ingest.Payload{}, err
	}
	for _, name := range slices.Sorted(maps.Keys(streams)) {
		blob := streams[name].Blob
		if original := streams[name].Original; original != nil {
			blob = original
		}
		if err := write(fmt.Appendf(nil, "\nstream %s, %d bytes:\n", name, blob.Size())); err != nil {
			return ingest.Payload{}, err
		}
		if err := ingest.ReadBlocks(a.ctx, blob, write); err != nil {
			return ingest.Payload{}, err
		}
	}
	if err := spool.Flush(nil); err != nil {
		return ingest.Payload{}, err
	}
	return spool.Seal()
}
