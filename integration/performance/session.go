package main

import (
	"context"
	"fmt"
	"sync"

	"google.golang.org/grpc"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// sessionSide is the name of the side that calls by ProjectSession, with everything off and the store in memory.
const sessionSide = "`ProjectSession`, all off, in memory"

// sessionPayloads is the number of the first payload of a session: others than those of the unary calls to the same store.
const sessionPayloads = 1 << 18

// session is a ProjectSession. Callers share it, and answers may be received in any order.
type session struct {
	stream grpc.BidiStreamingClient[pb.ProjectSessionRequest, pb.ProjectSessionResponse]

	sending sync.Mutex // a stream takes one message at a time

	mu      sync.Mutex
	number  uint64 // of the last call
	waiting map[uint64]chan *pb.ProjectSessionResponse
	err     error // after which nothing is received
}

// openSession opens a session until the context ends.
func openSession(ctx context.Context, s *server) (caller, error) {
	stream, err := s.client.ProjectSession(ctx)
	if err != nil {
		return nil, err
	}
	n := &session{stream: stream, waiting: map[uint64]chan *pb.ProjectSessionResponse{}}
	go n.receive()
	return n.call, nil
}

// call sends a call and waits for its answer.
func (n *session) call(_ context.Context, r *pb.ProjectRequest) (*pb.ProjectResponse, error) {
	answer := make(chan *pb.ProjectSessionResponse, 1)
	n.mu.Lock()
	if n.err != nil {
		n.mu.Unlock()
		return nil, n.err
	}
	n.number++
	number := n.number
	n.waiting[number] = answer
	n.mu.Unlock()
	n.sending.Lock()
	err := n.stream.Send(&pb.ProjectSessionRequest{Number: number, Message: &pb.ProjectSessionRequest_Project{Project: r}})
	n.sending.Unlock()
	if err != nil {
		return nil, err
	}
	a, ok := <-answer
	switch {
	case !ok:
		return nil, n.err
	case a.GetStatus() != nil:
		return nil, fmt.Errorf("rejected: %v", a.GetStatus())
	}
	return a.GetResult(), nil
}

// receive gives every answer to its caller, until the stream ends.
func (n *session) receive() {
	for {
		a, err := n.stream.Recv()
		n.mu.Lock()
		if err != nil {
			n.err = err
			for _, answer := range n.waiting {
				close(answer)
			}
			n.mu.Unlock()
			return
		}
		answer := n.waiting[a.GetNumber()]
		delete(n.waiting, a.GetNumber())
		n.mu.Unlock()
		if answer != nil {
			answer <- a
		}
	}
}
