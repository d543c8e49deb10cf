package envelope_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

func traits(t *testing.T, m proto.Message) *envelope.Traits {
	t.Helper()
	tr, err := envelope.ReadTraits(m.ProtoReflect().Descriptor())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// A failure is stated by fields of the result, and excused by enums of the same message;
// elements of lists stand for themselves.
func TestFailuresFollowFromOptions(t *testing.T) {
	answer, failure := pb.ExitClass_EXIT_CLASS_ANSWER, pb.ExitClass_EXIT_CLASS_FAILURE
	exited := func(code int32, class pb.ExitClass) *pb.CommandResult {
		r := &pb.CommandResult{Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: &code}
		if class != 0 {
			r.ExitMeaning = &pb.ExitMeaning{Class: class}
		}
		return r
	}
	batch := func(items ...*pb.CommandBatchItem) *pb.CommandBatchResult {
		return &pb.CommandBatchResult{Items: items}
	}
	for name, c := range map[string]struct {
		m    proto.Message
		want bool
	}{
		"exit code 0":             {exited(0, 0), false},
		"exit code 1":             {exited(1, 0), true},
		"an answer":               {exited(1, answer), false},
		"a failure":               {exited(2, failure), true},
		"signal":                  {&pb.CommandResult{Signal: new(int32(9))}, true},
		"no item":                 {batch(), false},
		"item that exited with 0": {batch(&pb.CommandBatchItem{Result: exited(0, 0)}), false},
		"item that failed":        {batch(&pb.CommandBatchItem{Result: exited(0, 0)}, &pb.CommandBatchItem{Result: exited(3, 0)}), true},
		"answers do not excuse":   {batch(&pb.CommandBatchItem{Result: exited(1, answer)}, &pb.CommandBatchItem{Result: exited(3, 0)}), true},
		"only an answer":          {batch(&pb.CommandBatchItem{Result: exited(1, answer)}), false},
		"rejected item":           {batch(&pb.CommandBatchItem{Error: &pb.ToolError{Kind: "k"}}), true},
	} {
		if got := traits(t, c.m).Failed(c.m.ProtoReflect()); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// That nothing says whether it failed is stated by a field of the result, or of an element of its lists.
func TestUncertaintyFollowsFromOptions(t *testing.T) {
	pipeline := &pb.CommandResult{ExitStatus: new(int32(0)), StatusUncertain: true}
	for name, c := range map[string]struct {
		m    proto.Message
		want bool
	}{
		"a command":       {&pb.CommandResult{ExitStatus: new(int32(0))}, false},
		"a pipeline":      {pipeline, true},
		"an item":         {&pb.CommandBatchResult{Items: []*pb.CommandBatchItem{{}, {Result: pipeline}}}, true},
		"no such item":    {&pb.CommandBatchResult{Items: []*pb.CommandBatchItem{{}, {Result: &pb.CommandResult{}}}}, false},
		"another family":  {&pb.SearchResult{Query: "x"}, false},
		"an error's text": {&pb.ToolError{Kind: "k"}, false},
	} {
		if got := traits(t, c.m).Uncertain(c.m.ProtoReflect()); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if traits(t, c.m).Failed(c.m.ProtoReflect()) {
			t.Errorf("%s is a failure", name)
		}
	}
}

// Paths are compared as cleaned text, and an edit that did nothing changed no file.
func TestPathsFollowFromOptions(t *testing.T) {
	read := &pb.FileReadResult{Path: "./a//b.go"}
	if got := traits(t, read).Reads(read.ProtoReflect()); got != "a/b.go" {
		t.Errorf("read %q", got)
	}
	if got := traits(t, read).Reads((&pb.FileReadResult{}).ProtoReflect()); got != "" {
		t.Errorf("an empty path is %q", got)
	}
	if got := traits(t, read).Changes(read.ProtoReflect()); got != nil {
		t.Errorf("a read changes %q", got)
	}
	edit := &pb.FileMutationResult{Changes: []*pb.FileChange{
		{Action: pb.FileChangeAction_FILE_CHANGE_ACTION_MODIFY, Path: "a/../b"},
		{Action: pb.FileChangeAction_FILE_CHANGE_ACTION_MOVE, Path: "new", FromPath: "old"},
		{Action: pb.FileChangeAction_FILE_CHANGE_ACTION_COPY, Path: "copy", FromPath: "original"},
	}}
	tr := traits(t, edit)
	if got := tr.Changes(edit.ProtoReflect()); !cmp.Equal(got, []string{"b", "new", "copy", "old"}) || tr.Reads(edit.ProtoReflect()) != "" {
		t.Errorf("changes %q, reads %q", got, tr.Reads(edit.ProtoReflect()))
	}
}

func TestSubjectsFollowFromOptions(t *testing.T) {
	c := &pb.CommandResult{CommandPreview: "go test ./..."}
	if got := traits(t, c).Subject(c.ProtoReflect()); got == "" {
		t.Error("a command has no subject")
	}
	text := &pb.TextResult{}
	if got := traits(t, text).Subject(text.ProtoReflect()); got != "" {
		t.Errorf("a text has the subject %q", got)
	}
}
