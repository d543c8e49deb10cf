package envelope_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// largeField returns the large field of a message by its name.
func largeField(t *testing.T, m protoreflect.Message, name string) *envelope.LargeField {
	t.Helper()
	f := envelope.NewSchema(m.Descriptor()).LargeField(name)
	if f == nil {
		t.Fatalf("%s has no large field %s", m.Descriptor().Name(), name)
	}
	return f
}

// A value that is set is read back, and everything of the one before is gone.
func TestLargeFieldKeepsWhatIsSet(t *testing.T) {
	m := (&pb.CommandResult{}).ProtoReflect()
	f := largeField(t, m, "stdout")
	if f.Has(m) || f.Text(m) != "" {
		t.Error("an empty message has the field")
	}
	full := envelope.Large{
		Preview: "a\n", Truncated: true, Artifact: "/a", Source: &pb.SourceFacts{Bytes: 4, Lines: 2, ShownLines: 1, VisibleBytes: 2},
		Cuts: []*pb.Cut{{Kind: pb.CutKind_CUT_KIND_MIDDLE, FirstLine: 2, LastLine: 2, ByteStart: 2, ByteEnd: 4, PreviewOffset: 2}},
	}
	bare := envelope.Large{Preview: "", Artifact: "/a"}
	for _, v := range []envelope.Large{full, bare, full} {
		f.Set(m, v)
		if diff := cmp.Diff(v, f.Get(m), protocmp.Transform()); diff != "" || !f.Has(m) || f.Text(m) != v.Preview {
			t.Fatal(diff)
		}
	}
	if paths := envelope.Artifacts(m); !cmp.Equal(paths, []string{"/a"}) {
		t.Errorf("the artifacts are %v", paths)
	}
}

// An artifact keeps its index, and no two fields share one.
func TestArtifactKeepsItsIndex(t *testing.T) {
	r := &pb.CommandResult{}
	m := r.ProtoReflect()
	stdout, stderr := largeField(t, m, "stdout"), largeField(t, m, "stderr")
	stdout.Set(m, envelope.Large{Artifact: "/one"})
	stderr.Set(m, envelope.Large{Artifact: "/two"})
	stdout.Set(m, envelope.Large{Artifact: "/three"})
	if r.GetStdoutArtifact() != 0 || r.GetStderrArtifact() != 1 || !cmp.Equal(envelope.Artifacts(m), []string{"/three", "/two"}) {
		t.Errorf("%v", r)
	}
	if at := envelope.AddArtifact(m, "/two"); at != 1 {
		t.Errorf("a path that is there gets the index %d", at)
	}
	if at := envelope.AddArtifact(m, "/new"); at != 2 || stdout.Get(m).Artifact != "/three" {
		t.Errorf("a new path gets the index %d", at)
	}
	r.StdoutArtifact = new(uint32(3))
	if got := stdout.Get(m).Artifact; got != "" {
		t.Errorf("an index out of range reads as %q", got)
	}
}

func TestLargeListKeepsItsFacts(t *testing.T) {
	r := &pb.SearchResult{Files: []*pb.SearchFile{{Path: "a"}}}
	m := r.ProtoReflect()
	list := envelope.LargeLists(m.Descriptor())[0]
	list.Set(m, envelope.Listed{Total: 7, Truncated: true, Artifact: "/all"})
	if diff := cmp.Diff(envelope.Listed{Shown: 1, Total: 7, Truncated: true, Artifact: "/all"}, list.Get(m)); diff != "" || list.Name != "files" {
		t.Error(diff)
	}
	if got := envelope.LargeLists((&pb.CommandResult{}).ProtoReflect().Descriptor()); len(got) != 0 {
		t.Errorf("a command has the lists %v", got)
	}
}

// The sum says whether anything is truncated, where somebody asked for it.
func TestSumOfTruncated(t *testing.T) {
	for name, c := range map[string]struct {
		given *pb.CommandResult
		want  *bool
	}{
		"absent":    {&pb.CommandResult{StderrTruncated: true}, nil},
		"nothing":   {&pb.CommandResult{Truncated: new(true)}, new(false)},
		"one field": {&pb.CommandResult{Truncated: new(false), StderrTruncated: true}, new(true)},
	} {
		envelope.SumTruncated(c.given.ProtoReflect())
		if !cmp.Equal(c.given.Truncated, c.want) {
			t.Errorf("%s: %v", name, c.given)
		}
	}
	file := &pb.FileReadResult{ContentTruncated: true}
	envelope.SumTruncated(file.ProtoReflect()) // it has no such field
	if !proto.Equal(file, &pb.FileReadResult{ContentTruncated: true}) {
		t.Errorf("%v", file)
	}
}

