//go:build linux

package faults_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// TestHugeJSON is F04: a string of 100 MiB and 10,000,000 keys are streams like any other where a tool prints
// them. Where a family reads JSON whole, more than 32 MiB are refused. The short form has a fifth of it.
func TestHugeJSON(t *testing.T) {
	leg(t)
	megabytes := min(count(t, megabytesVar, 20), 100)
	keys := megabytes * 100_000
	long := func(send func(string)) {
		send(`{"long":"`)
		for range megabytes {
			send(strings.Repeat("words of it ", 1<<20/12))
		}
		send(`","last":7}`)
	}
	many := func(send func(string)) {
		text := []byte("{")
		for k := range int64(keys) {
			text = append(append(strconv.AppendInt(append(text, `"k`...), k, 10), `":`...), "1,"...)
			if len(text) > chunkSize {
				send(string(text))
				text = text[:0]
			}
		}
		send(string(text) + `"last":7}`)
	}
	for name, text := range map[string]func(send func(string)){"one string": long, "many keys": many} {
		t.Run(name, func(t *testing.T) {
			s := startSidecar(t, launch{})
			_, err := s.inAStream(t.Context(), numbered(20_000))
			must(t, err)
			idle, began, size := s.peak(t), time.Now(), 0
			call, err := s.upload(t.Context())
			must(t, err)
			text(func(part string) {
				size += len(part)
				for ; len(part) > 0; part = part[min(len(part), chunkSize):] {
					must(t, call.Send(chunk(part[:min(len(part), chunkSize)])))
				}
			})
			answer, err := finish(call)
			must(t, err)
			if got := len(answer.GetReceipt().GetText()); got > 64<<10 || !answer.GetCanonical().GetCommand().GetTruncated() {
				t.Errorf("the receipt has %d bytes: %.300q", got, answer.GetReceipt().GetText())
			}
			page, err := s.artifacts.ReadArtifact(t.Context(), &pb.ReadArtifactRequest{
				Path: artifactOf(answer), Selection: &pb.ReadArtifactRequest_JsonPointer{JsonPointer: "/last"},
			})
			must(t, err)
			if string(page.GetData()) != "7" || page.GetTotalBytes() != uint64(size) {
				t.Errorf("the last value of %d bytes, of %d, is %q", page.GetTotalBytes(), size, page.GetData())
			}
			grown := s.peak(t) - idle
			if grown > 64<<20 {
				t.Errorf("the peak of the memory grew by %d MiB", grown>>20)
			}
			s.wantNoTemp(t)
			s.wantHealth(t)
			remark(t, "%d MiB of JSON: %d MiB of memory more than before, %v", size>>20, grown>>20, time.Since(began).Round(time.Second))
		})
	}
	t.Run("read whole", func(t *testing.T) {
		s := startSidecar(t, launch{})
		// A string is the cheapest JSON there is, and lists inside of lists the most expensive.
		deep := strings.Repeat("[", 50) + "1" + strings.Repeat("]", 50) + ","
		for megabytes, reason := range map[int]string{31: "", 33: "FIELD_TOO_LONG"} {
			call, err := s.ProjectStream(t.Context())
			must(t, err)
			must(t, call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{Header: &pb.StreamHeader{Family: "external_json"}}}))
			must(t, call.Send(chunk(`[`)))
			part := strings.Repeat(deep, 1<<20/len(deep))
			for range megabytes {
				must(t, call.Send(chunk(part)))
			}
			must(t, call.Send(chunk(`1]`+strings.Repeat(" ", megabytes*(1<<20-len(part))))))
			must(t, call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Finish{Finish: &pb.StreamFinish{
				Output: &pb.CompleteToolOutput{
					ToolName: "lookup", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
					Result: &pb.CompleteToolOutput_ExternalJson{ExternalJson: &pb.ExternalJsonOutput{
						Server: "s", Result: &pb.Payload{Source: &pb.Payload_Stream{Stream: "stdout"}},
					}},
				},
			}}}))
			what := fmt.Sprintf("%d MiB that are read whole", megabytes)
			_, err = call.Recv()
			if reason == "" {
				must(t, err)
				continue
			}
			wantRefusal(t, what, err, codes.InvalidArgument, reason)
		}
		if peak := s.peak(t); peak > 256<<20 {
			t.Errorf("the peak of the memory was %d MiB", peak>>20)
		}
		s.wantNoTemp(t)
	})
}

// TestHugeDetails is C13: of 50 MiB of details a receipt has what fits, and the artifact all of it.
func TestHugeDetails(t *testing.T) {
	leg(t)
	s := startSidecar(t, launch{Args: []string{"--max-message-bytes=64MiB"}})
	details := `{"first":1e999,"rows":[` + strings.Repeat("0.10, ", 50<<20/6) + `1],"last":12345678901234567890}`
	answer, err := s.Project(t.Context(), &pb.ProjectRequest{Output: &pb.CompleteToolOutput{
		ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_ERROR,
		Error: &pb.CompleteToolError{Kind: "sandbox_lost", Message: inline("gone"), Details: inline(details), RecoveryHint: new("again"), Retryable: new(true)},
	}})
	must(t, err)
	e := answer.GetCanonical().GetError()
	if e.GetKind() != "sandbox_lost" || e.GetMessage() != "gone" || e.GetRecoveryHint() != "again" || !e.GetRetryable() {
		t.Errorf("the error is %v", e)
	}
	if got := e.GetDetailsJson(); got != `{"first":1e999,"last":12345678901234567890}` {
		t.Errorf("the details are %.300s", got)
	}
	s.wantWhole(t, e.GetDetailsOmitted().GetArtifact().GetPath(), details)
	s.wantHealth(t)
	s.wantNoTemp(t)
}

func inline(text string) *pb.Payload {
	return &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(text)}}
}
