package server

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"google.golang.org/grpc"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// errIdle says that a client sent nothing for longer than it may.
var errIdle = errors.New("no message came in time")

// inbox are the messages of a stream. They are received on a goroutine, because
// nothing but the end of its call ends a Recv: a client that sends nothing would
// hold its handler for ever. One message may be received while the one before it
// is worked on, no more; so the client waits as it would without the goroutine.
type inbox struct {
	messages chan message // without a buffer
	left     chan struct{}
	idle     time.Duration
	timer    *time.Timer
}

// message is what a Recv gave.
type message struct {
	request  *pb.ProjectStreamRequest
	err      error
	panicked string // and where
}

// receive begins to receive. The inbox must be left before the call ends.
func receive(call grpc.BidiStreamingServer[pb.ProjectStreamRequest, pb.ProjectStreamResponse], idle time.Duration) *inbox {
	b := &inbox{messages: make(chan message), left: make(chan struct{}), idle: idle, timer: time.NewTimer(idle)}
	go func() {
		for {
			m := recv(call)
			select {
			case b.messages <- m:
			case <-b.left:
				return
			}
			if m.request == nil {
				return
			}
		}
	}()
	return b
}

// recv receives one message. A panic is for the handler, where it is recovered.
func recv(call grpc.BidiStreamingServer[pb.ProjectStreamRequest, pb.ProjectStreamResponse]) (m message) {
	defer func() {
		if p := recover(); p != nil {
			m = message{panicked: fmt.Sprintf("%v\n%s", p, debug.Stack())}
		}
	}()
	m.request, m.err = call.Recv()
	if m.err != nil {
		m.request = nil
	}
	return m
}

// next returns the next message. It fails with errIdle when none comes in time, and
// as Recv does.
func (b *inbox) next() (*pb.ProjectStreamRequest, error) {
	b.timer.Reset(b.idle)
	var m message
	select {
	case m = <-b.messages:
	case <-b.timer.C:
		select {
		case m = <-b.messages: // in time, and this goroutine is late
		default:
			return nil, errIdle
		}
	}
	if m.panicked != "" {
		panic(m.panicked)
	}
	return m.request, m.err
}

// leave ends receiving: at once, or when the call has ended and Recv returns.
func (b *inbox) leave() {
	b.timer.Stop()
	close(b.left)
}
