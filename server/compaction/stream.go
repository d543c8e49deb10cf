package compaction

import (
	"errors"
	"io"
	"time"

	"google.golang.org/grpc"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/idle"
)

// CompactStream compacts a history that arrives entry by entry, as Compact does one that is in its request.
func (s *Service) CompactStream(call grpc.BidiStreamingServer[pb.CompactStreamRequest, pb.CompactStreamResponse]) error {
	c := &compactStream{compaction: compaction{service: s, ctx: call.Context(), began: time.Now()}, idle: idle.NewLimit(s.StreamIdle), call: call}
	defer func() {
		if c.history != nil {
			c.history.close()
		}
	}()
	return c.idle.Run(c.serve)
}

// compactStream is one call of CompactStream.
type compactStream struct {
	compaction
	idle *idle.Limit
	call grpc.BidiStreamingServer[pb.CompactStreamRequest, pb.CompactStreamResponse]
}

// serve takes the entries, and answers.
func (c *compactStream) serve() error {
	first, err := c.next()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	header := first.GetHeader()
	if header == nil {
		return apierror.StreamOrder("the first message is the header")
	}
	c.form = header.GetCanonicalForm()
	if err := c.begin(header.GetSessionId(), header.GetPolicy(), maxStreamedResults, c.service.StreamMemory); err != nil {
		return apierror.PrefixField("header", err)
	}
	c.history.holds = c.service.Memory.History()
	for {
		m, err := c.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if m.GetEntry() == nil {
			return apierror.StreamOrder("the header comes once, and then entries")
		}
		if err := c.history.add(m.GetEntry()); err != nil {
			return err
		}
	}
	if n := len(c.history.entries); c.policy.Cache.Results > n {
		_, err := c.service.resolve(header.GetPolicy(), n) // it was not known how many there are
		return apierror.PrefixField("header", err)
	}
	summary, err := c.run(header.GetDryRun(), c.answer)
	if err != nil {
		return err
	}
	return c.send(&pb.CompactStreamResponse{Answer: &pb.CompactStreamResponse_Summary{Summary: summary}})
}

// next returns the next message.
func (c *compactStream) next() (m *pb.CompactStreamRequest, err error) {
	err = c.idle.Wait(func() error {
		m, err = c.call.Recv()
		return err
	})
	return m, err
}

// answer sends what becomes of a result, and the result if it changed.
func (c *compactStream) answer(planned *pb.PlannedResult, result *pb.CompactedResult) error {
	if err := c.send(&pb.CompactStreamResponse{Answer: &pb.CompactStreamResponse_Planned{Planned: planned}}); err != nil || result == nil {
		return err
	}
	return c.send(&pb.CompactStreamResponse{Answer: &pb.CompactStreamResponse_Result{Result: result}})
}

// send sends to the client, which must take it.
func (c *compactStream) send(m *pb.CompactStreamResponse) error {
	return c.idle.Wait(func() error { return c.call.Send(m) })
}
