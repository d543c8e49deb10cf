package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"unicode"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
)

// access finds out who calls. On the Unix socket the kernel says who the peer is, and the connection of a user who is
// not allowed is refused before its first call. Over TCP every call carries a token. A token of a session confines
// its bearer to that, wherever it is sent.
type access struct {
	token       [sha256.Size]byte // digest of the server's token; see tcp
	tcp         bool              // whether there is one
	user        uint32            // of this process
	authorities []string          // that calls over TCP may name, in lower case, without ports
	sessions    *sessionTokens
	backoff     *backoff
}

// newAccess returns the access rules; token is empty when TCP is off.
func newAccess(token string, authorities []string) *access {
	a := &access{
		token: sha256.Sum256([]byte(token)), tcp: token != "", user: uint32(os.Geteuid()),
		sessions: newSessionTokens(), backoff: newBackoff(),
	}
	for _, name := range authorities {
		a.authorities = append(a.authorities, strings.ToLower(name))
	}
	return a
}

// identify finds out who makes a call, and why that caller may make none.
func (a *access) identify(ctx context.Context) caller {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return caller{refused: apierror.New(codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_AUTHORITY_NOT_ALLOWED, "the connection has no peer")}
	}
	switch info := p.AuthInfo.(type) {
	case peerInfo:
		return a.local(ctx, info)
	case remoteInfo:
		return a.remote(ctx, p.Addr, info)
	}
	return caller{refused: apierror.New(codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_AUTHORITY_NOT_ALLOWED, "the peer of the connection is not known")}
}

// local identifies a caller on the Unix socket. It needs no token. One that it sends must be good all the same: it may
// have been given to confine it.
func (a *access) local(ctx context.Context, info peerInfo) caller {
	c := caller{local: true, uid: info.UID, gid: info.GID, pid: info.PID, own: info.UID == a.user}
	given := metadata.ValueFromIncomingContext(ctx, "authorization")
	if len(given) == 0 {
		return c
	}
	session, ok := a.bearer(given)
	if !ok {
		c.refused = apierror.TokenInvalid()
	}
	c.session = session
	return c
}

// remote identifies a caller over TCP.
func (a *access) remote(ctx context.Context, address net.Addr, info remoteInfo) caller {
	c := caller{address: address.String(), certificate: info.certificate}
	if !a.tcp {
		c.refused = apierror.New(codes.Unauthenticated, pb.ErrorReason_ERROR_REASON_TOKEN_MISSING, "calls over TCP are not allowed")
		return c
	}
	if authority := metadata.ValueFromIncomingContext(ctx, ":authority"); len(authority) != 1 || !a.isOurs(authority[0]) {
		c.refused = apierror.New(codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_AUTHORITY_NOT_ALLOWED, "the authority of the call is neither a loopback address nor one that the operator allowed")
		return c
	}
	given := metadata.ValueFromIncomingContext(ctx, "authorization")
	if len(given) == 0 {
		c.refused = apierror.New(codes.Unauthenticated, pb.ErrorReason_ERROR_REASON_TOKEN_MISSING, `send "authorization: Bearer <token>"`)
		return c
	}
	try := func() (ok bool) {
		c.session, ok = a.bearer(given)
		return ok
	}
	// Who has had the right token goes on: others at the same address cannot lock it out.
	if info.proven.Load() && try() {
		c.own = c.session == ""
		return c
	}
	switch right, wait := a.backoff.attempt(addressOf(address), try); {
	case wait > 0:
		c.refused = apierror.TokenBackoff(wait)
	case !right:
		c.refused = apierror.TokenInvalid()
	default:
		info.proven.Store(true)
		c.own = c.session == ""
	}
	return c
}

// bearer says whether a token is the server's, or that of which session. How long it takes says nothing of either.
func (a *access) bearer(given []string) (session string, ok bool) {
	token, ok := strings.CutPrefix(given[0], "Bearer ")
	if !ok || len(given) > 1 {
		return "", false
	}
	digest := sha256.Sum256([]byte(token))
	own := subtle.ConstantTimeCompare(digest[:], a.token[:]) == 1 && a.tcp
	session, ok = a.sessions.read(token)
	switch {
	case own:
		return "", true
	case ok:
		return session, true
	}
	return "", false
}

// isOurs reports whether an authority names this server, so that a page in a browser cannot reach it by a name of its
// own (DNS rebinding): a loopback address, "localhost", or what the operator allowed.
func (a *access) isOurs(authority string) bool {
	host, _, err := net.SplitHostPort(authority)
	if err != nil {
		host = authority
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback() || slices.Contains(a.authorities, host)
}

func addressOf(a net.Addr) netip.Addr {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr()
	}
	return netip.Addr{}
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
// a Unix socket and let allowed users in. TCP connections pass, with TLS if there
// is a certificate; their calls need a token.
type peerCredentials struct {
	allowed []uint32
	refused func(peerInfo)                   // told of users who are not let in, from many goroutines; nil: nobody
	tls     credentials.TransportCredentials // of TCP connections; nil: none
}

var errForeignUser = errors.New("this user may not connect")

// ServerHandshake identifies the peer.
func (c peerCredentials) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	if conn.LocalAddr().Network() != "unix" {
		return c.remoteHandshake(conn)
	}
	info, err := peerOf(conn)
	if err != nil {
		return nil, nil, err
	}
	if !slices.Contains(c.allowed, info.UID) {
		if c.refused != nil {
			c.refused(info)
		}
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

// remoteInfo is what is known of a TCP connection.
type remoteInfo struct {
	credentials.CommonAuthInfo
	secure      bool
	certificate string       // subject of the peer's, if one was asked for
	proven      *atomic.Bool // a call on it had a right token
}

// AuthType names how the peer was identified.
func (r remoteInfo) AuthType() string {
	if r.secure {
		return "tls"
	}
	return "none"
}

// remoteHandshake takes a TCP connection.
func (c peerCredentials) remoteHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	info := remoteInfo{proven: &atomic.Bool{}}
	if c.tls == nil {
		return conn, info, nil
	}
	conn, auth, err := c.tls.ServerHandshake(conn)
	if err != nil {
		return nil, nil, err
	}
	info.secure, info.CommonAuthInfo = true, credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity}
	if state, ok := auth.(credentials.TLSInfo); ok && len(state.State.PeerCertificates) > 0 {
		info.certificate = subjectOf(state.State.PeerCertificates[0])
	}
	return conn, info, nil
}

// maxCertificateSubject bounds what is repeated of the subject of a certificate, in bytes.
const maxCertificateSubject = 256

// subjectOf is the subject of a certificate, as text for logs and records.
func subjectOf(c *x509.Certificate) string {
	text := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, c.Subject.String())
	return cutText(text, maxCertificateSubject)
}

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
