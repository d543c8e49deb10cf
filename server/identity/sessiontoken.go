package identity

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// SessionTokens makes and reads tokens that confine their bearers to a session. A token is the name of the session
// with a code over it (HMAC-SHA256), so that nothing has to be remembered of those that were issued. The key is
// random at each start, and so no token outlives the process.
type SessionTokens struct{ key [sha256.Size]byte }

func newSessionTokens() *SessionTokens {
	t := &SessionTokens{}
	_, _ = rand.Read(t.key[:]) // it never fails
	return t
}

// Issue makes the token of a session: base64url of the code and the name.
func (t *SessionTokens) Issue(session string) string {
	return base64.RawURLEncoding.EncodeToString(append(t.code(session), session...))
}

// read returns the session of a token, or false for what was never issued. How long that takes says nothing of the
// right code.
func (t *SessionTokens) read(token string) (session string, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) <= sha256.Size {
		return "", false
	}
	session = string(raw[sha256.Size:])
	return session, hmac.Equal([]byte(token), []byte(t.Issue(session))) // there are other ways to write the same bytes
}

func (t *SessionTokens) code(session string) []byte {
	mac := hmac.New(sha256.New, t.key[:])
	mac.Write([]byte("toolresult.v1 session\x00" + session)) // a hash never fails
	return mac.Sum(nil)
}
