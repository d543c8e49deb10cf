package integration_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// takenAway are ways to take the store of a running sidecar away, or a part of it. Mounts end with the test t.
func takenAway() map[string]func(t *testing.T, store string) error {
	ways := map[string]func(t *testing.T, store string) error{
		"store/deleted": func(_ *testing.T, store string) error { return os.RemoveAll(store) },
		"store/moved":   func(_ *testing.T, store string) error { return os.Rename(store, store+"-2") },
		"store/a link": func(t *testing.T, store string) error {
			return errors.Join(os.Rename(store, store+"-2"), os.Symlink(store+"-2", store))
		},
		"store/a backup": func(t *testing.T, store string) error { // put in its place while the sidecar runs
			return errors.Join(runOK(t, "cp", "-a", store, store+"-backup"), os.Rename(store, store+"-2"), os.Rename(store+"-backup", store))
		},
		"store/covered": func(t *testing.T, store string) error { // by another file system
			mountAt(t, store, "mode=0700")
			return nil
		},
		"store/covered by itself": func(t *testing.T, store string) error { // by a backup of it
			legTool(t, "mount")
			backup := store + "-backup"
			if err := errors.Join(runOK(t, "cp", "-a", store, backup), mountOver(store, backup)); err != nil {
				return err
			}
			t.Cleanup(func() { _ = unix.Unmount(store, 0) })
			return nil
		},
	}
	for _, name := range []string{"LOCK", "journal", "journal/segments/0000000001.segment"} {
		ways[name+"/deleted"] = func(t *testing.T, store string) error { return os.RemoveAll(filepath.Join(store, name)) }
		ways[name+"/moved"] = func(t *testing.T, store string) error {
			return os.Rename(filepath.Join(store, name), filepath.Join(store, name+"-2"))
		}
		ways[name+"/a copy"] = func(t *testing.T, store string) error {
			path := filepath.Join(store, name)
			return errors.Join(runOK(t, "cp", "-a", path, path+"-2"), os.Rename(path, path+"-1"), os.Rename(path+"-2", path))
		}
		ways[name+"/a link"] = func(t *testing.T, store string) error {
			path := filepath.Join(store, name)
			return errors.Join(os.Rename(path, path+"-2"), os.Symlink(filepath.Base(name)+"-2", path))
		}
	}
	return ways
}

// runOK runs a program that must succeed.
func runOK(t *testing.T, args ...string) error {
	t.Helper()
	if r := run(t, os.Environ(), nil, args[0], args[1:]...); r.code != 0 {
		return errors.New(r.stderr)
	}
	return nil
}

// TestNothingIsAcknowledgedWithoutAStore takes a store, or a part of it, away under a running sidecar. From then on nothing is
// acknowledged, small results and large ones alike; the log says so once, and health says that a start is needed. What is
// still there is read.
func TestNothingIsAcknowledgedWithoutAStore(t *testing.T) {
	t.Parallel()
	for name, harm := range takenAway() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startSidecar(t, launch{Args: []string{"--volatile"}})
			defer s.Kill() // it may not end in order any more
			kept := s.project(t, completed(0, numbered(2000))).GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
			if err := harm(t, s.Store); err != nil {
				t.Fatal(err)
			}
			for i, size := range []int{1, 3000, 2, 4000, 1} {
				_, err := s.Project(t.Context(), completed(int32(i), numbered(size)))
				wantFinal(t, err)
			}
			wantHealth(t, s, healthpb.HealthCheckResponse_NOT_SERVING)
			waitFor(t, "the log to say so", func() bool { return s.Log.Contains("takes no") })
			log := s.Log.String()
			for _, line := range []string{"the journal failed, and takes nothing more", "the store failed, and takes nothing more"} {
				if n := strings.Count(log, line); n > 1 {
					t.Errorf("%q is in the log %d times", line, n)
				}
			}
			for _, raw := range []bool{false, true} {
				_, err := pb.NewArtifactServiceClient(s.conn).ReadArtifact(t.Context(), &pb.ReadArtifactRequest{Path: kept, Raw: raw})
				if refused := err != nil; refused != (name == "store/deleted") {
					t.Errorf("reading, raw %v: %v", raw, err)
				}
			}
		})
	}
}

