package redaction

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
	"weak"

	"google.golang.org/grpc/codes"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
)

// Bounds of registered values, as access.proto states them.
const (
	MaxSetID           = 128      // bytes
	maxSecrets         = 10_000   // of a call
	maxSecretSessions  = 10_000   // that have values of their own
	maxRegisteredBytes = 64 << 20 // of all values
	maxIndexBytes      = 96 << 20 // of memory, of what finds the values: of equal lists once
)

// Secrets has the values that runtimes registered. They are in memory alone, and gone with the process: a caller that depends on
// them requires their id, and is rejected by a server that does not have them. Safe for concurrent use.
type Secrets struct {
	key [32]byte // of this start: a set id of another start is not known

	registering sync.Mutex                             // one call compiles at a time; callers that only redact do not wait for it
	compiled    map[string]weak.Pointer[redact.Values] // by the name of their list without a session

	mu    sync.RWMutex
	sets  map[string]*secretSet // by session; "" is for all
	bytes int                   // of all values, as they were registered
}

// secretSet has the values of one session. It does not change: another list is another set, so readers need no lock once they
// have one.
type secretSet struct {
	id     string          // which a caller may require
	list   []redact.Secret // its own, without those for all
	bytes  int             // of list
	values *redact.Values  // with those for all sessions
}

// NewSecrets returns an empty register with a key of its own.
func NewSecrets() *Secrets {
	s := &Secrets{sets: map[string]*secretSet{}, compiled: map[string]weak.Pointer[redact.Values]{}}
	_, _ = rand.Read(s.key[:]) // it never fails
	return s
}

// Values returns the values that must not be in anything of a session: its own and those for all; nil for none. It fails with
// SECRETS_UNKNOWN if required is the id of neither.
func (s *Secrets) Values(session, required string) (*redact.Values, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	own, all := s.sets[session], s.sets[""]
	if required != "" && !own.is(required) && !all.is(required) {
		return nil, &apierror.StatusError{
			Code: codes.FailedPrecondition, Reason: pb.ErrorReason_ERROR_REASON_SECRETS_UNKNOWN,
			Message: "the server does not have the registered values that the call requires; register them again",
		}
	}
	switch {
	case own != nil:
		return own.values, nil
	case all != nil:
		return all.values, nil
	}
	return nil, nil
}

// is reports whether the set has an id. A nil set has none.
func (set *secretSet) is(id string) bool { return set != nil && set.id == id }

