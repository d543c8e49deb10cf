package compactor_test

import (
	"testing"

	"github.com/toolresult/toolresult/compactor"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/tokens"
)

func read(path, version string, lines int) given {
	text := numbered(lines)
	return given{Result: &pb.CanonicalToolResult{
		ToolName: "Read", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "s",
		Result: &pb.CanonicalToolResult_FileRead{FileRead: &pb.FileReadResult{Path: path, FirstLine: 1, Version: version, ContentPreview: &text}},
	}}
}

func edited(call string, changes ...*pb.FileChange) given {
	return given{
		Entry: compactor.Entry{Call: call},
		Result: &pb.CanonicalToolResult{
			ToolName: "Edit", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "s",
			Result: &pb.CanonicalToolResult_FileMutation{FileMutation: &pb.FileMutationResult{Changes: changes, ChangesTotal: new(uint64(len(changes)))}},
		},
	}
}

// What was read before an edit of the same path is stale, unless it was read again.
func TestEditedReadsAreStale(t *testing.T) {
	change := func(action pb.FileChangeAction, path, from string) *pb.FileChange {
		return &pb.FileChange{Action: action, Path: path, FromPath: from}
	}
	const modify, move, copied = pb.FileChangeAction_FILE_CHANGE_ACTION_MODIFY, pb.FileChangeAction_FILE_CHANGE_ACTION_MOVE, pb.FileChangeAction_FILE_CHANGE_ACTION_COPY
	failed := given{Result: &pb.CanonicalToolResult{
		ToolName: "Edit", Status: pb.ToolStatus_TOOL_STATUS_ERROR, SummaryText: "s", Error: &pb.ToolError{Kind: "k", Message: "/w/b.go"},
	}}
	history := []given{
		read("/w/a.go", "", 200), read("/w/b.go", "", 200), read("/w/moved.go", "", 200), read("/w/source.go", "", 200),
		read("w/a.go", "", 200), read("/w/again.go", "", 200),
		failed,
		edited("c7", change(modify, "/w/./x/../a.go", ""), change(move, "/w/new.go", "/w/moved.go"), change(copied, "/w/copy.go", "/w/source.go"), change(modify, "/w/again.go", "")),
		edited("c8", change(modify, "/w/a.go", "")),
		read("/w/again.go", "", 180), read("/w/a.go from elsewhere", "", 180),
	}
	measure := func(p *compactor.Policy) {
		p.Budget = 0
		p.Measure = func(_ int, r *pb.CanonicalToolResult) (int, error) {
			return 20 + tokens.Estimate().Count(r.GetFileRead().GetContentPreview()), nil
		}
	}
	p := plan(t, 1, history, measure)
	for i, want := range []struct {
		by   int
		call string
	}{{7, "c7"}, {-1, ""}, {7, "c7"}, {-1, ""}, {-1, ""}, {9, ""}} {
		s := p.results[i].GetFileRead().GetSuperseded()
		if p.Results[i].SupersededBy != want.by || s.GetCallId() != want.call || int(s.GetResultsLater()) != max(0, want.by-i) {
			t.Errorf("result %d is superseded by %d, %v; want %v", i, p.Results[i].SupersededBy, s, want)
		}
		if stale := want.call != ""; stale != (s.GetCause() == pb.SupersededCause_SUPERSEDED_CAUSE_EDITED) {
			t.Errorf("result %d: %v", i, s)
		}
	}
}

// What is stale goes first, also when the edit is not in the history any more.
func TestStaleReadsGoFirst(t *testing.T) {
	stale := read("/w/b.go", "", 200)
	stale.Result.GetFileRead().Superseded = &pb.Superseded{ResultsLater: 9, Cause: pb.SupersededCause_SUPERSEDED_CAUSE_EDITED}
	history := []given{
		read("/w/other.go", "", 200), read("/w/a.go", "", 200), stale,
		edited("c1", &pb.FileChange{Path: "/w/a.go", Action: pb.FileChangeAction_FILE_CHANGE_ACTION_MODIFY}),
	}
	p := plan(t, 50, history, func(p *compactor.Policy) {
		p.Measure = func(_ int, r *pb.CanonicalToolResult) (int, error) {
			return 20 + tokens.Estimate().Count(r.GetFileRead().GetContentPreview()), nil
		}
		p.Budget = 1700
	})
	if got := lost(p); got[1] < 60 || got[2] < 60 || got[0] > 50 {
		t.Errorf("%v went", got)
	}
}
