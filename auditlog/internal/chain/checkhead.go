package chain

// The head file of a log, when it opens and while it runs. The file is evidence against whoever can alter the database, and
// never a reason to stop: a log that did not open would lose records from then on.

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/toolresult/toolresult/auditlog"
)

// headCheck is the result of comparing a log with its recorded head. A mismatch is logged and kept in Status; it does not
// stop the log.
type headCheck struct {
	// end is the row from which the chain goes on.
	end Tip
	// inconsistency says what does not agree; empty: nothing.
	inconsistency string
	// conflict is a mismatch that the rows alone do not show, for Verify to report; nil: none.
	conflict *auditlog.Inconsistency
	// warning says why the rows alone cannot show that the end is missing; empty: they were compared with a head.
	warning string
	// quarantine means that the head file disagrees with the log, or is corrupt, and is kept as evidence.
	quarantine bool
}

// checkHead compares the end of a log with the recorded head. f is nil if no head is recorded.
//
// When the end of the log is missing, the chain goes on from the recorded head: no sequence that was answered is given to
// a second record, and the gap stays visible to Verify.
func checkHead(f *HeadFile, log string, end Tip, rows RowReader) (headCheck, error) {
	c := headCheck{end: end}
	if f == nil {
		return c, nil
	}
	found := f.Recorded
	switch {
	case f.Corrupt:
		c.inconsistency, c.quarantine = "the head that was kept outside cannot be read", true
		c.warning = c.inconsistency + unprovenEnd
	case found == nil && end.Sequence > 0:
		c.inconsistency = "no head was kept outside"
		c.warning = c.inconsistency + unprovenEnd
	case found == nil: // a new log
	case found.Log != log:
		c.reportConflict(found, fmt.Sprintf("the head that was kept outside is of another log: %s", *found))
	case found.Sequence > end.Sequence:
		c.inconsistency, c.end = missingRecords(end.Sequence+1, found.Sequence), found.Tip
	case found.Sequence > 0:
		same, err := hasHead(rows, found.Tip)
		if err != nil {
			return c, err
		}
		if !same {
			c.reportConflict(found, fmt.Sprintf("its hash is not that of the head that was kept outside: %s", *found))
		}
	}
	return c, nil
}

// unprovenEnd follows the reason of a warning.
const unprovenEnd = " when the log was opened: nothing proves that its end was there"

// headGone is the warning of a head file that was deleted or replaced since the log was opened.
const headGone = "the file of the head that is kept outside was deleted or replaced: heads of this log are kept nowhere"

// warnings returns what the chain alone cannot show: of the recorded head when the log was opened, and of its file now.
func (l *Log) warnings(end Tip) (list []string) {
	if l.start.warning != "" {
		list = append(list, l.start.warning)
	}
	if f := l.o.HeadFile; f != nil && end.Sequence > 0 && !f.present() {
		list = append(list, headGone)
	}
	return list
}

// hasHead reports whether a row has the recorded hash. A row that is gone has it: retention may have deleted it, and
// Verify finds out if it did not.
func hasHead(rows RowReader, head Tip) (bool, error) {
	found, err := rows.Rows(context.Background(), head.Sequence, head.Sequence, 1)
	return err == nil && (len(found) != 1 || found[0].Hash == head.Hash), err
}

// reportConflict notes that the recorded head disagrees with the log.
func (c *headCheck) reportConflict(recorded *Head, reason string) {
	c.inconsistency = fmt.Sprintf("record %d: %s", recorded.Sequence, reason)
	c.conflict = &auditlog.Inconsistency{Sequence: recorded.Sequence, Reason: reason}
	c.quarantine = true
}

// missingRecords names the records first to last, which are missing.
func missingRecords(first, last uint64) string {
	if first == last {
		return fmt.Sprintf("record %d is missing", first)
	}
	return fmt.Sprintf("records %d to %d are missing", first, last)
}

// headRecorder writes the heads of a log into its head file. Losing one loses no record, so a failure is logged, once
// until a write succeeds again.
type headRecorder struct {
	file    *HeadFile // nil: heads are not recorded
	log     string
	logger  *slog.Logger
	failing bool // the last write failed
}

// prepare writes the head into both slots, so that later heads need no more space, and makes them durable: after a power
// cut a log with records and no head looks as if somebody had removed the head.
func (r *headRecorder) prepare(c headCheck) error {
	if r.file == nil {
		return nil
	}
	if c.quarantine {
		path, err := r.file.Quarantine()
		if err != nil {
			return fmt.Errorf("the head that was kept outside: %w", err)
		}
		r.logger.Error("the head that was kept outside was set aside", slog.String("path", path))
	}
	r.record(c.end)
	r.record(c.end)
	if err := r.file.Sync(); err != nil && !r.failing {
		r.logger.Warn("the head of the audit log is not durable", slog.Any("error", err))
	}
	return nil
}

// record writes a head, without a sync: the next one replaces it soon, and an older head still proves all before it.
func (r *headRecorder) record(end Tip) {
	if r.file == nil {
		return
	}
	err := r.file.Write(Head{r.log, end})
	if err != nil && !r.failing {
		r.logger.Warn("the head of the audit log could not be kept outside", slog.Any("error", err))
	}
	r.failing = err != nil
}
