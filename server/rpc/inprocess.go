package rpc

import (
	"net"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/test/bufconn"

	"github.com/toolresult/toolresult/server/identity"
)

// pipeBytes is how much a connection in this process holds in each direction, in bytes.
const pipeBytes = 1 << 20

// InProcess is a listener for callers in this process. It needs no socket, which some sandboxes do not allow.
type InProcess struct {
	*bufconn.Listener // its DialContext connects
	caller            identity.PeerInfo
}

// ListenInProcess returns a listener whose callers are this process.
func ListenInProcess() *InProcess {
	return &InProcess{bufconn.Listen(pipeBytes), identity.ThisProcess()}
}

// Accept returns the next connection.
func (l *InProcess) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, net.ErrClosed // the one error that it has
	}
	return inProcessConn{conn, l.caller}, nil
}

// inProcessConn is a connection whose peer is this process.
type inProcessConn struct {
	net.Conn
	caller identity.PeerInfo
}

// AuthInfo implements identity.Identified.
func (c inProcessConn) AuthInfo() credentials.AuthInfo { return c.caller }
