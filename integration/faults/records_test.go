//go:build linux

package faults_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// ackedRecord is the acknowledgement of a record: where it is, what was answered, and to which request.
type ackedRecord struct {
	log      string
	sequence uint64
	hash     string
	answer   string // digest of the answer
	request  string
}

// String is the line of an acknowledgement.
func (r ackedRecord) String() string {
	return fmt.Sprintf("record %s %d %s %s %s", r.log, r.sequence, r.hash, r.answer, r.request)
}

// parseRecord reads such a line.
func parseRecord(line string) (r ackedRecord, ok bool) {
	n, _ := fmt.Sscanf(line, "record %s %d %s %s %s", &r.log, &r.sequence, &r.hash, &r.answer, &r.request)
	return r, n == 5
}

// recordsOf are the records that lines acknowledge.
func recordsOf(acks []string) (list []ackedRecord) {
	for _, line := range acks {
		if r, ok := parseRecord(line); ok {
			list = append(list, r)
		}
	}
	return list
}

// answerDigest is the digest of what a client was answered, or of what a record says that it was.
func answerDigest(canonical *pb.CanonicalToolResult, receipt *pb.Receipt) string {
	hash := blake3.New()
	for _, m := range []proto.Message{canonical, receipt} {
		encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		if err != nil {
			return err.Error()
		}
		fmt.Fprintf(hash, "%d\n%s", len(encoded), encoded)
	}
	return fmt.Sprintf("%x", hash.Sum(nil))
}

// verifyRecords looks at everything in the audit log of a store: the chain holds, every record that the
// lines of acks acknowledge is there and has what was answered, no sequence was given twice, no request has two
// records, and each artifact that a record of a session names is in the store.
func verifyRecords(t testing.TB, s station, acks []string) (f found) {
	t.Helper()
	log, store := s.log, s.store
	if found := log.Status().Inconsistency; found != "" {
		t.Errorf("the audit log is inconsistent: %s", found)
	}
	ctx := context.Background()
	verified, err := log.Verify(ctx, 0, func(b auditlog.Inconsistency) error {
		f.torn++
		t.Errorf("record %d: %s", b.Sequence, b.Reason)
		return nil
	})
	must(t, err)
	acked := map[uint64]ackedRecord{}
	for _, r := range recordsOf(acks) {
		if other, twice := acked[r.sequence]; twice && other != r {
			f.torn++
			t.Errorf("two answers have a sequence: %v and %v", other, r)
		}
		acked[r.sequence] = r
		if r.sequence > verified.Head.Sequence || r.log != verified.Head.Log {
			f.lost++
			t.Errorf("acknowledged %q, and the head is %+v", r, verified.Head)
		}
	}
	requests := map[string]uint64{}
	for at := verified.First; at <= verified.Head.Sequence; at++ {
		record, err := log.Get(ctx, at)
		if err != nil {
			f.torn++
			t.Errorf("record %d: %v", at, err)
			continue
		}
		if r, ok := acked[at]; ok && (record.GetHash() != r.hash || answerDigest(record.GetCanonical(), record.GetReceipt()) != r.answer) {
			f.lost++
			t.Errorf("acknowledged %q, found %s with another hash or answer", r, record.GetHash())
		}
		if other, twice := requests[requestOf(record)]; twice && record.GetRequestId() != "" {
			f.torn++
			t.Errorf("records %d and %d are of the same request", other, at)
		}
		requests[requestOf(record)] = at
		if err := wantArtifacts(ctx, store, record); err != nil {
			f.torn++
			t.Errorf("record %d: %v", at, err)
		}
	}
	return f
}

func requestOf(r *pb.AuditRecord) string {
	return fmt.Sprint(r.GetCall().GetSessionId(), " ", r.GetRequestId(), " ", r.GetPart())
}

// wantArtifacts looks for the artifacts that a record names. Those of no session may have been deleted.
func wantArtifacts(ctx context.Context, store artifactstore.Store, r *pb.AuditRecord) error {
	if r.GetCall() == nil {
		return nil
	}
	var paths []string
	for _, p := range r.GetPayloads() {
		paths = append(paths, p.GetArtifact(), p.GetOriginalArtifact())
	}
	for _, a := range r.GetCanonical().GetCommand().GetArtifacts() {
		paths = append(paths, a.GetPath())
	}
	for _, path := range paths {
		if path == "" {
			continue
		}
		name, err := store.Resolve(path)
		if err != nil {
			return fmt.Errorf("it names %s: %w", path, err)
		}
		if has, err := store.Has(ctx, name); err != nil || !has {
			return errors.Join(fmt.Errorf("it names %s, which is not there", path), err)
		}
	}
	return nil
}

// isRecord reports whether a line acknowledges a record.
func isRecord(line string) bool { return strings.HasPrefix(line, "record ") }
