package journal

import (
	"context"
	"errors"
	"fmt"
)

// Import makes a sealed file of entries that another log has, with their numbers, times and hashes. Of an entry whose hash is not that
// of its content nothing is kept. Call it on a journal that has no entries of the stream; first and last are the numbers of the first and
// the last entry that each adds.
func (j *Journal) Import(ctx context.Context, s Stream, first, last uint64, each func(add func(*Entry) error) error) error {
	if j.Tip(s).Number > 0 {
		return errors.New("the stream has entries")
	}
	f := &sealedFile{stream: s, first: first, last: last}
	var tip, anchor Tip
	err := j.writeSealed(ctx, f, func(add func(*Entry) error) error {
		return each(func(e *Entry) error {
			if !e.holds(j.name) {
				return nil
			}
			if tip == (Tip{}) {
				anchor = Tip{e.Number - 1, e.Previous}
			}
			tip = e.tip()
			return add(e)
		})
	})
	if err != nil {
		return fmt.Errorf("import %s: %w", s, err)
	}
	j.adopt(f, anchor, tip)
	return nil
}
