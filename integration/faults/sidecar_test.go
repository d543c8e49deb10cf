//go:build linux

package faults_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/sidecartest"
)

// launch says how a sidecar is started.
type launch = sidecartest.Options

// sidecar is a running process of the binary, and a connection to it.
type sidecar struct {
	*sidecartest.Sidecar
	pb.ToolResultServiceClient
	artifacts pb.ArtifactServiceClient
	audit     pb.AuditServiceClient
	conn      *grpc.ClientConn
	health    healthpb.HealthClient
}

// startSidecar starts a sidecar and waits until it serves. At the end of the test it is sent SIGTERM and must
// exit with code 0.
func startSidecar(t testing.TB, l launch) *sidecar {
	t.Helper()
	l.Binary = sidecarBinary(t)
	running := sidecartest.Start(t, l)
	conn := sidecartest.Dial(t, running.Target())
	return &sidecar{
		running, pb.NewToolResultServiceClient(conn), pb.NewArtifactServiceClient(conn), pb.NewAuditServiceClient(conn), conn, healthpb.NewHealthClient(conn),
	}
}

// forget gives back what a test of many rounds would collect.
func (s *sidecar) forget(t testing.TB) {
	t.Helper()
	must(t, s.conn.Close())
	must(t, os.RemoveAll(filepath.Dir(filepath.Dir(s.Socket))))
}

// output collects what a process writes.
type output = sidecartest.Output

// command is a command that exited with 0 and the payload of its standard output.
func command(stdout *pb.Payload) *pb.CompleteToolOutput {
	return &pb.CompleteToolOutput{
		ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
		Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32), Stdout: stdout,
		}},
	}
}

// inOneMessage projects a text with Project.
func (s *sidecar) inOneMessage(ctx context.Context, text string) (*pb.ProjectResponse, error) {
	return s.Project(ctx, &pb.ProjectRequest{Output: command(&pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(text)}})})
}

// inAStream projects a text with ProjectStream.
func (s *sidecar) inAStream(ctx context.Context, text string) (*pb.ProjectResponse, error) {
	call, err := s.upload(ctx)
	if err != nil {
		return nil, err
	}
	for ; len(text) > 0; text = text[min(len(text), chunkSize):] {
		if err := call.Send(chunk(text[:min(len(text), chunkSize)])); err != nil {
			break // Recv says why
		}
	}
	return finish(call)
}

const chunkSize = 64 << 10

type upload = grpc.BidiStreamingClient[pb.ProjectStreamRequest, pb.ProjectStreamResponse]

// upload begins an upload. Not being able to send is for Recv to explain.
func (s *sidecar) upload(ctx context.Context) (upload, error) {
	call, err := s.ProjectStream(ctx)
	if err == nil {
		_ = call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{
			Header: &pb.StreamHeader{Family: "command", Streams: []string{"stdout"}},
		}})
	}
	return call, err
}

func chunk(text string) *pb.ProjectStreamRequest {
	return &pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Chunk{Chunk: &pb.StreamChunk{Stream: "stdout", Data: []byte(text)}}}
}

// finish ends an upload and returns its result.
func finish(call upload) (*pb.ProjectResponse, error) {
	_ = call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Finish{Finish: &pb.StreamFinish{
		Output: command(&pb.Payload{Source: &pb.Payload_Stream{Stream: "stdout"}}),
	}}})
	_ = call.CloseSend()
	answer, err := call.Recv()
	return answer.GetResult(), err
}

// artifactOf is the path of the only artifact of an answer.
func artifactOf(r *pb.ProjectResponse) string {
	return r.GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
}

// ways are the ways in which a payload gets into a sidecar.
func (s *sidecar) ways() map[string]func(context.Context, string) (*pb.ProjectResponse, error) {
	return map[string]func(context.Context, string) (*pb.ProjectResponse, error){
		"message": s.inOneMessage, "stream": s.inAStream,
	}
}

// numbered is a text that is too long for a receipt; no two of different lengths share their beginning.
func numbered(lines int) string {
	return strings.Repeat("line of "+strings.Repeat("x", lines%97)+"\n", lines)
}

// wantRefusal checks code and reason of an error.
func wantRefusal(t testing.TB, what string, err error, code codes.Code, reason string) {
	t.Helper()
	got := ""
	for _, d := range status.Convert(err).Details() {
		if info, ok := d.(*errdetails.ErrorInfo); ok {
			got = info.GetReason()
		}
	}
	if status.Code(err) != code || got != reason {
		t.Errorf("%s: %v (%s), want %v (%s)", what, err, got, code, reason)
	}
}

// wantWhole reads an artifact through the sidecar and from its file.
func (s *sidecar) wantWhole(t testing.TB, path, text string) {
	t.Helper()
	if got, err := s.read(t.Context(), path); err != nil || got != text {
		t.Errorf("ReadArtifact of %s: %d bytes of %d, error %v", path, len(got), len(text), err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != text {
		t.Errorf("the file %s has %d bytes of %d, error %v", path, len(got), len(text), err)
	}
}

// read reads an artifact to its end.
func (s *sidecar) read(ctx context.Context, path string) (string, error) {
	var text []byte
	for req := (&pb.ReadArtifactRequest{Path: path, Budget: &pb.ReadBudget{MaxBytes: 3 << 20, MaxLines: 1_000_000}}); ; {
		page, err := s.artifacts.ReadArtifact(ctx, req)
		if err != nil {
			return string(text), err
		}
		text = append(text, page.GetData()...)
		if page.GetComplete() {
			return string(text), nil
		}
		req.PageToken = page.GetNextPageToken()
	}
}

// wantNoTemp waits for the store to hold nothing that is unfinished.
func (s *sidecar) wantNoTemp(t testing.TB) {
	t.Helper()
	waitFor(t, "tmp to be empty", func() bool { return len(tempFiles(t, s.Store)) == 0 })
}

// wantHealth checks that health does not wait for a disk that tests slow down by two seconds and more: most answers take less than one.
func (s *sidecar) wantHealth(t testing.TB) {
	t.Helper()
	late := 0
	for range 9 {
		began := time.Now()
		resp, err := s.health.Check(t.Context(), &healthpb.HealthCheckRequest{})
		if err != nil || resp.GetStatus() != healthpb.HealthCheckResponse_SERVING {
			t.Fatalf("health: %v, error %v", resp, err)
		}
		if time.Since(began) > time.Second {
			late++
		}
	}
	if late > 4 {
		t.Errorf("%d of 9 answers of health took more than a second", late)
	}
}