// wantFinal checks that a call was refused for good, by what the log or the store lost.
func wantFinal(t *testing.T, err error) {
	t.Helper()
	r := refusalOf(t, err)
	lost := r.code == codes.FailedPrecondition && r.reason == "AUDIT_LOG_FAILED" || r.code == codes.Internal && r.reason == "STORE_FAILED"
	if !lost || !strings.Contains(r.message, "until the server starts again") || r.retry != 0 {
		t.Errorf("refused with %s %s, retry in %v: %s", r.code, r.reason, r.retry, r.message)
	}
}

// wantHealth checks the health of the service that projects. The server as a whole goes on.
func wantHealth(t *testing.T, s *sidecar, want healthpb.HealthCheckResponse_ServingStatus) {
	t.Helper()
	health := healthpb.NewHealthClient(s.conn)
	for service, want := range map[string]healthpb.HealthCheckResponse_ServingStatus{
		pb.ToolResultService_ServiceDesc.ServiceName: want, "": healthpb.HealthCheckResponse_SERVING,
	} {
		if h, err := health.Check(t.Context(), &healthpb.HealthCheckRequest{Service: service}); err != nil || h.GetStatus() != want {
			t.Errorf("health of %q: %v, %v", service, h.GetStatus(), err)
		}
	}
}

// TestShardsMayVanish deletes directories of artifacts under a running sidecar: what is put from then on is durable, also the same
// content as before, and what is gone is ARTIFACT_MISSING.
func TestShardsMayVanish(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	request := completed(0, numbered(2000))
	path := s.project(t, request).GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
	if err := os.RemoveAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	_, err := pb.NewArtifactServiceClient(s.conn).ReadArtifact(t.Context(), &pb.ReadArtifactRequest{Path: path})
	wantRefusal(t, err, codes.DataLoss, "ARTIFACT_MISSING", "")
	s.project(t, request)
	if kept, err := os.ReadFile(path); err != nil || string(kept) != numbered(2000) {
		t.Errorf("it has %d bytes, error %v", len(kept), err)
	}
	wantHealth(t, s, healthpb.HealthCheckResponse_SERVING)
}

// TestIndexesAreMadeAgain takes the indexes away under a running sidecar, which goes on with others in memory, and before a start, which
// makes them again from the journal.
func TestIndexesAreMadeAgain(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	req := completed(0, numbered(3000))
	req.Call, req.RequestId = &pb.CallReference{SessionId: "s"}, "r"
	first := s.project(t, req)
	for round := range 3 {
		removeIndexes(t, s.Store)
		if round == 2 {
			s.Terminate()
			removeIndexes(t, s.Store)
			s = startSidecar(t, launch{Store: s.Store})
		}
		other := completed(int32(round), numbered(3001+round))
		other.Call = &pb.CallReference{SessionId: "s"}
		s.project(t, other)
		waitFor(t, "what was before", func() bool {
			records, err := s.audit().ListRecords(t.Context(), &pb.ListRecordsRequest{SessionId: "s"})
			artifacts, err2 := pb.NewArtifactServiceClient(s.conn).ListArtifacts(t.Context(), &pb.ListArtifactsRequest{SessionId: "s"})
			return errors.Join(err, err2) == nil && len(records.GetRecords()) == 2+round && len(artifacts.GetArtifacts()) == 2+round
		})
		if again := s.project(t, req); again.GetReceipt().GetText() != first.GetReceipt().GetText() {
			t.Errorf("answered by %q, and now by %q", first.GetReceipt().GetText(), again.GetReceipt().GetText())
		}
	}
	wantHealth(t, s, healthpb.HealthCheckResponse_SERVING)
	if _, err := os.Stat(filepath.Join(s.Store, "records.db")); err != nil {
		t.Error(err)
	}
}

// removeIndexes removes the files of the indexes that are there.
func removeIndexes(t *testing.T, store string) {
	t.Helper()
	for _, name := range []string{"records.db", "catalog.db"} {
		for _, suffix := range []string{"", "-wal", "-shm"} {
			if err := os.Remove(filepath.Join(store, name+suffix)); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
	}
}
