package compaction

import (
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/compactor"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/admission"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/pipeline"
	"github.com/toolresult/toolresult/server/redaction"
	"github.com/toolresult/toolresult/tokens"
)

// How many bytes of a history are kept in memory, as they are encoded. What is over it is spooled into the artifact store.
const (
	requestMemory       = 16 << 20 // of one in a request, which is in memory anyway
	DefaultStreamMemory = 2 << 20
)

// Bytes of memory that a history takes: of an entry and its plan, and of a message that is kept, beside its bytes.
const (
	perEntry   = 1 << 10
	perMessage = 1 << 10
)

// history is the results of a history as they are given, in the order of the entries.
type history struct {
	registry *families.Registry
	ctx      context.Context // of the call
	session  string
	limit    int // of entries
	most     int // bytes in memory
	entries  []compactor.Entry
	results  []givenResult
	turn     uint32 // of the last entry
	memory   int    // bytes that are in memory, with some for each message
	records  sessionRecords
	screen   redaction.Screen
	counter  tokens.Counter // of the policy
	spool    spool
	holds    *admission.Growing // of a stream; a request has its memory from its message
}

// givenResult is where a result is.
type givenResult struct {
	message *pb.CanonicalToolResult // nil: in the spool, or not known
	at      int64
	size    int
}

func newHistory(ctx context.Context, s *Service, session string, limit, most int, counter tokens.Counter) *history {
	h := &history{registry: s.Registry, ctx: ctx, session: session, limit: limit, most: most, screen: s.Screen, counter: counter, holds: &admission.Growing{}}
	h.records = sessionRecords{audit: s.Recorder, session: session}
	h.spool = spool{newStage: func() (artifactstore.Stage, error) { return s.Store.Stage(ctx) }}
	return h
}

// close gives back what the history holds.
func (h *history) close() {
	h.spool.close()
	h.holds.Release()
}

// add checks the next entry, and takes its result.
func (h *history) add(e *pb.CompactEntry) error {
	const bounds = pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS
	i := len(h.entries)
	if i == h.limit {
		return tooManyEntries(h.limit)
	}
	path := fmt.Sprintf("entries[%d]", i)
	check := envelope.NewChecker(path)
	check.CallID("call_id", e.GetCallId(), false)
	check.Length("subject", e.GetSubject(), maxSubject)
	if e.GetTurn() < h.turn {
		check.Fail("turn", bounds, "is %d, after a result of turn %d", e.GetTurn(), h.turn)
	}
	if err := check.Err(); err != nil {
		return err
	}
	r, unknown, err := h.result(path, e)
	if err != nil {
		return err
	}
	h.turn = e.GetTurn()
	h.entries = append(h.entries, compactor.Entry{
		Unknown: unknown, Call: e.GetCallId(), Turn: int(e.GetTurn()), Subject: compactor.NewSubject(e.GetSubject()), Preceding: int(e.GetPrecedingTokens()),
	})
	if err := h.keep(r); err != nil {
		return err
	}
	return h.holds.Grow(h.takes(0))
}

func tooManyEntries(limit int) error {
	check := envelope.NewChecker("")
	check.Fail("entries", pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "has more than the %d results that are allowed", limit)
	return check.Err()
}

// result returns the result of an entry. One that this version does not know, or that is not as the contract has it, stays
// as it is: what a result says rejects no history.
func (h *history) result(path string, e *pb.CompactEntry) (r *pb.CanonicalToolResult, unknown *compactor.UnknownError, err error) {
	field := pipeline.CanonicalField
	switch given := e.GetResult().(type) {
	case *pb.CompactEntry_Canonical:
		r = given.Canonical
	case *pb.CompactEntry_CanonicalJson:
		field = pipeline.JSONField
		if r, err = envelope.FromJSON([]byte(given.CanonicalJson), e.GetFamily()); err != nil {
			return nil, h.unknown(given.CanonicalJson, err), nil
		}
	default:
		field = "call_id"
		if r, err = h.onRecord(path, e.GetCallId()); err != nil {
			return nil, nil, err
		}
	}
	if err := envelope.ValidateCanonical(field, r, h.registry.Types()); err != nil {
		return nil, h.unknownMessage(r, err), nil
	}
	return h.screen.Result(h.session, r), nil, nil
}

