package local

import (
	"context"
	"errors"

	"github.com/bits-and-blooms/bloom/v3"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// Nearly every request is a new one, and to ask an index each time whether it is takes longer than the rest of an append. So a Bloom
// filter (Bloom, "Space/Time Trade-offs in Hash Coding with Allowable Errors", 1970) has the requests of the log: what it does not
// have was never recorded. It is made from the index once a server has asked some questions, and again when it is full.

const (
	// minQuestions is how many questions the index answers before a filter is made: a server that serves few calls needs none.
	minQuestions = 128
	// minFilter is the least number of requests that a filter is made for, and filterError the part of the new requests that it takes
	// for known when it has that many. Each takes 10 bits.
	minFilter   = 64 << 10
	filterError = 0.01
	// maxFilter is the largest number: of a log with more, the index is asked.
	maxFilter = 32 << 20
)

// knownRequests is a filter of the requests that were recorded. The mutex of requests guards it.
type knownRequests struct {
	filter    *bloom.BloomFilter // nil: there is none
	next      *bloom.BloomFilter // that is being made; nil: none is
	left      int                // requests that filter has space for
	questions int
	off       bool // the log has too many
}

// add adds a request.
func (k *knownRequests) add(key requestKey) {
	for _, f := range []*bloom.BloomFilter{k.filter, k.next} {
		if f != nil {
			f.AddString(key.text())
		}
	}
	k.left--
}

// lacks reports whether a request was certainly not recorded before.
func (k *knownRequests) lacks(key requestKey) bool {
	return k.filter != nil && !k.filter.TestString(key.text())
}

// text returns the key as one text that no other key has.
func (k requestKey) text() string { return k.session + "\x00" + k.id }

// isNew reports whether a request was certainly not recorded before. It counts the questions, and begins to make a filter.
func (l *Log) isNew(key requestKey) bool {
	q := &l.requests
	q.mu.Lock()
	defer q.mu.Unlock()
	k := &q.known
	if k.questions++; k.questions >= minQuestions && k.next == nil && !k.off && (k.filter == nil || k.left < 0) && l.index.Applied() >= q.opened {
		l.makeFilter()
	}
	return k.lacks(key)
}

// makeFilter begins to make a filter. The caller holds the mutex of the requests.
func (l *Log) makeFilter() {
	q, first, last := &l.requests, l.journal.Anchor(journal.Records).Number+1, l.index.Applied()
	if last > first+maxFilter {
		q.known = knownRequests{off: true}
		return
	}
	space := max(minFilter, 2*int(last+1-min(first, last)))
	next := bloom.NewWithEstimates(uint(space), filterError)
	for key := range q.recent { // those that the index does not have are among them
		next.AddString(key.text())
	}
	q.known.next = next
	l.filling.Go(func() {
		err := l.fillFilter(next, first, last)
		q.mu.Lock()
		defer q.mu.Unlock()
		k := &q.known
		k.next, k.questions, k.off = nil, 0, errors.Is(err, errGap)
		if err == nil {
			k.filter, k.left = next, space-int(last+1-min(first, last))
		} else if k.filter != nil && k.left < 0 {
			k.filter = nil // it takes too many for known
		}
	})
}

// errGap means that the index has not all records. Then its answers are those of an index that was altered, and no filter says more.
var errGap = errors.New("the index has not all records")

// fillFilter adds the requests of the records first to last to a filter, a page of the index at a time.
func (l *Log) fillFilter(f *bloom.BloomFilter, first, last uint64) error {
	const page = 1000
	for first <= last {
		if l.closed.Load() {
			return auditlog.ErrClosed
		}
		keys := make([]requestKey, 0, page)
		until := min(first+page-1, last)
		if err := l.index.Peek(context.Background(), func(db *sqlitedb.DB) error {
			return db.Each("SELECT session, request_id FROM rows WHERE sequence BETWEEN ? AND ?", []any{int64(first), int64(until)}, func(scan func(...any) error) error {
				keys = append(keys, requestKey{})
				key := &keys[len(keys)-1]
				return scan(&key.session, &key.id)
			})
		}); err != nil {
			return err
		}
		if anchor := l.journal.Anchor(journal.Records).Number; uint64(len(keys)) != until+1-first && anchor < first {
			return errGap
		}
		l.requests.addTo(f, keys)
		first = until + 1
	}
	return nil
}

// addTo adds requests to a filter that others may be adding to.
func (q *requests) addTo(f *bloom.BloomFilter, keys []requestKey) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, key := range keys {
		if key.id != "" {
			f.AddString(key.text())
		}
	}
}
