package artifactapi

import (
	"context"
	"sync"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/redact"
)

// redactedLog is a log without secrets. Each secret is masked by as many bytes as it has, so that positions in the log are those
// of the received bytes. Safe for concurrent use.
//
// Bytes that may begin a secret are kept back until more decides. When nothing follows, settle appends those that hardly do,
// because a reader may wait for them (a prompt without a line end), and after a longer time those that a pattern waits with. The
// beginning of a registered value is kept back as long as the call is open, and masked at its end if that is certain. What is
// behind appended bytes is still masked when it turns out to be the rest of a secret, also in a later call.
type redactedLog struct {
	artifactstore.Log

	mu       sync.Mutex
	redactor *redact.Redactor
	quiet    int // settles without a byte before them
}

// settleEvery is the time between two looks at bytes that are kept back. They are appended after one to two of these, or after
// patience of them.
const (
	settleEvery = 500 * time.Millisecond
	patience    = 20
)

// shownBefore is how much of the end of a log is read as context for another call: more than a secret has.
const shownBefore = 32 << 10

// newRedactedLog returns a log that masks secrets as the options find them. shown is the end of what the log has, and begun the
// beginning of a value that is masked there.
func newRedactedLog(log artifactstore.Log, o redact.Options, shown, begun []byte) *redactedLog {
	o.SameLength = true
	l := &redactedLog{Log: log, redactor: redact.New(o)}
	if len(shown) > 0 {
		l.redactor.Prime(shown, begun)
	}
	return l
}

// Append appends the bytes that are certain to be no part of a secret, and keeps the others back.
func (l *redactedLog) Append(p []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.quiet = 0
	return l.append(l.redactor.Write([][]byte{p}))
}

// append appends parts. The caller holds mu.
func (l *redactedLog) append(parts [][]byte) error {
	for _, p := range parts {
		if err := l.Log.Append(p); err != nil {
			return err
		}
	}
	return nil
}

// flush appends the bytes that are kept back, for the end of a call. It returns the beginning of a value that it masked, with
// which another call goes on.
func (l *redactedLog) flush() (begun []byte, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rest, begun := l.redactor.Suspend()
	return begun, l.append(rest)
}

// settle appends bytes that are kept back if none were received since the last settle.
func (l *redactedLog) settle() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.quiet++
	if l.quiet == 1 {
		return nil
	}
	return l.append(l.redactor.Release(l.quiet > patience))
}

// waits reports whether bytes are kept back.
func (l *redactedLog) waits() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.redactor.Pending()) > 0
}

// Received returns the number of received bytes, with those that are kept back: a client goes on from there.
func (l *redactedLog) Received() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Log.Received() + l.redactor.Waiting()
}

// Finish makes an artifact of the log, with the bytes that are kept back.
func (l *redactedLog) Finish(ctx context.Context) (artifactstore.Ref, error) {
	if _, err := l.flush(); err != nil {
		return artifactstore.Ref{}, err
	}
	return l.Log.Finish(ctx)
}
