//go:build linux

package faults_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// asked returns a question of a session and its answer, from a sidecar where all is well.
func (s *sidecar) asked(t testing.TB, request string) (question, ackedRecord, string) {
	t.Helper()
	q := question{session: "s", request: request}
	resp, record, err := s.ask(t.Context(), q)
	must(t, err)
	return q, record, artifactOf(resp)
}

// killed kills the sidecar and starts another in its store.
func (s *sidecar) killed(t testing.TB) *sidecar {
	t.Helper()
	s.Signal(syscall.SIGKILL)
	s.Wait()
	return startSidecar(t, launch{Store: s.Store})
}

// segment is the file of the journal that is written, of a store that is young.
const segment = "journal/segments/0000000001.segment"

// on is for the calls of the kernel on a file of the store alone.
func (s *sidecar) on(name string) string { return "path=" + filepath.Join(s.Store, name) }

// TestErrorsOfTheKernelAtTheAuditLog is J01, J04, J07, J10 and L03 as a client sees them: a call of the kernel on a file
// of the audit log fails. What was not recorded is refused with what the contract says, nothing that was acknowledged
// is lost, and the same request made again is answered once and recorded once: after a failed sync only after a restart,
// after any other failure as soon as it is over.
func TestErrorsOfTheKernelAtTheAuditLog(t *testing.T) {
	leg(t, "strace")
	const full, poisoned, readOnly, passing, fine = "DISK_FULL", "AUDIT_LOG_FAILED", "STORE_READ_ONLY", "AUDIT_LOG_UNAVAILABLE", ""
	for _, c := range []struct{ file, call, reason, answer string }{
		{segment, "pwritev", "ENOSPC", full},
		{segment, "pwritev", "EDQUOT", full},
		{segment, "pwritev", "EIO", passing},
		{segment, "pwritev", "EROFS", readOnly},
		{segment, "pwritev", "EFBIG", full},
		{segment, "fdatasync", "EIO", poisoned},
		{segment, "fdatasync", "ENOSPC", poisoned},
		{segment, "fdatasync", "EINTR", poisoned},
		{"records.db-wal", "pwrite64", "ENOSPC", fine},
		{"records.db-wal", "pwrite64", "EIO", fine},
	} {
		t.Run(c.file+" "+c.call+" "+c.reason, func(t *testing.T) {
			t.Parallel()
			s := startSidecar(t, launch{AnyExit: true})
			first, before, artifact := s.asked(t, "before")
			stop := meddle(t, s.PID(), s.on(c.file), "trace="+c.call, fmt.Sprintf("inject=%s:error=%s", c.call, c.reason))
			q := question{session: "s", request: "meanwhile"}
			_, during, err := s.ask(t.Context(), q)
			switch c.answer {
			case fine:
				must(t, err)
			case full:
				wantRefusal(t, "while it fails", err, codes.ResourceExhausted, full)
			case readOnly:
				wantRefusal(t, "while it fails", err, codes.FailedPrecondition, readOnly)
			case passing:
				wantRefusal(t, "while it fails", err, codes.Unavailable, passing)
			default:
				wantRefusal(t, "while it fails", err, codes.FailedPrecondition, poisoned)
			}
			s.wantHealth(t)
			stop()
			_, again, err := s.ask(t.Context(), q)
			if c.answer == poisoned {
				wantRefusal(t, "until it is started again", err, codes.FailedPrecondition, poisoned)
				s.wantPoisoned(t, first, before, artifact)
			} else {
				must(t, err)
				if c.answer == fine && again != during {
					t.Errorf("answered by %v and by %v", during, again)
				}
			}
			s = s.killed(t)
			for _, was := range []struct {
				question
				ackedRecord
			}{{first, before}, {q, again}} {
				_, now, err := s.ask(t.Context(), was.question)
				must(t, err)
				if was.hash != "" && now != was.ackedRecord {
					t.Errorf("answered by %v, and now by %v", was.ackedRecord, now)
				}
				s.wantReplayed(t, now.sequence)
			}
			s.wantChain(t, []ackedRecord{before})
			if code := s.Terminate(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			verifyBooks(t, s.Store, []string{before.String()})
		})
	}
}

// wantPoisoned checks what works while nothing can be recorded: reading, the answers that there are, and health as a
// whole; the health of the service that needs records says that it is not well.
func (s *sidecar) wantPoisoned(t *testing.T, q question, record ackedRecord, artifact string) {
	t.Helper()
	_, err := s.Render(t.Context(), &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: &pb.CanonicalToolResult{
		ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "done",
		Result: &pb.CanonicalToolResult_Command{Command: &pb.CommandResult{Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32)}},
	}}})
	wantRefusal(t, "Render", err, codes.FailedPrecondition, "AUDIT_LOG_FAILED")
	s.wantWhole(t, artifact, q.text())
	if r, err := s.audit.GetRecord(t.Context(), &pb.GetRecordRequest{Sequence: record.sequence}); err != nil || r.GetRecord().GetHash() != record.hash {
		t.Errorf("GetRecord: %v, %v", r.GetRecord().GetHash(), err)
	}
	s.wantReplayed(t, record.sequence)
	s.wantChain(t, []ackedRecord{record})
	if _, again, err := s.ask(t.Context(), q); err != nil || again != record {
		t.Errorf("what was answered is answered by %v, error %v", again, err)
	}
	for service, want := range map[string]healthpb.HealthCheckResponse_ServingStatus{
		"": healthpb.HealthCheckResponse_SERVING,
		pb.ArtifactService_ServiceDesc.ServiceName:   healthpb.HealthCheckResponse_SERVING,
		pb.AuditService_ServiceDesc.ServiceName:      healthpb.HealthCheckResponse_SERVING,
		pb.ToolResultService_ServiceDesc.ServiceName: healthpb.HealthCheckResponse_NOT_SERVING,
	} {
		if h, err := s.health.Check(t.Context(), &healthpb.HealthCheckRequest{Service: service}); err != nil || h.GetStatus() != want {
			t.Errorf("the health of %q is %v, error %v", service, h.GetStatus(), err)
		}
	}
}

