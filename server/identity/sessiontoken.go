package identity

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
)

// SessionTokens makes and reads tokens that confine their bearers to a session. A token is a number, its end and the name of the
// session, with a code over them (HMAC-SHA256), so that nothing has to be remembered but those that were taken back. The key is random at each start, and so no token outlives the process. Safe for concurrent use.
type SessionTokens struct {
	key   [sha256.Size]byte
	start uint32               // random at each start: ids of an earlier one are unknown
	clock func() time.Duration // that goes on while the machine sleeps, and is set by nobody

	mu       sync.Mutex
	issued   uint64              // the number of the last token
	sessions map[string]uint64   // the last number of a session whose tokens were taken back
	numbers  map[uint64]struct{} // of tokens that were taken back by their id
}

// Errors of tokens that are of this start.
var (
	// errTokenEnded means that the lifetime of a token is over, or that it was taken back.
	errTokenEnded = errors.New("the token has ended")
	// errTokenWrong means that this server did not issue a token.
	errTokenWrong = errors.New("the token is wrong")
	// ErrTokenUnknown means that an id is of no token that was issued since the start.
	ErrTokenUnknown = errors.New("no token with this id was issued")
	// ErrRevokedFull means that more tokens were taken back than are remembered.
	ErrRevokedFull = errors.New("too many tokens were taken back")
)

// MaxRevoked is the largest number of sessions and tokens that are remembered as taken back.
const MaxRevoked = 10_000

func newSessionTokens() *SessionTokens {
	t := &SessionTokens{clock: bootTime, sessions: map[string]uint64{}, numbers: map[uint64]struct{}{}}
	_, _ = rand.Read(t.key[:]) // it never fails
	var start [4]byte
	_, _ = rand.Read(start[:])
	t.start = binary.BigEndian.Uint32(start[:])
	return t
}

// What precedes the name of the session in a token: the code, the number, and the end in nanoseconds of the clock.
const (
	codeSize  = sha256.Size
	claimSize = 8 + 8
)

// IssueFor makes a token of a session, and its id. It ends after a lifetime; 0: with the process.
func (t *SessionTokens) IssueFor(session string, lifetime time.Duration) (token, id string) {
	t.mu.Lock()
	t.issued++
	number := t.issued
	t.mu.Unlock()
	end := uint64(math.MaxUint64)
	if lifetime > 0 {
		end = uint64(t.clock() + lifetime)
	}
	return t.seal(number, end, session), t.id(number)
}

// seal returns a token: base64url of the code and of the claim that it is over.
func (t *SessionTokens) seal(number, end uint64, session string) string {
	claim := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, number), end)
	claim = append(claim, session...)
	return base64.RawURLEncoding.EncodeToString(append(t.code(claim), claim...))
}

// id returns the id of a token.
func (t *SessionTokens) id(number uint64) string { return fmt.Sprintf("%08x-%d", t.start, number) }

// read returns the session of a token. It fails with errTokenWrong for what was never issued, and with errTokenEnded. How long it
// takes says nothing of the right code.
func (t *SessionTokens) read(token string) (session string, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) <= codeSize+claimSize {
		return "", errTokenWrong
	}
	number, end := binary.BigEndian.Uint64(raw[codeSize:]), binary.BigEndian.Uint64(raw[codeSize+8:])
	session = string(raw[codeSize+claimSize:])
	if !hmac.Equal([]byte(token), []byte(t.seal(number, end, session))) { // there are other ways to write the same bytes
		return "", errTokenWrong
	}
	if end <= uint64(t.clock()) || t.isRevoked(session, number) {
		return "", errTokenEnded
	}
	return session, nil
}

// isRevoked reports whether a token was taken back.
func (t *SessionTokens) isRevoked(session string, number uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, revoked := t.numbers[number]
	return revoked || number <= t.sessions[session]
}

// RevokeSession takes back all tokens of a session that were issued until now. Later ones are good.
func (t *SessionTokens) RevokeSession(session string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.sessions[session]; !known && t.isFull() {
		return ErrRevokedFull
	}
	t.sessions[session] = t.issued
	return nil
}

// RevokeToken takes back the token with an id.
func (t *SessionTokens) RevokeToken(id string) error {
	var start uint32
	var number uint64
	if _, err := fmt.Sscanf(id, "%08x-%d", &start, &number); err != nil || t.id(number) != id {
		return ErrTokenUnknown
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch _, known := t.numbers[number]; {
	case number == 0 || number > t.issued:
		return ErrTokenUnknown
	case !known && t.isFull():
		return ErrRevokedFull
	}
	t.numbers[number] = struct{}{}
	return nil
}

// isFull reports whether no more is remembered. The caller holds mu.
func (t *SessionTokens) isFull() bool { return len(t.sessions)+len(t.numbers) >= MaxRevoked }

func (t *SessionTokens) code(claim []byte) []byte {
	mac := hmac.New(sha256.New, t.key[:])
	mac.Write([]byte("toolresult.v1 session\x00")) // a hash never fails
	mac.Write(claim)
	return mac.Sum(nil)
}
