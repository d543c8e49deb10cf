package session_test

import (
	"testing"
	"time"

	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/server/session"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// harness is a servertest.Harness with sessions.
type harness struct {
	*servertest.Harness
	sessions *session.Service
}

func newHarness(t testing.TB) harness {
	h := servertest.New(t)
	return harness{h, session.New(session.Options{Project: h.Project, Idle: servertest.Idle, Deadline: time.Minute})}
}
