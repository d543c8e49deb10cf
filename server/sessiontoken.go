package server

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// sessionTokens makes and reads tokens that confine their bearers to a session. A token is the name of the session
// with a code over it (HMAC-SHA256), so that nothing has to be remembered of those that were issued. The key is
// random at each start, and so no token outlives the process.
type sessionTokens struct{ key [sha256.Size]byte }

func newSessionTokens() *sessionTokens {
	t := &sessionTokens{}
	_, _ = rand.Read(t.key[:]) // it never fails
	return t
}

// issue makes the token of a session: base64url of the code and the name.
func (t *sessionTokens) issue(session string) string {
	return base64.RawURLEncoding.EncodeToString(append(t.code(session), session...))
}

// read returns the session of a token, or false for what was never issued. How long that takes says nothing of the
// right code.
func (t *sessionTokens) read(token string) (session string, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) <= sha256.Size {
		return "", false
	}
	session = string(raw[sha256.Size:])
	return session, hmac.Equal([]byte(token), []byte(t.issue(session))) // there are other ways to write the same bytes
}

func (t *sessionTokens) code(session string) []byte {
	mac := hmac.New(sha256.New, t.key[:])
	mac.Write([]byte("toolresult.v1 session\x00" + session)) // a hash never fails
	return mac.Sum(nil)
}

// accessService is AccessService.
type accessService struct {
	pb.UnimplementedAccessServiceServer
	tokens  *sessionTokens
	secrets *secrets
}

// IssueSessionToken makes a token that confines its bearer to a session.
func (a *accessService) IssueSessionToken(_ context.Context, req *pb.IssueSessionTokenRequest) (*pb.IssueSessionTokenResponse, error) {
	check := envelope.NewChecker("")
	check.Name("session_id", req.GetSessionId(), true)
	if err := check.Err(); err != nil {
		return nil, err
	}
	return &pb.IssueSessionTokenResponse{Token: a.tokens.issue(req.GetSessionId())}, nil
}
