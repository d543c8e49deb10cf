package identity

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
	"time"
	"unicode"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/peercred"
	"github.com/toolresult/toolresult/server/apierror"
)

// This file identifies callers: on the Unix socket by the kernel, over TCP by a token in each call. An identity is found before
// anything else of a call is looked at; whether the caller may make the call is decided later, in server/rpc.

// Authenticator finds out who calls. On the Unix socket the kernel says who the peer is, and the connection of a user who is
// not allowed is rejected before its first call. Over TCP every call carries a token. A token of a session confines
// its bearer to that, wherever it is sent.
type Authenticator struct {
	token       [sha256.Size]byte // digest of the server's token; see tcp
	tcp         bool              // whether there is one
	user        uint32            // of this process
	authorities []string          // that calls over TCP may name, in lower case, without ports
	Sessions    *SessionTokens
	backoff     *backoff
}

// NewAuthenticator returns the access rules; token is empty when TCP is off.
func NewAuthenticator(token string, authorities []string) *Authenticator {
	a := &Authenticator{
		token: sha256.Sum256([]byte(token)), tcp: token != "", user: uint32(os.Geteuid()),
		Sessions: newSessionTokens(), backoff: newBackoff(),
	}
	for _, name := range authorities {
		a.authorities = append(a.authorities, strings.ToLower(name))
	}
	return a
}

// Identify finds out who makes a call, and why that caller may make none.
func (a *Authenticator) Identify(ctx context.Context) Caller {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return Caller{Rejected: apierror.New(codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_AUTHORITY_NOT_ALLOWED, "the connection has no peer")}
	}
	switch info := p.AuthInfo.(type) {
	case PeerInfo:
		return a.local(ctx, info)
	case remoteInfo:
		return a.remote(ctx, p.Addr, info)
	}
	return Caller{Rejected: apierror.New(codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_AUTHORITY_NOT_ALLOWED, "the peer of the connection is not known")}
}

// local identifies a caller on the Unix socket. It needs no token. One that it sends must be good all the same: it may
// have been given to confine it.
func (a *Authenticator) local(ctx context.Context, info PeerInfo) Caller {
	c := Caller{Local: true, UID: info.UID, GID: info.GID, PID: info.PID, started: info.Started, Trusted: info.UID == a.user}
	given := metadata.ValueFromIncomingContext(ctx, "authorization")
	if len(given) == 0 {
		return c
	}
	c.Session, c.Rejected = a.bearer(given)
	return c
}

// remote identifies a caller over TCP.
func (a *Authenticator) remote(ctx context.Context, address net.Addr, info remoteInfo) Caller {
	c := Caller{address: address.String(), certificate: info.certificate}
	if !a.tcp {
		c.Rejected = apierror.New(codes.Unauthenticated, pb.ErrorReason_ERROR_REASON_TOKEN_MISSING, "calls over TCP are not allowed")
		return c
	}
	if authority := metadata.ValueFromIncomingContext(ctx, ":authority"); len(authority) != 1 || !a.isOurs(authority[0]) {
		c.Rejected = apierror.New(codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_AUTHORITY_NOT_ALLOWED, "the authority of the call is neither a loopback address nor one that the operator allowed")
		return c
	}
	given := metadata.ValueFromIncomingContext(ctx, "authorization")
	if len(given) == 0 {
		c.Rejected = apierror.New(codes.Unauthenticated, pb.ErrorReason_ERROR_REASON_TOKEN_MISSING, `send "authorization: Bearer <token>"`)
		return c
	}
	// The right token never waits: others at the same address, who send wrong ones, cannot lock it out.
	c.Session, c.Rejected = a.bearer(given)
	if c.Rejected == nil {
		c.Trusted = c.Session == ""
		return c
	}
	if c.Rejected.Reason != pb.ErrorReason_ERROR_REASON_TOKEN_INVALID { // nobody guessed it
		return c
	}
	if wait := a.backoff.wrong(addressOf(address)); wait > 0 {
		c.Rejected = apierror.TokenBackoff(wait)
	}
	return c
}

// bearer says whether a token is the server's, or that of which session, or why it is no good. How long it takes says nothing of
// what is right.
func (a *Authenticator) bearer(given []string) (session string, rejected *apierror.StatusError) {
	token, ok := strings.CutPrefix(given[0], "Bearer ")
	if !ok || len(given) > 1 {
		return "", apierror.TokenInvalid()
	}
	digest := sha256.Sum256([]byte(token))
	own := subtle.ConstantTimeCompare(digest[:], a.token[:]) == 1 && a.tcp
	session, err := a.Sessions.read(token)
	switch {
	case own:
		return "", nil
	case errors.Is(err, errTokenEnded):
		return "", apierror.TokenExpired()
	case err != nil:
		return "", apierror.TokenInvalid()
	}
	return session, nil
}