// Register replaces the values of a session, or with an empty session those for all. It returns the id of the list, "" for an
// empty list. All or none of the list is registered.
func (s *Secrets) Register(session string, list []redact.Secret) (id string, err error) {
	s.registering.Lock()
	defer s.registering.Unlock()
	set := &secretSet{id: s.name(session, list), list: list}
	for _, secret := range list {
		set.bytes += len(secret.Value)
	}
	total := s.bytes + set.bytes
	if old := s.sets[session]; old != nil {
		total -= old.bytes
	} else if len(s.sets) >= maxSecretSessions {
		return "", tooManySecrets("sessions", maxSecretSessions)
	}
	if total > maxRegisteredBytes {
		return "", tooManySecrets("bytes", maxRegisteredBytes)
	}
	sets, err := s.with(session, set)
	if err != nil {
		return "", err
	}
	if indexBytes(sets) > max(maxIndexBytes, indexBytes(s.sets)) { // a smaller list is always taken
		return "", tooManySecrets("bytes of their index", maxIndexBytes)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sets, s.bytes = sets, total
	if len(list) == 0 {
		return "", nil // nothing is left that could be required
	}
	return set.id, nil
}

// with returns all sets with that of one session replaced. Each session has the values for all, too, so a change of these
// compiles every set again.
func (s *Secrets) with(session string, set *secretSet) (map[string]*secretSet, error) {
	sets := maps.Clone(s.sets)
	sets[session] = set
	all := sets[""]
	for name, old := range sets {
		if name != session && session != "" {
			continue // it stays as it is
		}
		made := *old
		list := made.list
		if name != "" && all != nil {
			list = slices.Concat(all.list, list)
		}
		var err error
		if made.values, err = s.compile(list); err != nil {
			return nil, err
		}
		sets[name] = &made
	}
	for _, name := range []string{session, ""} { // a session without a set has those for all
		if s := sets[name]; s != nil && len(s.list) == 0 {
			delete(sets, name)
		}
	}
	return sets, nil
}

// indexBytes returns the memory of what finds the values of some sets.
func indexBytes(sets map[string]*secretSet) (n int64) {
	seen := make(map[*redact.Values]bool, len(sets))
	for _, set := range sets {
		if !seen[set.values] && set.values != nil {
			seen[set.values] = true
			n += set.values.Size()
		}
	}
	return n
}

// compile compiles a list, or returns the values of an equal one: sessions of one agent often have the same secrets. The caller
// holds registering.
func (s *Secrets) compile(list []redact.Secret) (*redact.Values, error) {
	key := s.name("", list)
	if known := s.compiled[key].Value(); known != nil {
		return known, nil
	}
	values, err := redact.NewValues(list)
	if err != nil {
		return nil, err
	}
	if len(s.compiled) > 2*len(s.sets)+64 {
		maps.DeleteFunc(s.compiled, func(_ string, p weak.Pointer[redact.Values]) bool { return p.Value() == nil })
	}
	s.compiled[key] = weak.Make(values)
	return values, nil
}

// name returns the id of a list: a keyed hash (HMAC-SHA-256, FIPS 198-1), so that it proves nothing about a value to anybody
// without the key, which ends with the process. Lengths are hashed too, so that no two lists run into each other.
func (s *Secrets) name(session string, list []redact.Secret) string {
	mac := hmac.New(sha256.New, s.key[:])
	write := func(b []byte) {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(b)))
		mac.Write(n[:])
		mac.Write(b)
	}
	write([]byte(session))
	for _, secret := range list {
		write([]byte(secret.Name))
		write(secret.Value)
	}
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// tooManySecrets returns the error for a list that would exceed a bound of the register.
func tooManySecrets(what string, limit int) error {
	return &apierror.StatusError{
		Code: codes.ResourceExhausted, Reason: pb.ErrorReason_ERROR_REASON_QUOTA_SESSION,
		Message:  "more values are registered than there may be",
		Metadata: map[string]string{"limit": strconv.Itoa(limit), "of": what},
	}
}

// RegisterSecrets registers values that must not be in anything that is made of an output. Errors name the place of a value in
// the list, and never the value.
func (s *Secrets) RegisterSecrets(ctx context.Context, req *pb.RegisterSecretsRequest) (*pb.RegisterSecretsResponse, error) {
	session, err := identity.Confine(ctx, req.GetSessionId())
	if err != nil {
		return nil, err
	}
	check := envelope.NewChecker("")
	check.Name("session_id", session, false)
	if n := len(req.GetSecrets()); n > maxSecrets {
		check.Fail("secrets", pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "has %d values, at most %d are allowed", n, maxSecrets)
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	list := make([]redact.Secret, len(req.GetSecrets()))
	for i, one := range req.GetSecrets() {
		at := "secrets[" + strconv.Itoa(i) + "]"
		list[i] = redact.Secret{Name: one.GetName(), Value: one.GetValue()}
		switch _, err := redact.NewValues(list[i : i+1]); {
		case errors.Is(err, redact.ErrName):
			check.Fail(at+".name", pb.ErrorReason_ERROR_REASON_NAME_INVALID, "%v", err)
		case err != nil:
			check.Fail(at+".value", pb.ErrorReason_ERROR_REASON_SECRET_INVALID, "%v", err)
		}
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	id, err := s.Register(session, list)
	if _, ours := errors.AsType[*apierror.StatusError](err); err != nil && !ours { // of several together
		check.Fail("secrets", pb.ErrorReason_ERROR_REASON_SECRET_INVALID, "%v", err)
		return nil, check.Err()
	}
	if err != nil {
		return nil, err
	}
	return &pb.RegisterSecretsResponse{SetId: id}, nil
}
