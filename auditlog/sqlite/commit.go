package sqlite

// A batch of appends is one transaction with one sync. If the transaction fails because of one append, it is repeated so
// that this one alone fails: after a conflict with savepoints, and on a full disk with a transaction for each. Both are
// rare, and the usual batch pays nothing for them.

import (
	"errors"

	"github.com/toolresult/toolresult/auditlog/internal/chain"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// Commit implements [chain.Committer].
func (b *backend) Commit(end chain.Tip, at int64, appends []*chain.Append) (chain.Tip, error) {
	b.lock <- struct{}{}
	defer func() { <-b.lock }()
	next, err := b.commitAll(end, at, b.admit(appends))
	if err != nil {
		return end, classify(err)
	}
	for _, a := range appends {
		a.Err = classify(a.Err)
		if a.Err == nil {
			b.noteSize(a)
		}
	}
	return next, nil
}

// commitAll commits appends in one transaction. Only if that fails it finds those that fail.
func (b *backend) commitAll(end chain.Tip, at int64, appends []*chain.Append) (chain.Tip, error) {
	next, err := b.commitTogether(end, at, appends)
	switch {
	case err == nil:
		return next, nil
	case errors.Is(err, sqlitedb.ErrConflict): // a request id that is used already
		return b.commitSingly(end, at, appends)
	case errors.Is(err, sqlitedb.ErrFull):
		return b.commitFull(end, at, appends), nil
	}
	return end, err
}

// commitTogether commits appends in one transaction: all or none.
func (b *backend) commitTogether(end chain.Tip, at int64, appends []*chain.Append) (chain.Tip, error) {
	if len(appends) == 0 {
		return end, nil
	}
	next := end
	err := b.writer.Transaction(func() (err error) {
		next = end
		for _, a := range appends {
			if next, err = b.append(next, at, a); err != nil {
				return err
			}
		}
		return nil
	})
	return next, err
}

// commitSingly commits appends in one transaction without those that conflict with a row, and sets their Err.
func (b *backend) commitSingly(end chain.Tip, at int64, appends []*chain.Append) (chain.Tip, error) {
	last := end
	err := b.writer.Transaction(func() error {
		last = end
		for _, a := range appends {
			next := last
			a.Err = b.writer.Attempt(func() (err error) {
				next, err = b.append(last, at, a)
				return err
			})
			if a.Err == nil { // only then does the chain go on
				last = next
			} else if !errors.Is(a.Err, sqlitedb.ErrConflict) {
				return a.Err
			}
		}
		return nil
	})
	return last, err
}

// append seals and stores the rows of an append, in a transaction.
func (b *backend) append(end chain.Tip, at int64, a *chain.Append) (chain.Tip, error) {
	if err := b.retire(a.Retired); err != nil {
		return end, err
	}
	for _, r := range a.Rows {
		end = r.Seal(b.name, end, at)
		if err := b.writer.Run(insertRecord, rowValues(r)...); err != nil {
			return end, err
		}
		for _, artifact := range r.Artifacts {
			if err := b.writer.Run("INSERT INTO artifacts VALUES (?, ?)", int64(r.Sequence), artifact); err != nil {
				return end, err
			}
		}
	}
	return end, nil
}

// insertRecord is the statement of each append. It is made once, so that the database finds it prepared.
var insertRecord = insert()

// retire deletes the oldest rows, and moves the anchor of the chain. nil deletes none.
func (b *backend) retire(r *chain.Retired) error {
	if r == nil {
		return nil
	}
	// The anchor moves in the same transaction, so the chain has no moment without a beginning.
	last := int64(r.Last.Sequence)
	return errors.Join(b.writer.Run("DELETE FROM records WHERE sequence <= ?", last),
		b.writer.Run("DELETE FROM artifacts WHERE sequence <= ?", last),
		b.writer.Run("UPDATE log SET anchor_sequence = ?, anchor_hash = ?", last, r.Last.Hash[:]))
}

// noteSize counts the rows and bytes of an append that was committed.
func (b *backend) noteSize(a *chain.Append) {
	b.count.Add(int64(len(a.Rows)))
	if a.Retired != nil {
		b.count.Add(-a.Retired.Count)
	}
	if b.path == "" {
		for _, r := range a.Rows {
			b.bytes.Add(int64(r.StoredBytes()))
		}
	}
}
