package main

import (
	"time"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/spool"
)

// While a command runs, exec does what it can of the call that makes the receipt, so that less is left to do when the command
// ends: it connects, and it makes one message of each kind, because protobuf reads the descriptors of a message with the first one.

// prepared is a connection that no call was made with. Nil is none.
type prepared struct {
	connection *connection
	until      time.Time // when it is no longer used: a sidecar may have ended since, and another taken its place
}

// preparedFor is how long a prepared connection is used.
const preparedFor = 10 * time.Second

// prepare prepares a call of a sidecar that runs. A failure is none of the command: the call itself would find it, too.
func (d *delivery) prepare() *prepared {
	where, err := d.target.find(d.ctx)
	if err != nil || where.address == "" {
		return nil
	}
	c, err := d.target.dial(where.address)
	if err != nil {
		return nil
	}
	c.begin()
	go readAnswer()
	select {
	case <-d.finished: // the call does it
	default:
		makeRequest(d.req)
	}
	return &prepared{c, time.Now().Add(preparedFor)}
}

// take returns the connection, once, if it can be used. Whoever takes it closes it.
func (p *prepared) take() *connection {
	if p == nil || p.connection == nil || time.Now().After(p.until) {
		return nil
	}
	c := p.connection
	p.connection = nil
	return c
}

// close closes the connection, if nobody took it.
func (p *prepared) close() {
	if p != nil && p.connection != nil {
		_ = p.connection.close() // nothing was sent
	}
}

// readAnswer reads an answer of the kind that is usual.
func readAnswer() {
	answer, _ := proto.Marshal(&pb.ProjectResponse{Receipt: &pb.Receipt{Text: "text"}, Canonical: &pb.CanonicalToolResult{}})
	_ = proto.Unmarshal(answer, &pb.ProjectResponse{})
}

// makeRequest makes a request as it will be, without output.
func makeRequest(req *pb.ProjectRequest) {
	command := &pb.CommandOutput{
		Stdout: streamPayload(spool.Stdout), Stderr: streamPayload(spool.Stderr), ExitStatus: new(int32(0)),
		Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED,
	}
	_, _ = proto.Marshal(&pb.ProjectRequest{Policy: req.GetPolicy(), Call: req.GetCall(), Output: &pb.CompleteToolOutput{
		Result: &pb.CompleteToolOutput_Command{Command: command},
	}})
}
