package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// access decides who may call. On the Unix socket the kernel says who the peer
// is, and the connection of a user who is not allowed is refused before its
// first call. Over TCP every call carries the token.
type access struct {
	token [sha256.Size]byte // digest of the token for TCP
	tcp   bool
}

// newAccess returns the access rules; token is empty when TCP is off.
func newAccess(token string) access {
	return access{token: sha256.Sum256([]byte(token)), tcp: token != ""}
}

// check says why a call may not be made, or nil.
func (a access) check(ctx context.Context) *refusal {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return denied(codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_AUTHORITY, "the connection has no peer")
	}
	if _, local := p.AuthInfo.(peerInfo); local {
		return nil
	}
	if !a.tcp {
		return denied(codes.Unauthenticated, pb.ErrorReason_ERROR_REASON_TOKEN_MISSING, "calls over TCP are not allowed")
	}
	if authority := metadata.ValueFromIncomingContext(ctx, ":authority"); len(authority) == 0 || !isLoopback(authority[0]) {
		return denied(codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_AUTHORITY, "the authority of the call is not a loopback address")
	}
	given := metadata.ValueFromIncomingContext(ctx, "authorization")
	if len(given) == 0 {
		return denied(codes.Unauthenticated, pb.ErrorReason_ERROR_REASON_TOKEN_MISSING, `send "authorization: Bearer <token>"`)
	}
	token, ok := strings.CutPrefix(given[0], "Bearer ")
	digest := sha256.Sum256([]byte(token))
	if subtle.ConstantTimeCompare(digest[:], a.token[:]) != 1 || !ok || len(given) > 1 {
		return denied(codes.Unauthenticated, pb.ErrorReason_ERROR_REASON_TOKEN_WRONG, "the token is not the one of this server")
	}
	return nil
}

// isLoopback reports whether an authority names this machine, so that a page in
// a browser cannot reach the server by a name of its own (DNS rebinding).
func isLoopback(authority string) bool {
	host, _, err := net.SplitHostPort(authority)
	if err != nil {
		host = authority
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// peerInfo is who is at the other end of a Unix socket, as the kernel says.
type peerInfo struct {
	credentials.CommonAuthInfo
	UID, GID uint32
	PID      int32
}

// AuthType names how the peer was identified.
func (peerInfo) AuthType() string { return "unix-peer" }

// peerCredentials are transport credentials that ask the kernel for the peer of
// a Unix socket and let allowed users in. TCP connections pass; their calls need
// a token.
type peerCredentials struct{ allowed []uint32 }

var errForeignUser = errors.New("this user may not connect")

// ServerHandshake identifies the peer.
func (c peerCredentials) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	if conn.LocalAddr().Network() != "unix" {
		return conn, insecureInfo{}, nil
	}
	info, err := peerOf(conn)
	if err != nil {
		return nil, nil, err
	}
	if !slices.Contains(c.allowed, info.UID) {
		return nil, nil, fmt.Errorf("uid %d, pid %d: %w", info.UID, info.PID, errForeignUser)
	}
	return conn, info, nil
}

func peerOf(conn net.Conn) (peerInfo, error) {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return peerInfo{}, errors.ErrUnsupported
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return peerInfo{}, err
	}
	var cred *unix.Ucred
	var inner error
	if err := raw.Control(func(fd uintptr) {
		cred, inner = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return peerInfo{}, err
	}
	if inner != nil {
		return peerInfo{}, inner
	}
	// A local socket never leaves the machine.
	common := credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity}
	return peerInfo{common, cred.Uid, cred.Gid, cred.Pid}, nil
}

// insecureInfo stands for a TCP connection.
type insecureInfo struct{ credentials.CommonAuthInfo }

// AuthType says that nothing is known of the peer.
func (insecureInfo) AuthType() string { return "none" }

// ClientHandshake is not for a server.
func (peerCredentials) ClientHandshake(context.Context, string, net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, errors.New("these credentials are for servers")
}

// Info describes the credentials.
func (peerCredentials) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "unix-peer"}
}

// Clone returns the credentials, which do not change.
func (c peerCredentials) Clone() credentials.TransportCredentials { return c }

// OverrideServerName is not for a server.
func (peerCredentials) OverrideServerName(string) error { return nil }

// peerText names the peer of a call for the log.
func peerText(ctx context.Context) string {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return ""
	}
	if info, ok := p.AuthInfo.(peerInfo); ok {
		return fmt.Sprintf("uid %d, pid %d", info.UID, info.PID)
	}
	return p.Addr.String()
}
