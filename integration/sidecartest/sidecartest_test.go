package sidecartest_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/sidecartest"
)

var binary string

func TestMain(m *testing.M) { os.Exit(sidecartest.Main(m, &binary)) }

// A started sidecar answers, and every way to end it is noticed.
func TestStartedSidecarServes(t *testing.T) {
	t.Parallel()
	s := sidecartest.Start(t, sidecartest.Options{Binary: binary, Args: []string{"--metrics=127.0.0.1:0"}})
	client := pb.NewToolResultServiceClient(sidecartest.Dial(t, s.Target()))
	if _, err := client.GetServerInfo(t.Context(), &pb.GetServerInfoRequest{}); err != nil {
		t.Error(err)
	}
	if !strings.HasPrefix(s.Metrics, "http://127.0.0.1:") || s.TCP != "" {
		t.Errorf("metrics at %q, TCP at %q", s.Metrics, s.TCP)
	}
	if code := s.Terminate(); code != 0 || !s.Ended() {
		t.Errorf("exit code %d", code)
	}
}

func TestSilentSidecarIsReadyWhenHealthy(t *testing.T) {
	t.Parallel()
	s := sidecartest.Start(t, sidecartest.Options{Binary: binary, Shell: "exec 1>&-", Silent: true})
	if s.Printed() != "" || s.Ended() {
		t.Errorf("it printed %q", s.Printed())
	}
}

// Serve reports a sidecar that does not come up, with its log.
func TestFailedStartIsAnError(t *testing.T) {
	t.Parallel()
	_, err := sidecartest.Serve(inDir(t, "--max-connections=0"))
	if err == nil || !strings.Contains(err.Error(), "ended at once") || !strings.Contains(err.Error(), "max_connections") {
		t.Errorf("the error is %v", err)
	}
}

// Stop reports an exit code that is not 0, unless the caller killed the process or said that any will do.
func TestStopChecksTheExit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		any  bool
		end  func(*sidecartest.Sidecar)
		bad  bool
	}{
		"untouched": {end: func(*sidecartest.Sidecar) {}},
		"killed":    {end: (*sidecartest.Sidecar).Kill},
		"asked for its goroutines": {end: func(s *sidecartest.Sidecar) {
			s.Signal(syscall.SIGQUIT)
			s.Wait()
		}},
		"killed by somebody else": {end: killed, bad: true},
		"any exit":                {end: killed, any: true},
	} {
		t.Run(name, func(t *testing.T) {
			o := inDir(t, c.args...)
			o.AnyExit = c.any
			s, err := sidecartest.Serve(o)
			if err != nil {
				t.Fatal(err)
			}
			c.end(s)
			if err := s.Stop(); (err != nil) != c.bad {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// killed kills the process without telling the Sidecar.
func killed(s *sidecartest.Sidecar) {
	_ = syscall.Kill(s.PID(), syscall.SIGKILL)
	s.Wait()
}

// inDir is a sidecar for Serve.
func inDir(t *testing.T, args ...string) sidecartest.Options {
	dir := sidecartest.ShortDir(t)
	return sidecartest.Options{
		Binary: binary, Home: dir, Socket: filepath.Join(dir, "run", "s"), Store: filepath.Join(dir, "store"), Args: args,
	}
}