// Levels and references to other results are kept where a message has a field for them.
func TestFieldsOfCompaction(t *testing.T) {
	r := &pb.CommandResult{Unchanged: &pb.OutputUnchanged{CallId: "c1"}}
	m := r.ProtoReflect()
	if envelope.Level(m) != pb.CompactionLevel_COMPACTION_LEVEL_UNSPECIFIED || !envelope.HasLevel(m.Descriptor()) || envelope.SupersededBy(m) != nil {
		t.Errorf("%v", r)
	}
	envelope.SetLevel(m, pb.CompactionLevel_COMPACTION_LEVEL_HANDLES)
	envelope.SetSuperseded(m, &pb.Superseded{CallId: "c2", ResultsLater: 3})
	if envelope.Level(m) != pb.CompactionLevel_COMPACTION_LEVEL_HANDLES || envelope.SupersededBy(m).GetCallId() != "c2" || envelope.UnchangedSince(m).GetCallId() != "c1" {
		t.Errorf("%v", r)
	}
	none := &pb.TaskHandle{TaskId: "t"}
	envelope.SetLevel(none.ProtoReflect(), pb.CompactionLevel_COMPACTION_LEVEL_HANDLES)
	envelope.SetSuperseded(none.ProtoReflect(), &pb.Superseded{})
	if envelope.HasLevel(none.ProtoReflect().Descriptor()) || envelope.Level(none.ProtoReflect()) != 0 || envelope.SupersededBy(none.ProtoReflect()) != nil ||
		envelope.UnchangedSince(none.ProtoReflect()) != nil || !proto.Equal(none, &pb.TaskHandle{TaskId: "t"}) {
		t.Errorf("a message without these fields became %v", none)
	}
}

// A walk visits every message with its path, and no part of a field.
func TestWalkVisitsMessagesByPath(t *testing.T) {
	m := &pb.CommandBatchResult{Items: []*pb.CommandBatchItem{
		{Error: &pb.ToolError{Kind: "k"}},
		{Result: &pb.CommandResult{TaskHandle: &pb.TaskHandle{TaskId: "t"}, StdoutSource: &pb.SourceFacts{}, StdoutCuts: []*pb.Cut{{}}, Artifacts: []*pb.ArtifactReference{{}}}},
	}}
	var paths []string
	envelope.Walk("at", m.ProtoReflect(), func(path string, m protoreflect.Message) {
		paths = append(paths, path+" "+string(m.Descriptor().Name()))
	})
	if diff := cmp.Diff([]string{
		"at CommandBatchResult", "at.items[0] CommandBatchItem", "at.items[0].error ToolError", "at.items[1] CommandBatchItem",
		"at.items[1].result CommandResult", "at.items[1].result.task_handle TaskHandle",
	}, paths); diff != "" {
		t.Error(diff)
	}
}

func TestFamilyNames(t *testing.T) {
	if got := envelope.Family(&pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_Search{Search: &pb.SearchOutput{}}}); got != "search" {
		t.Errorf("a search is of %q", got)
	}
	if got := envelope.Family(&pb.CompleteToolOutput{}); got != "" {
		t.Errorf("no result is of %q", got)
	}
	if name, payload := envelope.Payload(&pb.CanonicalToolResult{}); name != "" || payload != nil {
		t.Errorf("no result has %q, %v", name, payload)
	}
	complete, canonical := envelope.OneofFields()
	if len(complete) != len(canonical) || len(complete) < 20 {
		t.Fatalf("%d and %d families", len(complete), len(canonical))
	}
	for i := range complete {
		if complete[i].Name() != canonical[i].Name() || complete[i].Number() != canonical[i].Number() {
			t.Errorf("%s and %s", complete[i].FullName(), canonical[i].FullName())
		}
	}
	if c, r := envelope.Case("search"); c.Message().Name() != "SearchOutput" || r.Message().Name() != "SearchResult" {
		t.Errorf("%v, %v", c, r)
	}
	if c, r := envelope.Case("nobody"); c != nil || r != nil {
		t.Errorf("%v, %v", c, r)
	}
}
