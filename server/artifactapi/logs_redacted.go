package artifactapi

import (
	"context"
	"sync"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/redact"
)

// redactedLog is a log without secrets. Each is masked by as many bytes as it has, so that
// positions in the log are those of what came.
//
// What may be the beginning of a secret is held back, but not for ever: when nothing more
// comes, settle appends it, because somebody may wait for it.
type redactedLog struct {
	artifactstore.Log

	mu       sync.Mutex
	redactor *redact.Redactor
	came     bool // something, since settle was called last
}

// settleEvery is how often it is looked whether more came of what is held back.
const settleEvery = 500 * time.Millisecond

// newRedactedLog returns a log that masks what the options find.
func newRedactedLog(log artifactstore.Log, o redact.Options) *redactedLog {
	o.SameLength = true
	return &redactedLog{Log: log, redactor: redact.New(o)}
}

// Append appends what is certain to be no part of a secret.
func (l *redactedLog) Append(p []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.came = true
	return l.append(l.redactor.Write([][]byte{p}))
}

func (l *redactedLog) append(parts [][]byte) error {
	for _, p := range parts {
		if err := l.Log.Append(p); err != nil {
			return err
		}
	}
	return nil
}

// flush appends what is held back.
func (l *redactedLog) flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.append(l.redactor.Flush())
}

// settle appends what is held back if nothing came since it was called last.
func (l *redactedLog) settle() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	waits := l.came
	if l.came = false; waits {
		return nil
	}
	return l.append(l.redactor.Flush())
}

// holds reports whether something is held back.
func (l *redactedLog) holds() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.redactor.Pending()) > 0
}

// Received counts what is held back, too.
func (l *redactedLog) Received() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Log.Received() + l.redactor.Waiting()
}

// Finish makes an artifact of all of it.
func (l *redactedLog) Finish(ctx context.Context) (artifactstore.Ref, error) {
	if err := l.flush(); err != nil {
		return artifactstore.Ref{}, err
	}
	return l.Log.Finish(ctx)
}
