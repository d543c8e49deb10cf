package local

import (
	"context"

	"github.com/toolresult/toolresult/internal/journal"
)

// GiveUp deletes the records up to a number, and no record says so: they are in another log, of which this one is the outbox.
func (l *Log) GiveUp(ctx context.Context, until uint64) error {
	l.retention.Lock()
	defer l.retention.Unlock()
	if err := l.open(); err != nil {
		return err
	}
	if until <= l.journal.Anchor(journal.Records).Number {
		return nil
	}
	return l.retire(ctx, until)
}