// unknown returns what is known of a result that stays as it is.
func (h *history) unknown(given string, why error) *compactor.UnknownError {
	return &compactor.UnknownError{Tokens: h.counter.Count(given), Why: why}
}

// unknownMessage is unknown for a message. Its bytes have all of its texts, those of fields that this version does not know
// included.
func (h *history) unknownMessage(r *pb.CanonicalToolResult, why error) *compactor.UnknownError {
	given, err := envelope.Marshal(r)
	if err != nil {
		given = []byte(r.String()) // it was not received over a wire
	}
	return h.unknown(string(given), why)
}

// onRecord returns the latest result of a call on record.
func (h *history) onRecord(path, call string) (*pb.CanonicalToolResult, error) {
	check := envelope.NewChecker("")
	switch {
	case call == "":
		check.Fail(path+"."+pipeline.CanonicalField, pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required, or the call_id of a result on record")
	case h.session == "":
		check.Fail("session_id", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required for entries that name a result on record")
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	r, err := h.records.latest(h.ctx, call)
	if err != nil {
		return nil, apierror.AtField(path+".call_id", err)
	}
	return r, nil
}

// keep puts a result where load finds it.
func (h *history) keep(r *pb.CanonicalToolResult) error {
	if r == nil {
		h.results = append(h.results, givenResult{})
		return nil
	}
	if n := perMessage + proto.Size(r); h.memory+n <= h.most && h.holds.Grow(h.takes(n)) == nil {
		h.memory += n
		h.results = append(h.results, givenResult{message: r})
		return nil
	}
	at, size, err := h.spool.write(r)
	h.results = append(h.results, givenResult{at: at, size: size})
	return err
}

// takes returns the bytes of memory that the history takes, with some more for a message.
func (h *history) takes(more int) int64 { return int64(perEntry*len(h.entries) + h.memory + more) }

// planned is the history as a plan has it.
func (h *history) planned() compactor.History {
	return compactor.History{Entries: h.entries, Load: h.load, Keep: h.most}
}

// load returns a result that is known.
func (h *history) load(i int) (*pb.CanonicalToolResult, error) {
	if err := h.ctx.Err(); err != nil {
		return nil, err
	}
	given := &h.results[i]
	if given.message != nil {
		return given.message, nil
	}
	return h.spool.read(given.at, given.size)
}

// spool keeps messages in a stage of the artifact store, which is removed with it.
type spool struct {
	newStage func() (artifactstore.Stage, error)
	stage    artifactstore.Stage // nil before the first message
	written  int64
	reader   io.ReadCloser // nil before the first read, after which nothing is written
	buffer   []byte
}

func (s *spool) write(r *pb.CanonicalToolResult) (at int64, size int, err error) {
	if s.stage == nil {
		if s.stage, err = s.newStage(); err != nil {
			return 0, 0, err
		}
	}
	if s.buffer, err = (proto.MarshalOptions{}).MarshalAppend(s.buffer[:0], r); err != nil {
		return 0, 0, err
	}
	at = s.written
	n, err := s.stage.Write(s.buffer)
	s.written += int64(n)
	return at, n, err
}

// errNotSeekable is of a stage whose content cannot be read anywhere.
var errNotSeekable = errors.New("read a spooled history: the stage cannot seek")

func (s *spool) read(at int64, size int) (*pb.CanonicalToolResult, error) {
	if s.reader == nil {
		blob, err := s.stage.Seal()
		if err != nil {
			return nil, err
		}
		if s.reader, err = blob.Open(); err != nil {
			return nil, err
		}
	}
	seeker, ok := s.reader.(io.ReadSeeker)
	if !ok {
		return nil, errNotSeekable
	}
	if _, err := seeker.Seek(at, io.SeekStart); err != nil {
		return nil, err
	}
	if cap(s.buffer) < size {
		s.buffer = make([]byte, size)
	}
	s.buffer = s.buffer[:size]
	if _, err := io.ReadFull(seeker, s.buffer); err != nil {
		return nil, err
	}
	r := &pb.CanonicalToolResult{}
	return r, proto.Unmarshal(s.buffer, r)
}

func (s *spool) close() {
	if s.reader != nil {
		_ = s.reader.Close() // read-only
	}
	if s.stage != nil {
		_ = s.stage.Discard() // what is left behind is removed at the next start
	}
}
