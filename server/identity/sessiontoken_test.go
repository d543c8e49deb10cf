package identity

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/server/apierror"
)

// issuedToken is a token and what a model knows of it.
type issuedToken struct {
	session, token, id string
	end                time.Duration // 0: never
	revoked            bool
}

// TestTokensEnd issues tokens, takes some back and lets time pass, in every order: a token is good exactly until its lifetime is
// over or it was taken back, and others do not change with it.
func TestTokensEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		now := time.Duration(rapid.Int64Range(0, int64(1000*time.Hour)).Draw(t, "uptime"))
		tokens := newSessionTokens()
		tokens.clock = func() time.Duration { return now }
		var issued []*issuedToken
		session := rapid.SampledFrom([]string{"a", "b", "c"})
		t.Repeat(map[string]func(*rapid.T){
			"issue": func(t *rapid.T) {
				i := &issuedToken{session: session.Draw(t, "session")}
				lifetime := time.Duration(rapid.SampledFrom([]int64{0, 1, 60, 3600}).Draw(t, "lifetime")) * time.Second
				if i.token, i.id = tokens.IssueFor(i.session, lifetime); lifetime > 0 {
					i.end = now + lifetime
				}
				issued = append(issued, i)
			},
			"wait": func(t *rapid.T) { now += time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "time")) },
			"revoke a session": func(t *rapid.T) {
				gone := session.Draw(t, "session")
				if err := tokens.RevokeSession(gone); err != nil {
					t.Fatal(err)
				}
				for _, i := range issued {
					i.revoked = i.revoked || i.session == gone
				}
			},
			"revoke a token": func(t *rapid.T) {
				if len(issued) == 0 {
					t.Skip()
				}
				i := rapid.SampledFrom(issued).Draw(t, "token")
				if err := tokens.RevokeToken(i.id); err != nil {
					t.Fatal(err)
				}
				i.revoked = true
			},
			"": func(t *rapid.T) {
				for _, i := range issued {
					got, err := tokens.read(i.token)
					if ended := i.revoked || i.end > 0 && now >= i.end; ended != errors.Is(err, errTokenEnded) || !ended && got != i.session {
						t.Fatalf("%+v at %v: %q, %v", i, now, got, err)
					}
				}
			},
		})
	})
}

// TestUnknownTokensAreNotRevoked: an id that is of no token of this start takes nothing back, also one that an earlier start issued.
func TestUnknownTokensAreNotRevoked(t *testing.T) {
	t.Parallel()
	tokens, earlier := newSessionTokens(), newSessionTokens()
	token, id := tokens.IssueFor("s", 0)
	_, before := earlier.IssueFor("s", 0)
	for _, unknown := range []string{"", "1", "x", before, id + "0", "0" + id, id + " ", fmt.Sprintf("%08x-%d", tokens.start, 0), fmt.Sprintf("%08x-%d", tokens.start, 2), fmt.Sprintf("%08x-+1", tokens.start)} {
		if err := tokens.RevokeToken(unknown); !errors.Is(err, ErrTokenUnknown) {
			t.Errorf("%q: %v", unknown, err)
		}
	}
	if _, err := tokens.read(token); err != nil {
		t.Error(err)
	}
}

// TestRevokedTokensAreBounded: no token that was taken back is forgotten, so there is an end.
func TestRevokedTokensAreBounded(t *testing.T) {
	t.Parallel()
	tokens := newSessionTokens()
	first, _ := tokens.IssueFor("s0", 0)
	for i := range MaxRevoked {
		if err := tokens.RevokeSession(fmt.Sprintf("s%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	_, id := tokens.IssueFor("s", 0)
	if err := errors.Join(tokens.RevokeSession("s0"), tokens.RevokeSession("s1")); err != nil {
		t.Errorf("what is remembered already: %v", err)
	}
	for _, err := range []error{tokens.RevokeSession("s"), tokens.RevokeToken(id)} {
		if !errors.Is(err, ErrRevokedFull) {
			t.Error(err)
		}
	}
	if _, err := tokens.read(first); !errors.Is(err, errTokenEnded) {
		t.Error(err)
	}
}

// TestEndedTokensAreNotGuesses: a token that has ended is named as such, and does not make its bearer wait.
func TestEndedTokensAreNotGuesses(t *testing.T) {
	t.Parallel()
	a := NewAuthenticator(testToken, nil)
	token := a.Sessions.Issue("s")
	if err := a.Sessions.RevokeSession("s"); err != nil {
		t.Fatal(err)
	}
	for range 2 * maxWrongTokens {
		wantReason(t, "TCP", a.Identify(calling(tcpPeer("127.0.0.1:9"), ":authority", "localhost", "authorization", "Bearer "+token)), "TOKEN_EXPIRED")
	}
	c := a.Identify(calling(socketPeer(a.user), "authorization", "Bearer "+token))
	wantReason(t, "the socket", c, "TOKEN_EXPIRED")
	if c.Session != "" || c.Rejected == nil || c.Rejected.Reason != apierror.TokenExpired().Reason {
		t.Errorf("%+v", c)
	}
}

// Issue makes a token of a session that ends with the process.
func (t *SessionTokens) Issue(session string) string {
	token, _ := t.IssueFor(session, 0)
	return token
}
