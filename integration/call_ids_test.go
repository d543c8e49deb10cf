package integration_test

import (
	"fmt"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// oddCallIDs are ids that mean something to paths, databases, shells or receipts.
var oddCallIDs = []string{
	"../../../etc/passwd", "/", "..", ";", "'", `"%00"`, "*?[a-z]", "call_1|fc_67ccf", "functions.exec:0",
	"1,2", "stdout:", "[lines", "-rf", "%s%n", strings.Repeat("~", 256),
}

// TestOddCallIDs uses such ids wherever one is a key: artifacts, logs, records, outputs that are unchanged, protection.
func TestOddCallIDs(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	artifacts, records := pb.NewArtifactServiceClient(s.conn), pb.NewAuditServiceClient(s.conn)
	paths, logs := map[string]string{}, map[string]string{}
	for i, id := range oddCallIDs {
		session := fmt.Sprintf("s%d", i%3)
		req := completed(0, numbered(4000)+id)
		req.Call = &pb.CallReference{SessionId: session, CallId: id, AgentId: "agent"}
		path := s.project(t, req).GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
		if other, ok := paths[path]; ok {
			t.Errorf("%q and %q have one artifact", id, other)
		}
		paths[path] = id

		list, err := artifacts.ListArtifacts(t.Context(), &pb.ListArtifactsRequest{SessionId: session, CallId: id})
		if err != nil || len(list.GetArtifacts()) != 1 || list.GetArtifacts()[0].GetPath() != path || list.GetArtifacts()[0].GetCallId() != id {
			t.Errorf("%q: the list is %v, %v", id, list, err)
		}
		found, err := records.ListRecords(t.Context(), &pb.ListRecordsRequest{SessionId: session, CallId: id})
		if err != nil || len(found.GetRecords()) != 1 || found.GetRecords()[0].GetCall().GetCallId() != id {
			t.Errorf("%q: the records are %v, %v", id, found, err)
		}

		call, err := artifacts.AppendLog(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []*pb.AppendLogRequest{logHeader(session, id, "", 0), logData(id + "\n"), logFinish} {
			if err := call.Send(m); err != nil {
				t.Fatal(err)
			}
		}
		var last *pb.AppendLogResponse
		for {
			answer, err := call.Recv()
			if err != nil {
				break
			}
			last = answer
		}
		if other, ok := logs[last.GetPath()]; ok || last.GetPath() == "" {
			t.Errorf("%q and %q have one log: %v", id, other, last)
		}
		logs[last.GetPath()] = id

		own := fmt.Sprintf("own%d", i)
		s.project(t, sameAgain(own, id))
		next := s.project(t, sameAgain(own, "next"))
		if got := next.GetCanonical().GetCommand().GetUnchanged().GetCallId(); got != id || strings.Count(next.GetReceipt().GetText(), id) == 0 {
			t.Errorf("%q: the next call is unchanged since %q:\n%s", id, got, next.GetReceipt().GetText())
		}
	}
}
