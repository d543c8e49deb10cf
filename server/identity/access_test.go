package identity

import (
	"context"
	"encoding/base64"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
)

const testToken = "correct-horse-battery"

// calling is the context of a call with some metadata.
func calling(p *peer.Peer, pairs ...string) context.Context {
	return metadata.NewIncomingContext(peer.NewContext(context.Background(), p), metadata.Pairs(pairs...))
}

func tcpPeer(address string) *peer.Peer {
	return &peer.Peer{Addr: net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address)), AuthInfo: remoteInfo{}}
}

func socketPeer(uid uint32) *peer.Peer {
	return &peer.Peer{Addr: &net.UnixAddr{Net: "unix"}, AuthInfo: PeerInfo{UID: uid, GID: 7, PID: 42, Started: time.Unix(1, 0)}}
}

// wantReason checks why a caller may not call; empty: it may.
func wantReason(t *testing.T, what string, c Caller, reason string) {
	t.Helper()
	got := ""
	if c.Rejected != nil {
		got = apierror.ReasonName(c.Rejected.Reason)
	}
	if got != reason {
		t.Errorf("%s: refused with %q, want %q", what, got, reason)
	}
}

// TestIdentify has every kind of caller.
func TestIdentify(t *testing.T) {
	t.Parallel()
	a := NewAuthenticator(testToken, []string{"Sidecar.example"})
	a.user = 1000
	session := a.Sessions.Issue("s1")
	other := NewAuthenticator(testToken, nil).Sessions.Issue("s1")
	const here, bearer = "127.0.0.1:7001", "Bearer "
	for what, c := range map[string]struct {
		peer   *peer.Peer
		pairs  []string
		want   Caller
		reason string
	}{
		"own user":                      {socketPeer(1000), nil, Caller{UID: 1000, Trusted: true}, ""},
		"allowed user":                  {socketPeer(1001), nil, Caller{UID: 1001}, ""},
		"own user in a session":         {socketPeer(1000), []string{"authorization", bearer + session}, Caller{UID: 1000, Trusted: true, Session: "s1"}, ""},
		"own user with the token":       {socketPeer(1000), []string{"authorization", bearer + testToken}, Caller{UID: 1000, Trusted: true}, ""},
		"own user, token of yesterday":  {socketPeer(1000), []string{"authorization", bearer + other}, Caller{UID: 1000, Trusted: true}, "TOKEN_INVALID"},
		"own user, empty token":         {socketPeer(1000), []string{"authorization", ""}, Caller{UID: 1000, Trusted: true}, "TOKEN_INVALID"},
		"own user, two sessions":        {socketPeer(1000), []string{"authorization", bearer + session, "authorization", bearer + a.Sessions.Issue("s2")}, Caller{UID: 1000, Trusted: true}, "TOKEN_INVALID"},
		"token":                         {tcpPeer("127.0.0.1:9"), []string{":authority", here, "authorization", bearer + testToken}, Caller{Trusted: true}, ""},
		"session":                       {tcpPeer("127.0.0.1:9"), []string{":authority", here, "authorization", bearer + session}, Caller{Session: "s1"}, ""},
		"allowed name":                  {tcpPeer("192.0.2.9:9"), []string{":authority", "sidecar.EXAMPLE:1", "authorization", bearer + testToken}, Caller{Trusted: true}, ""},
		"no token":                      {tcpPeer("127.0.0.1:9"), []string{":authority", here}, Caller{}, "TOKEN_MISSING"},
		"no authority":                  {tcpPeer("127.0.0.1:9"), []string{"authorization", bearer + testToken}, Caller{}, "AUTHORITY_NOT_ALLOWED"},
		"empty authority":               {tcpPeer("127.0.0.1:9"), []string{":authority", "", "authorization", bearer + testToken}, Caller{}, "AUTHORITY_NOT_ALLOWED"},
		"two authorities":               {tcpPeer("127.0.0.1:9"), []string{":authority", here, ":authority", here, "authorization", bearer + testToken}, Caller{}, "AUTHORITY_NOT_ALLOWED"},
		"foreign authority":             {tcpPeer("127.0.0.1:9"), []string{":authority", "example.com", "authorization", bearer + testToken}, Caller{}, "AUTHORITY_NOT_ALLOWED"},
		"session of another start":      {tcpPeer("127.0.0.1:9"), []string{":authority", here, "authorization", bearer + other}, Caller{}, "TOKEN_INVALID"},
		"a name is no token":            {tcpPeer("127.0.0.1:9"), []string{":authority", here, "authorization", bearer + "s1"}, Caller{}, "TOKEN_INVALID"},
		"a beginning of the token":      {tcpPeer("127.0.0.1:9"), []string{":authority", here, "authorization", bearer + testToken[1:]}, Caller{}, "TOKEN_INVALID"},
		"a connection that is not ours": {&peer.Peer{Addr: &net.UnixAddr{}}, nil, Caller{}, "AUTHORITY_NOT_ALLOWED"},
	} {
		got := a.Identify(calling(c.peer, c.pairs...))
		wantReason(t, what, got, c.reason)
		if got.Trusted != c.want.Trusted || got.Session != c.want.Session || got.UID != c.want.UID {
			t.Errorf("%s: %+v, want %+v", what, got, c.want)
		}
		if got.Rejected != nil && (strings.Contains(got.Rejected.Message, testToken) || strings.Contains(got.Rejected.Message, session)) {
			t.Errorf("%s: the message has a token: %s", what, got.Rejected.Message)
		}
		if strings.Contains(got.String(), testToken) || strings.Contains(got.String(), session) {
			t.Errorf("%s: the log has a token: %s", what, got)
		}
		if want := c.want.Trusted && c.want.Session == ""; got.MayReadRaw() != want {
			t.Errorf("%s: may read raw: %v", what, !want)
		}
	}
	off := NewAuthenticator("", nil)
	for _, token := range []string{"", "Bearer ", "Bearer x", bearer + off.Sessions.Issue("s")} {
		wantReason(t, "without TCP", off.Identify(calling(tcpPeer("127.0.0.1:9"), ":authority", here, "authorization", token)), "TOKEN_MISSING")
	}
	wantReason(t, "no token is the empty token", off.Identify(calling(socketPeer(off.user), "authorization", "Bearer ")), "TOKEN_INVALID")
}

