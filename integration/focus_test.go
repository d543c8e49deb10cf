package integration_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// setFocus sets the focus of a session, or of an agent of it.
func setFocus(ctx context.Context, s *sidecar, session, agent, focus string) error {
	_, err := s.SetSessionFocus(ctx, &pb.SetSessionFocusRequest{SessionId: session, AgentId: agent, Focus: focus})
	return err
}

func focusOf(session, agent, focus string) func(*testing.T, *sidecar) error {
	return func(t *testing.T, s *sidecar) error { return setFocus(t.Context(), s, session, agent, focus) }
}

// TestFocusOfAPolicyIsBounded sends focuses at the bound and beyond it, by every method that has a
// projection policy. The bound counts bytes, and no message repeats the focus.
func TestFocusOfAPolicyIsBounded(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	longest := strings.Repeat("ü", 4096)
	request := func(focus string) *pb.ProjectRequest {
		req := completed(0, numbered(2000))
		req.Policy = &pb.ProjectionPolicy{Focus: focus}
		return req
	}
	for name, c := range map[string]struct {
		field string
		call  func(focus string) error
	}{
		"Project": {"policy.focus", func(focus string) error { return projectOf(request(focus))(t, s) }},
		"ProjectTurn": {"outputs[1].policy.focus", func(focus string) error {
			return turnOf(&pb.ProjectTurnRequest{TotalTokens: 4000, Outputs: []*pb.ProjectRequest{completed(0, ""), request(focus)}})(t, s)
		}},
		"ProjectStream": {"policy.focus", func(focus string) error {
			header := headerOf(&pb.StreamHeader{Family: "command", Policy: &pb.ProjectionPolicy{Focus: focus}})
			return streamOf([]*pb.ProjectStreamRequest{header, {Message: &pb.ProjectStreamRequest_Finish{Finish: &pb.StreamFinish{Output: completed(0, "").GetOutput()}}}})(t, s)
		}},
		"SetSessionFocus": {"focus", func(focus string) error { return focusOf("s", "", focus)(t, s) }},
	} {
		for _, focus := range []string{"", longest} {
			if err := c.call(focus); err != nil {
				t.Errorf("%s: a focus of %d bytes: %v", name, len(focus), err)
			}
		}
		r := wantRefusal(t, c.call(canary+longest), codes.InvalidArgument, "FIELD_OUT_OF_BOUNDS", c.field)
		if !strings.Contains(r.message, "at most 8192 are allowed") {
			t.Errorf("%s: %s", name, r.message)
		}
	}
}

// TestFocusReachesNoDisk sets focuses with secrets and makes results with them. Neither the store
// nor its journal has the secrets, and no receipt has a word of a focus.
func TestFocusReachesNoDisk(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	s := startSidecar(t, launch{Store: dir})
	token := "ghp_" + "7kQ2m9ZxW4vR8tY1uI5oP3aS6dF0gH7jK2lM"
	focus := "find the quetzal with " + token
	if err := setFocus(t.Context(), s, "s", "", focus); err != nil {
		t.Fatal(err)
	}
	req := completed(1, numbered(9000))
	req.Call, req.Policy = callOf("s", "c"), &pb.ProjectionPolicy{Focus: focus, Segments: true}
	resp := s.project(t, req)
	if strings.Contains(resp.String(), "quetzal") {
		t.Errorf("the answer repeats the focus: %s", resp)
	}
	records, err := s.audit().ListRecords(t.Context(), &pb.ListRecordsRequest{SessionId: "s"})
	if err != nil || len(records.GetRecords()) != 1 {
		t.Fatal(records, err)
	}
	record, err := s.audit().GetRecord(t.Context(), &pb.GetRecordRequest{Sequence: records.GetRecords()[0].GetSequence()})
	if text := record.GetRecord().String(); err != nil || strings.Contains(text, token[4:]) || strings.Count(text, "quetzal") != 2 {
		t.Errorf("%v of %s", err, text)
	}
	s.Terminate()
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if strings.Contains(string(content), token[4:]) {
			t.Errorf("%s has the secret", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
