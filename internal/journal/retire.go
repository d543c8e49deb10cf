package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Retire deletes the entries of a stream up to a number, and their bytes with them: whole files, and of the one that has both what
// goes and what stays, a new one of the rest. The chain goes on from the last entry that was deleted.
//
// The caller has appended that it does so. If it is interrupted, it does the rest when it is called again.
func (j *Journal) Retire(ctx context.Context, s Stream, until uint64) error {
	j.mu.RLock()
	anchor, tip, sealed := j.streams[s].anchor.Number, j.streams[s].tip.Number, j.lastSealed(s)
	j.mu.RUnlock()
	until = min(until, tip)
	if until <= anchor {
		return nil
	}
	if until > sealed {
		if err := j.Rotate(ctx); err != nil {
			return err
		}
	}
	j.keeper.sealing.Lock()
	defer j.keeper.sealing.Unlock()
	if j.keeper.closed.Load() {
		return ErrClosed
	}
	last, err := j.Get(s, until)
	if err != nil && !errors.Is(err, ErrDamaged) {
		return err
	}
	if err := j.announce(s, until, last); err != nil { // without it, entries that are deleted from here on would count as missing
		return classify(err)
	}
	rest, err := j.rest(ctx, s, until)
	if err != nil {
		return fmt.Errorf("retire %s up to %d: %w", s, until, err)
	}
	gone := j.drop(s, until, last, rest)
	var errs []error
	for _, f := range gone {
		if err := j.disk.Remove(f.name()); !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// announce makes it durable in the head file that entries up to a number are deleted on purpose. Where they are there after all, the
// sealed files say so.
func (j *Journal) announce(s Stream, until uint64, last *Entry) error {
	j.mu.Lock()
	retiring := &j.streams[s].retiring
	*retiring = Tip{Number: until}
	if last != nil {
		retiring.Hash = last.Hash
	}
	j.mu.Unlock()
	return j.noteHeads(true)
}

// rest writes the entries behind a number of the file that has it and does not end with it; nil: there is no such file.
func (j *Journal) rest(ctx context.Context, s Stream, until uint64) (*sealedFile, error) {
	j.mu.RLock()
	f := j.findSealed(s, until)
	j.mu.RUnlock()
	if f == nil || f.first > until || f.last == until {
		return nil, nil
	}
	rest := &sealedFile{stream: s, first: until + 1, last: f.last}
	err := j.writeSealed(ctx, rest, func(add func(*Entry) error) error {
		r := &reader{j: j, s: s, next: rest.first, until: f.last, visit: add}
		defer r.close()
		for r.next <= r.until {
			if err := r.block(f); err != nil {
				return err
			}
		}
		return nil
	})
	return rest, err
}

// drop moves the anchor of a stream, and returns the files that are not needed any more. rest is in the place of the one that has both
// what goes and what stays; nil: there is none.
func (j *Journal) drop(s Stream, until uint64, last *Entry, rest *sealedFile) (gone []*sealedFile) {
	j.mu.Lock()
	defer j.mu.Unlock()
	st := &j.streams[s]
	st.anchor = Tip{Number: until}
	if last != nil {
		st.anchor.Hash = last.Hash
	}
	var stay []*sealedFile
	for _, f := range st.sealed {
		switch {
		case f.last <= until:
			gone = append(gone, f)
		case f.first <= until:
			gone, stay = append(gone, f), append(stay, rest)
		default:
			stay = append(stay, f)
		}
	}
	st.sealed = stay
	return gone
}