// TestCallerInRecords is what the audit log has of a caller.
func TestCallerInRecords(t *testing.T) {
	t.Parallel()
	a := NewAuthenticator(testToken, nil)
	r := a.Identify(calling(socketPeer(0), "authorization", "Bearer "+a.Sessions.Issue("s"))).AuditCaller()
	if r.Uid == nil || r.GetUid() != 0 || r.GetGid() != 7 || r.GetPid() != 42 || r.GetPidStartedAt().GetSeconds() != 1 || r.GetConfinedTo() != "s" || r.GetAddress() != "" {
		t.Errorf("%v", r)
	}
	r = a.Identify(calling(tcpPeer("127.0.0.1:9"), ":authority", "[::1]:1", "authorization", "Bearer "+testToken)).AuditCaller()
	if r.Uid != nil || r.Gid != nil || r.Pid != nil || r.PidStartedAt != nil || r.GetAddress() != "127.0.0.1:9" || r.GetConfinedTo() != "" {
		t.Errorf("%v", r)
	}
}

// TestSessionTokens changes tokens in every way: none but the one that was issued is good, and for its session alone.
func TestSessionTokens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tokens := newSessionTokens()
		session := rapid.StringMatching(`[A-Za-z0-9_][A-Za-z0-9_./:-]{0,127}`).Draw(t, "session")
		token := tokens.Issue(session)
		if got, err := tokens.read(token); err != nil || got != session {
			t.Fatalf("%q, %v", got, err)
		}
		if _, err := newSessionTokens().read(token); !errors.Is(err, errTokenWrong) {
			t.Fatal("another server takes it")
		}
		raw, err := base64.RawURLEncoding.DecodeString(token)
		if err != nil {
			t.Fatal(err)
		}
		at := rapid.IntRange(0, len(raw)-1).Draw(t, "at")
		switch rapid.IntRange(0, 2).Draw(t, "how") {
		case 0:
			raw[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		case 1:
			raw = raw[:at]
		case 2:
			raw = append(raw, rapid.Byte().Draw(t, "more"))
		}
		if got, err := tokens.read(base64.RawURLEncoding.EncodeToString(raw)); !errors.Is(err, errTokenWrong) {
			t.Fatalf("an altered token is good, for %q", got)
		}
		for _, other := range []string{token + "=", token + "\n", " " + token, token + "A"} {
			if got, err := tokens.read(other); !errors.Is(err, errTokenWrong) {
				t.Fatalf("%q is good, for %q", other, got)
			}
		}
	})
}