// isOurs reports whether an authority names this server, so that a page in a browser cannot reach it by a name of its
// own (DNS rebinding): a loopback address, "localhost", or what the operator allowed.
func (a *Authenticator) isOurs(authority string) bool {
	host, _, err := net.SplitHostPort(authority)
	if err != nil {
		host = authority
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback() || slices.Contains(a.authorities, host)
}

// addressOf returns the address of a peer without its port; the zero address if it has none.
func addressOf(a net.Addr) netip.Addr {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr()
	}
	return netip.Addr{}
}

// PeerInfo is who is at the other end of a Unix socket, as the kernel says.
type PeerInfo struct {
	credentials.CommonAuthInfo
	UID, GID uint32
	PID      int32
	Started  time.Time // of that process; zero: not known
}

// AuthType names how the peer was identified.
func (PeerInfo) AuthType() string { return "unix-peer" }

// PeerCredentials are transport credentials that ask the kernel for the peer of
// a Unix socket and let allowed users in. TCP connections pass, with TLS if there
// is a certificate; their calls need a token.
type PeerCredentials struct {
	Allowed  []uint32                         // users
	Groups   []uint32                         // groups whose members are allowed too
	Rejected func(PeerInfo)                   // called for each user who may not connect, from many goroutines; nil: not called
	TLS      credentials.TransportCredentials // of TCP connections; nil: none
}

// ErrForeignUser means that a user is not one of those who may connect.
var ErrForeignUser = errors.New("this user may not connect")

// Identified is a connection whose peer was identified before.
type Identified interface{ AuthInfo() credentials.AuthInfo }

// ServerHandshake identifies the peer.
func (c PeerCredentials) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	if known, ok := conn.(Identified); ok {
		return conn, known.AuthInfo(), nil
	}
	if conn.LocalAddr().Network() != "unix" {
		return c.remoteHandshake(conn)
	}
	info, err := peerOf(conn)
	if err != nil {
		return nil, nil, err
	}
	if !slices.Contains(c.Allowed, info.UID) && !c.isMember(conn, info) {
		if c.Rejected != nil {
			c.Rejected(info)
		}
		return nil, nil, fmt.Errorf("uid %d, pid %d: %w", info.UID, info.PID, ErrForeignUser)
	}
	return conn, info, nil
}

// isMember reports whether a peer is in an allowed group. A connection whose groups the kernel does not say has the one of its process.
func (c PeerCredentials) isMember(conn net.Conn, info PeerInfo) bool {
	if len(c.Groups) == 0 {
		return false
	}
	if slices.Contains(c.Groups, info.GID) {
		return true
	}
	groups, err := peerGroups(conn)
	return err == nil && slices.ContainsFunc(groups, func(gid uint32) bool { return slices.Contains(c.Groups, gid) })
}

// peerOf asks the kernel for the peer of a connection: its credentials at the time of the connect.
func peerOf(conn net.Conn) (PeerInfo, error) {
	c, err := peercred.Of(conn)
	if err != nil {
		return PeerInfo{}, err
	}
	// A local socket never leaves the machine.
	common := credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity}
	return PeerInfo{common, c.UID, c.GID, c.PID, processStart(c.PID)}, nil
}

// ThisProcess returns the peer that this process is to itself.
func ThisProcess() PeerInfo {
	common := credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity}
	pid := int32(os.Getpid())
	return PeerInfo{common, uint32(os.Geteuid()), uint32(os.Getegid()), pid, processStart(pid)}
}

// remoteInfo is what is known of a TCP connection.
type remoteInfo struct {
	credentials.CommonAuthInfo
	secure      bool
	certificate string // subject of the peer's, if one was asked for
}

// AuthType names how the peer was identified.
func (r remoteInfo) AuthType() string {
	if r.secure {
		return "tls"
	}
	return "none"
}

// remoteHandshake takes a TCP connection.
func (c PeerCredentials) remoteHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	info := remoteInfo{}
	if c.TLS == nil {
		return conn, info, nil
	}
	conn, auth, err := c.TLS.ServerHandshake(conn)
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
	return strings.ToValidUTF8(text[:min(len(text), maxCertificateSubject)], "")
}

// ClientHandshake is not for a server.
func (PeerCredentials) ClientHandshake(context.Context, string, net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, errors.New("these credentials are for servers")
}

// Info describes the credentials.
func (PeerCredentials) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "unix-peer"}
}

// Clone returns the credentials, which do not change.
func (c PeerCredentials) Clone() credentials.TransportCredentials { return c }

// OverrideServerName is not for a server.
func (PeerCredentials) OverrideServerName(string) error { return nil }
