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
// Bytes that may begin a secret are kept back, but not for ever: when nothing follows, settle appends them, because a reader
// may wait for them (a prompt without a line end). A secret that is written with a longer pause in it is the price.
type redactedLog struct {
	artifactstore.Log

	mu       sync.Mutex
	redactor *redact.Redactor
	received bool // bytes since the last settle
}

// settleEvery is the time between two looks at bytes that are kept back. They are appended after one to two of these.
const settleEvery = 500 * time.Millisecond

// newRedactedLog returns a log that masks secrets as the options find them.
func newRedactedLog(log artifactstore.Log, o redact.Options) *redactedLog {
	o.SameLength = true
	return &redactedLog{Log: log, redactor: redact.New(o)}
}

// Append appends the bytes that are certain to be no part of a secret, and keeps the others back.
func (l *redactedLog) Append(p []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.received = true
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

// flush appends the bytes that are kept back, for the end of a call.
func (l *redactedLog) flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.append(l.redactor.Flush())
}

// settle appends the bytes that are kept back if none were received since the last settle.
func (l *redactedLog) settle() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	more := l.received
	if l.received = false; more {
		return nil
	}
	return l.append(l.redactor.Flush())
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
	if err := l.flush(); err != nil {
		return artifactstore.Ref{}, err
	}
	return l.Log.Finish(ctx)
}