// TestConfine has all there is of a caller's session and a request's.
func TestConfine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ Trusted, named, want string }{
		{"", "", ""}, {"", "a", "a"}, {"a", "", "a"}, {"a", "a", "a"}, {"a", "b", "refused"}, {"a", "aa", "refused"}, {"a", "A", "refused"},
	} {
		ctx := NewContext(t.Context(), Caller{Session: c.Trusted})
		got, err := Confine(ctx, c.named)
		var r *apierror.StatusError
		if errors.As(err, &r) {
			got = "refused"
			if r.Reason != pb.ErrorReason_ERROR_REASON_SESSION_MISMATCH {
				t.Errorf("the reason is %v", r.Reason)
			}
		}
		if got != c.want {
			t.Errorf("%q names %q: %q, want %q", c.Trusted, c.named, got, c.want)
		}
		before := &pb.CallReference{SessionId: c.named, CallId: "call"}
		call := before
		if err := ConfineCall(ctx, &call); (err != nil) != (c.want == "refused") || err == nil && (call.GetSessionId() != c.want || call.GetCallId() != "call") {
			t.Errorf("%q names %q: %v, %v", c.Trusted, c.named, call, err)
		}
		if before.GetSessionId() != c.named {
			t.Error("the reference that came was changed")
		}
	}
	var none *pb.CallReference
	if err := ConfineCall(t.Context(), &none); err != nil || none != nil {
		t.Errorf("%v, %v", none, err)
	}
	if err := ConfineCall(NewContext(t.Context(), Caller{Session: "a"}), &none); err != nil || none.GetSessionId() != "a" {
		t.Errorf("%v, %v", none, err)
	}
}

// TestBackoff sends wrong tokens until a peer has to wait, in a time of the test's own.
func TestBackoff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := NewAuthenticator(testToken, nil)
		call := func(p *peer.Peer, token string) Caller {
			return a.Identify(calling(p, ":authority", "localhost", "authorization", "Bearer "+token))
		}
		for range maxWrongTokens {
			wantReason(t, "wrong", call(tcpPeer("127.0.0.1:2"), "wrong"), "TOKEN_INVALID")
		}
		c := call(tcpPeer("127.0.0.3:3"), "wrong") // from loopback too
		wantReason(t, "too many", c, "TOKEN_BACKOFF")
		if d := retryOf(t, c); d <= 0 || d > wrongTokenFade {
			t.Errorf("wait for %v", d)
		}
		wantReason(t, "the right one", call(tcpPeer("127.0.0.1:2"), testToken), "")
		wantReason(t, "a session's", call(tcpPeer("127.0.0.1:2"), a.Sessions.Issue("s")), "")
		wantReason(t, "another machine", call(tcpPeer("192.0.2.1:3"), "wrong"), "TOKEN_INVALID")
		wantReason(t, "the socket", a.Identify(calling(socketPeer(1), "authorization", "Bearer wrong")), "TOKEN_INVALID")
		time.Sleep(retryOf(t, c))
		wantReason(t, "one try after the wait", call(tcpPeer("127.0.0.1:2"), "wrong"), "TOKEN_INVALID")
		wantReason(t, "and no other", call(tcpPeer("127.0.0.1:2"), "wrong"), "TOKEN_BACKOFF")
		time.Sleep(maxWrongTokens * wrongTokenFade)
		for range maxWrongTokens {
			wantReason(t, "all is forgotten", call(tcpPeer("127.0.0.1:2"), "wrong"), "TOKEN_INVALID")
		}
		wantReason(t, "and counted again", call(tcpPeer("127.0.0.1:2"), "wrong"), "TOKEN_BACKOFF")
	})
}

func retryOf(t *testing.T, c Caller) time.Duration {
	t.Helper()
	for _, d := range c.Rejected.Details {
		if retry, ok := d.(*errdetails.RetryInfo); ok {
			return retry.GetRetryDelay().AsDuration()
		}
	}
	t.Fatal("there is no RetryInfo")
	return 0
}

// TestBackoffIsBounded has more peers than are remembered.
func TestBackoffIsBounded(t *testing.T) {
	t.Parallel()
	b := newBackoff()
	address := netip.MustParseAddr("10.0.0.0")
	for range 3 * maxPeers {
		address = address.Next()
		b.wrong(address)
	}
	if len(b.peers) != maxPeers || b.recent.Len() != maxPeers {
		t.Errorf("%d peers, %d in the list", len(b.peers), b.recent.Len())
	}
	for _, same := range [][2]string{{"127.0.0.1", "127.9.9.9"}, {"::1", "127.0.0.1"}, {"::ffff:127.0.0.1", "::1"}, {"2001:db8::1", "2001:db8::ffff:1"}, {"10.0.0.1", "::ffff:10.0.0.1"}} {
		if peerAt(netip.MustParseAddr(same[0])) != peerAt(netip.MustParseAddr(same[1])) {
			t.Errorf("%v are two peers", same)
		}
	}
	if peerAt(netip.MustParseAddr("10.0.0.1")) == peerAt(netip.MustParseAddr("10.0.0.2")) {
		t.Error("two machines are one peer")
	}
}