// TestKilledBetweenRecordAndAnswer is C09 and E13 with a crash: the record is durable, and the sidecar dies before it
// answers. The same request gets the answer of that record, and no second one.
func TestKilledBetweenRecordAndAnswer(t *testing.T) {
	leg(t, "strace")
	for name, stream := range map[string]bool{"message": false, "stream": true} {
		t.Run(name, func(t *testing.T) {
			s := startSidecar(t, launch{AnyExit: true})
			_, before, _ := s.asked(t, "before")
			// A small artifact gets its name when its record is durable, and before it is answered.
			meddle(t, s.PID(), "trace=linkat", "inject=linkat:signal=KILL")
			q := question{session: "s", request: "r", stream: stream}
			_, _, err := s.ask(t.Context(), q)
			if status.Code(err) != codes.Unavailable {
				t.Fatalf("it was to die, and answers %v", err)
			}
			s.Wait()
			s = startSidecar(t, launch{Store: s.Store})
			resp, record, err := s.ask(t.Context(), q)
			must(t, err)
			if record.sequence != before.sequence+1 {
				t.Errorf("the record is %d, after %d: the first one was lost, or there is a second", record.sequence, before.sequence)
			}
			s.wantOneRecord(t, q)
			s.wantReplayed(t, record.sequence)
			s.wantWhole(t, artifactOf(resp), q.text())
			if _, again, err := s.ask(t.Context(), q); err != nil || again != record {
				t.Errorf("%v, and then %v, error %v", record, again, err)
			}
			other := question{session: "s", request: "r", stream: stream, more: "another line\n"}
			_, _, err = s.ask(t.Context(), other)
			wantRefusal(t, "the id of another request", err, codes.AlreadyExists, "REQUEST_ID_REUSED")
			s.wantChain(t, []ackedRecord{before, record})
		})
	}
}

// wantOneRecord checks that a request was recorded once.
func (s *sidecar) wantOneRecord(t testing.TB, q question) {
	t.Helper()
	list, err := s.audit.ListRecords(t.Context(), &pb.ListRecordsRequest{SessionId: q.session, RequestId: q.request})
	if err != nil || len(list.GetRecords()) != 1 {
		t.Errorf("%v has %d records, error %v", q, len(list.GetRecords()), err)
	}
}

// TestSlowSyncOfTheAuditLog is J11 and E13 for records: while a sync of the log takes 2 s, health answers and a call
// with less time meets its deadline; made again, it has the result, from one record.
func TestSlowSyncOfTheAuditLog(t *testing.T) {
	leg(t, "strace")
	s := startSidecar(t, launch{})
	stop := meddle(t, s.PID(), s.on(segment), "trace=fdatasync", "inject=fdatasync:delay_enter=2000000")
	q := question{session: "s", request: "slow"}
	ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
	defer cancel()
	if _, _, err := s.ask(ctx, q); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("%v", err)
	}
	s.wantHealth(t)
	_, record, err := s.ask(t.Context(), q)
	must(t, err)
	stop()
	s.wantOneRecord(t, q)
	if _, again, err := s.ask(t.Context(), q); err != nil || again != record {
		t.Errorf("%v, and then %v, error %v", record, again, err)
	}
	s.wantChain(t, []ackedRecord{record})
}

