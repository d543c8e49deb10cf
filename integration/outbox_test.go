package integration_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/grpc"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// TestOutboxOverTheEnd cuts the connection to the database of the audit log while calls are made, and kills the sidecar: calls go on, over a
// start without the database too, a repeated call has its answer, and in the end the database has each record once.
func TestOutboxOverTheEnd(t *testing.T) {
	t.Parallel()
	dsn, cut := throughProxy(t)
	with := func(dsn string, s *sidecar) *sidecar {
		l := launch{Args: []string{"--audit=postgres"}, Env: []string{"TOOLRESULT_AUDIT_DSN=" + dsn}}
		if s != nil {
			l.Store = s.Store
		}
		return startSidecar(t, l)
	}
	s := with(dsn, nil)
	var heads []*pb.AuditRecord
	made := 0
	project := func(n int) {
		t.Helper()
		for range n {
			req := completed(0, fmt.Sprintln("output", made))
			req.RequestId = fmt.Sprint("outbox-", made)
			heads = append(heads, recordOf(t, s, func(o grpc.CallOption) error {
				_, err := s.Project(t.Context(), req, o)
				return err
			}))
			made++
		}
	}
	project(5)
	cut()
	project(5)
	s.Signal(syscall.SIGKILL)
	s.Wait()
	s = with(dsn, s) // there is nobody
	project(5)
	for _, i := range []int{1, 7, 12} {
		req := completed(0, fmt.Sprintln("output", i))
		req.RequestId = fmt.Sprint("outbox-", i)
		again := recordOf(t, s, func(o grpc.CallOption) error {
			_, err := s.Project(t.Context(), req, o)
			return err
		})
		if again.GetHash() != heads[i].GetHash() {
			t.Errorf("call %d is recorded again", i)
		}
	}
	s.Signal(syscall.SIGKILL)
	s.Wait()
	s = with(os.Getenv("TOOLRESULT_POSTGRES"), s)
	broken, verified, err := s.verifyLog(t, &pb.VerifyLogRequest{})
	if err != nil || len(broken) > 0 || verified.GetIntact() != 15 {
		t.Errorf("%v, %v, %v", broken, verified, err)
	}
	if code := s.Terminate(); code != 0 {
		t.Errorf("exit code %d: %s", code, strings.TrimSpace(s.Log.String()))
	}
}
