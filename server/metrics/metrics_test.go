package metrics_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/server/metrics"
)

// segment is a run of lines that is shown for a reason.
func segment(first, last uint64, reason pb.KeepReason) *pb.Segment {
	return &pb.Segment{FirstLine: first, LastLine: last, Reason: reason}
}

func TestLedgerIsAddedUp(t *testing.T) {
	t.Parallel()
	middle := func(from, to uint64) *pb.Cut {
		return &pb.Cut{Kind: pb.CutKind_CUT_KIND_MIDDLE, FirstLine: 1, LastLine: 2, ByteStart: from, ByteEnd: to}
	}
	repeated := &pb.Cut{Kind: pb.CutKind_CUT_KIND_REPEATED, FirstLine: 1, LastLine: 9, ByteEnd: 90, OmittedBytes: 40, OmittedLines: 4, Occurrences: 2}
	text := &pb.TextResult{
		ContentPreview: new("text"), ContentTruncated: true, ContentArtifact: new(uint32(0)),
		ContentCuts: []*pb.Cut{middle(10, 30), middle(50, 57), repeated},
		ContentSource: &pb.SourceFacts{Segments: []*pb.Segment{
			segment(1, 3, pb.KeepReason_KEEP_REASON_HEAD), segment(4, 4, pb.KeepReason_KEEP_REASON_ERROR), segment(6, 8, pb.KeepReason_KEEP_REASON_ERROR),
			segment(9, 10, pb.KeepReason_KEEP_REASON_PROFILE), segment(11, 11, pb.KeepReason_KEEP_REASON_CONTEXT),
			segment(12, 12, pb.KeepReason(shape.KeepStructure)), segment(13, 13, 99), // of a later program
		}},
		Artifacts: []*pb.ArtifactReference{{Path: "a"}, {Path: "b"}},
	}
	var kept preview.Counts
	kept[shape.KeepError], kept[shape.KeepProfile] = 4, 2
	command := &pb.CommandResult{
		StdoutPreview: new("x"), StdoutTruncated: true, StdoutCuts: []*pb.Cut{middle(0, 3)}, StderrPreview: new("y"),
		Artifacts: []*pb.ArtifactReference{{Path: "c"}},
	}
	list := &pb.WorkItemListResult{WorkItemsTruncated: true, Artifacts: []*pb.ArtifactReference{{Path: "d"}}}
	whole := &pb.TextResult{ContentPreview: new("text"), Artifacts: []*pb.ArtifactReference{{Path: "e"}}}
	for name, c := range map[string]struct {
		add  []proto.Message
		want metrics.Projected
	}{
		"nothing":           {nil, metrics.Projected{}},
		"shown whole":       {[]proto.Message{whole}, metrics.Projected{}},
		"a list is cut":     {[]proto.Message{list}, metrics.Projected{Truncated: true, Artifacts: []string{"d"}}},
		"an error is whole": {[]proto.Message{&pb.ToolError{Message: "m"}}, metrics.Projected{}},
		"details of an error": {
			[]proto.Message{&pb.ToolError{Message: "m", DetailsOmitted: &pb.DetailsOmitted{Artifact: &pb.ArtifactReference{Path: "f"}}}},
			metrics.Projected{Truncated: true, Artifacts: []string{"f"}},
		},
		"several messages": {[]proto.Message{text, whole, command}, metrics.Projected{
			Truncated: true, Artifacts: []string{"a", "b", "c"}, Kept: kept,
			Cuts: map[pb.CutKind]metrics.Cuts{pb.CutKind_CUT_KIND_MIDDLE: {Count: 3, Bytes: 30}, pb.CutKind_CUT_KIND_REPEATED: {Count: 1, Bytes: 40}},
		}},
	} {
		got := metrics.Projected{Cuts: map[pb.CutKind]metrics.Cuts{}}
		for _, m := range c.add {
			got.AddLedger(m.ProtoReflect())
		}
		if c.want.Cuts == nil {
			c.want.Cuts = map[pb.CutKind]metrics.Cuts{}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestNamesOfCallersAreNoLabels counts redactions by the names of rules; those that callers chose are one kind.
func TestNamesOfCallersAreNoLabels(t *testing.T) {
	t.Parallel()
	rules := map[string]bool{"aws-access-key": true, "off": false}
	var got metrics.Projected
	for _, r := range []*pb.Redaction{
		{Kind: "aws-access-key", Count: 2}, {Kind: "my-password", Count: 1}, {Kind: "off", Count: 5}, {Kind: "aws-access-key", Count: 1},
	} {
		got.AddRedaction(rules, r)
	}
	if diff := cmp.Diff(map[string]int64{"aws-access-key": 3, "registered": 6}, got.Redactions); diff != "" {
		t.Error(diff)
	}
}

// commits records what is reported of commits.
type commits struct {
	metrics.Reporter
	got []any
}

func (c *commits) Commits(store string, records int, waited, took time.Duration) {
	c.got = append(c.got, store, records, waited, took)
}

func TestCommitsAreReportedWithTheirStore(t *testing.T) {
	t.Parallel()
	if metrics.OnCommit(nil, metrics.AuditStore) != nil {
		t.Error("a nil Reporter has a callback")
	}
	var c commits
	metrics.OnCommit(&c, metrics.AuditStore)(3, time.Second, time.Minute)
	metrics.OnCommit(&c, metrics.JournalStore)(4, 2, 1)
	want := []any{"audit", 3, time.Second, time.Minute, "journal", 4, time.Duration(2), time.Duration(1)}
	if diff := cmp.Diff(want, c.got); diff != "" {
		t.Error(diff)
	}
}
