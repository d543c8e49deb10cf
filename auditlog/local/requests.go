package local

import (
	"context"
	"fmt"
	"sync"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/internal/record"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// requests has the requests whose records are not in the index yet, so that none is recorded twice, and all are found.
type requests struct {
	opened uint64 // the last record when the log was opened: before the index has it, it says nothing

	mu     sync.Mutex
	recent map[requestKey][]recentRecord
	count  int // of recent records
	known  knownRequests
}

// requestKey identifies a request.
type requestKey struct{ session, id string }

// recentRecord is a record that the index may not have.
type recentRecord struct {
	part   uint32
	number uint64 // 0: it is being appended
}

// keyOf returns the key of a record's request; false: it has none.
func keyOf(r *pb.AuditRecord) (requestKey, bool) {
	return requestKey{record.Text(r.GetCall().GetSessionId()), record.Text(r.GetRequestId())}, r.GetRequestId() != ""
}

// start prepares the requests of a log whose last record has a number.
func (q *requests) start(last uint64) {
	q.opened, q.recent = last, map[requestKey][]recentRecord{}
}

// maxRecent is the number of recent records from which those that the index has are forgotten.
const maxRecent = 1024

// take notes that records are being appended. It fails if one has the request and part of another one. Those that it returns may have
// that of a record that is in the index.
func (q *requests) take(records []*pb.AuditRecord, indexed, anchor uint64) (ask []*pb.AuditRecord, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.count > maxRecent {
		q.forget(indexed)
	}
	for i, r := range records {
		key, ok := keyOf(r)
		if !ok {
			continue
		}
		for _, other := range q.recent[key] {
			if other.part == r.GetPart() && (other.number == 0 || other.number > anchor) {
				q.drop(records[:i])
				return nil, fmt.Errorf("session %.40q, request %.40q: %w", key.session, key.id, auditlog.ErrReused)
			}
		}
		q.recent[key] = append(q.recent[key], recentRecord{part: r.GetPart()})
		if !q.known.lacks(key) {
			ask = append(ask, r)
		}
		q.known.add(key)
		q.count++
	}
	return ask, nil
}

// forget forgets the records that are in the index. The caller holds q.mu.
func (q *requests) forget(indexed uint64) {
	q.count = 0
	for key, list := range q.recent {
		var rest []recentRecord
		for _, r := range list {
			if r.number == 0 || r.number > indexed {
				rest = append(rest, r)
			}
		}
		if q.count += len(rest); len(rest) == 0 {
			delete(q.recent, key)
		} else {
			q.recent[key] = rest
		}
	}
}

// drop forgets records that are not appended. The caller holds q.mu.
func (q *requests) drop(records []*pb.AuditRecord) {
	for _, r := range records {
		key, ok := keyOf(r)
		if !ok {
			continue
		}
		var rest []recentRecord
		for _, other := range q.recent[key] {
			if other.number != 0 || other.part != r.GetPart() {
				rest = append(rest, other)
			}
		}
		if q.recent[key] = rest; len(rest) == 0 {
			delete(q.recent, key)
		}
		q.count--
	}
}

// done notes that records were appended, or that they were not.
func (q *requests) done(records []*pb.AuditRecord, entries []*journal.Entry, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		q.drop(records)
		return
	}
	for i, r := range records {
		key, ok := keyOf(r)
		if !ok {
			continue
		}
		for n := range q.recent[key] {
			if other := &q.recent[key][n]; other.number == 0 && other.part == r.GetPart() {
				other.number = entries[i].Number
			}
		}
	}
}

// find returns the numbers of the recent records of a request, after one.
func (q *requests) find(key requestKey, after uint64) (numbers []uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range q.recent[key] {
		if r.number > after {
			numbers = append(numbers, r.number)
		}
	}
	return numbers
}

// reserve makes sure that the requests of records are recorded once. done must be called with the outcome.
func (l *Log) reserve(ctx context.Context, records []*pb.AuditRecord) (done func([]*journal.Entry, error), err error) {
	ask, err := l.requests.take(records, l.index.Applied(), l.journal.Anchor(journal.Records).Number)
	if err != nil {
		return nil, err
	}
	done = func(entries []*journal.Entry, err error) { l.requests.done(records, entries, err) }
	for _, r := range ask {
		key, _ := keyOf(r)
		used := false
		err := l.peek(ctx, func(db *sqlitedb.DB) (err error) {
			used, err = db.Row("SELECT 1 FROM rows WHERE session = ? AND "+isRequest+" AND part = ? AND sequence > ?",
				[]any{key.session, key.id, key.id, r.GetPart(), int64(l.journal.Anchor(journal.Records).Number)}, new(int))
			return err
		})
		if err == nil && used {
			err = fmt.Errorf("session %.40q, request %.40q: %w", key.session, key.id, auditlog.ErrReused)
		}
		if err != nil {
			done(nil, err)
			return nil, err
		}
	}
	return done, nil
}

// peek asks the index for what is not recent. While it is made again it has too little, and one waits for it.
func (l *Log) peek(ctx context.Context, ask func(db *sqlitedb.DB) error) error {
	if l.index.Applied() < l.requests.opened {
		return classify(l.index.Read(ctx, ask))
	}
	return classify(l.index.Peek(ctx, ask))
}