// TestLogIsFullAndTheArtifactFits is L06: what cannot be recorded is not answered. A large artifact was durable already: it
// is of no record, and is collected. A small one has no name before its record.
func TestLogIsFullAndTheArtifactFits(t *testing.T) {
	leg(t, "strace")
	for name, c := range map[string]struct{ lines, artifacts int }{"small": {2500, 0}, "large": {60_000, 1}} {
		t.Run(name, func(t *testing.T) {
			s := startSidecar(t, launch{Args: []string{"--keep-for=1ms", "--gc-interval=0s"}})
			stop := meddle(t, s.PID(), s.on(segment), "trace=pwritev", "inject=pwritev:error=ENOSPC")
			_, err := s.inOneMessage(t.Context(), numbered(c.lines))
			wantRefusal(t, "without room for the record", err, codes.ResourceExhausted, "DISK_FULL")
			stop()
			if n := len(artifactNames(t, s.Store)); n != c.artifacts {
				t.Errorf("%d artifacts", n)
			}
			list, err := s.audit.ListRecords(t.Context(), &pb.ListRecordsRequest{Kinds: []pb.AuditKind{pb.AuditKind_AUDIT_KIND_PROJECTION}})
			if err != nil || len(list.GetRecords()) != 0 {
				t.Errorf("%v, error %v", list.GetRecords(), err)
			}
			time.Sleep(5 * time.Millisecond)
			collected, err := s.artifacts.CollectGarbage(t.Context(), &pb.CollectGarbageRequest{})
			must(t, err)
			if collected.GetDeletedArtifacts() != uint64(c.artifacts) || len(artifactNames(t, s.Store)) != 0 {
				t.Errorf("%v was collected", collected)
			}
			if _, err := s.inOneMessage(t.Context(), numbered(c.lines)); err != nil {
				t.Errorf("with room again: %v", err)
			}
		})
	}
}

// TestRecordFollowsTheArtifact is the order that a power cut can only find by luck. A large artifact is synced and its directory too before
// its record; a small one is in the journal with it. The journal is synced, and then a small artifact has its name and there is an answer.
func TestRecordFollowsTheArtifact(t *testing.T) {
	leg(t, "strace")
	r := underStrace(t, "recorder", "trace=write,pwritev,fsync,fdatasync,linkat")
	next := func(from int, call, what string) int {
		for i := from; i < len(r.calls); i++ {
			if strings.Contains(r.calls[i], " "+call+"(") && strings.Contains(r.calls[i], what) {
				return i
			}
		}
		t.Fatalf("after call %d there is no %s of %s", from, call, what)
		return 0
	}
	last := func(before int, call, what string) int {
		for i := before; i >= 0; i-- {
			if strings.Contains(r.calls[i], " "+call+"(") && strings.Contains(r.calls[i], what) {
				return i
			}
		}
		t.Fatalf("before call %d there is no %s of %s", before, call, what)
		return 0
	}
	small, large := 0, 0
	for i, line := range r.calls {
		m := linked.FindStringSubmatch(line)
		if m == nil || m[4] == "FORMAT" {
			continue
		}
		told := next(i, "write", "blake3:")
		var steps []int
		if m[4] == "17340a" {
			large++
			steps = []int{i, next(i, "fsync", "<"+m[3]+">"), next(i, "pwritev", ".segment>"), next(i, "fdatasync", ".segment>"), told}
		} else {
			small++
			synced := last(i, "fdatasync", ".segment>")
			steps = []int{last(synced, "pwritev", ".segment>"), synced, i, told}
		}
		if !slices.IsSorted(steps) {
			t.Errorf("%s is linked by the call %d, and the steps are the calls %v", m[4], i, steps)
		}
	}
	if small < 3 || large < 1 {
		t.Errorf("only %d small artifacts and %d large ones", small, large)
	}
}

// TestOthersCannotReadTheLog is L10: whatever the umask, and though somebody opened the directory, no other user reads
// what was recorded.
func TestOthersCannotReadTheLog(t *testing.T) {
	leg(t, "setpriv")
	s := startSidecar(t, launch{Shell: "umask 0"})
	s.asked(t, "r")
	for _, dir := range []string{filepath.Dir(s.Store), s.Store} {
		must(t, os.Chmod(dir, 0o755))
	}
	names, err := filepath.Glob(filepath.Join(s.Store, "*.db*"))
	must(t, err)
	journal, err := filepath.Glob(filepath.Join(s.Store, "journal", "*", "*"))
	must(t, err)
	if len(names) < 6 || len(journal) < 1 { // two databases, each with a write-ahead log and its index, and a segment
		t.Errorf("only %q and %q", names, journal)
	}
	for _, name := range append(names, journal...) {
		info, err := os.Stat(name)
		must(t, err)
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", name, info.Mode())
		}
		out := run(t, "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c", `cat "$1" > /dev/null 2>&1 && echo read || echo refused`, "sh", name)
		if strings.TrimSpace(out) != "refused" {
			t.Errorf("another user has %s %s", name, out)
		}
	}
	must(t, os.Chmod(s.Store, 0o700))
}
