package integration_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// TestLandlock has a sidecar do everything that it does with files after it has given up its rights: store, append to logs, delete, read files under its roots, restart. What it cannot do any more is for the test of Restrict,
// in package server; that it did give them up, the kernel says.
func TestLandlock(t *testing.T) {
	t.Parallel()
	legLandlock(t)
	root := t.TempDir()
	path := filepath.Join(root, "log")
	if err := os.WriteFile(path, []byte(numbered(3000)), 0o600); err != nil {
		t.Fatal(err)
	}
	socket, store := "", ""
	// The first sidecar deletes, and only when it is asked to: what is put meanwhile must stay. The second one collects by itself.
	for start, keeping := range [][]string{
		{"--keep-for=1ms", "--session-lease=0s", "--gc-interval=0s"},
		{"--gc-interval=1s"},
	} {
		s := startSidecar(t, launch{Socket: socket, Store: store, Args: append([]string{
			"--landlock", "--roots=" + root, "--tcp=127.0.0.1:0", "--token-file=" + tokenFile(t, 0o600),
		}, keeping...)})
		socket, store = s.Socket, s.Store
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.PID()))
		if err != nil || !strings.Contains(string(text), "NoNewPrivs:\t1") {
			t.Errorf("nothing was given up: %v", err)
		}
		c := pb.NewArtifactServiceClient(s.conn)
		file := completed(0, "")
		file.Output.GetCommand().Stdout = &pb.Payload{Source: &pb.Payload_File{File: &pb.FileReference{Path: path}}}
		kept := s.project(t, file).GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
		if _, err := c.ReadArtifact(t.Context(), &pb.ReadArtifactRequest{Path: kept}); err != nil {
			t.Error(err)
		}
		if _, err := logFor(t.Context(), c, callOf("s", fmt.Sprint("call", start)), numbered(3000), true); err != nil {
			t.Error(err)
		}
		if _, err := logFor(t.Context(), c, callOf("s", "open"), numbered(30), false); err != nil {
			t.Error(err)
		}
		if _, err := streams(t.Context(), s, &pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{
			Header: &pb.StreamHeader{Family: "command", Streams: []string{"stdout"}},
		}}, chunkOf("stdout", numbered(5000)), finishOf(commandOutput(&pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32),
			Stdout: &pb.Payload{Source: &pb.Payload_Stream{Stream: "stdout"}},
		}))); err != nil {
			t.Error(err)
		}
		if _, err := pb.NewToolResultServiceClient(dial(t, s.TCP)).GetServerInfo(bearing(t.Context(), secret), &pb.GetServerInfoRequest{}); err != nil {
			t.Errorf("TCP: %v", err)
		}
		if start == 0 {
			time.Sleep(5 * time.Millisecond)
			if got, err := c.CollectGarbage(t.Context(), &pb.CollectGarbageRequest{}); err != nil || got.GetDeletedArtifacts() < 3 {
				t.Errorf("%v, %v", got, err)
			}
		}
		wantNone(t, s.Log.String(), "permission denied", "\"ERROR\"")
		if code := s.Terminate(); code != 0 {
			t.Errorf("exit code %d", code)
		}
		if _, err := os.Lstat(socket); err == nil {
			t.Error("the socket is still there")
		}
	}
}
