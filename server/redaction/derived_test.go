package redaction

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/redact"
)

// TestMasksKeepPlaces masks secrets in a canonical result: every text keeps its length and its line ends, names stay, and a
// result without secrets is returned as it is.
func TestMasksKeepPlaces(t *testing.T) {
	t.Parallel()
	secrets := NewSecrets()
	if _, err := secrets.Register("s", []redact.Secret{{Name: "db", Value: []byte("first line\nsecond line of it")}, {Name: "k", Value: []byte("correct-horse-battery")}}); err != nil {
		t.Fatal(err)
	}
	token := "ghp_" + "1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ"
	text := "begin first line\nsecond line of it end\n" + token + "\n" + strings.Repeat("correct-horse-battery ", 3) + "\n"
	r := &pb.CanonicalToolResult{
		ToolName: "correct-horse-battery", SummaryText: "it says correct-horse-battery",
		Result: &pb.CanonicalToolResult_Command{Command: &pb.CommandResult{StdoutPreview: &text, Artifacts: []*pb.ArtifactReference{{Path: "/correct-horse-battery/1f8/a0074a"}, {Path: "/x/correct-horse-battery"}}}},
	}
	screen := Screen{Secrets: secrets, Patterns: redact.BuiltIn()}
	got := screen.Result("s", r)
	shown := got.GetCommand().GetStdoutPreview()
	if len(shown) != len(text) || strings.Count(shown, "\n") != strings.Count(text, "\n") {
		t.Errorf("%d bytes of %d: %q", len(shown), len(text), shown)
	}
	for i, c := range text {
		if (c == '\n') != (shown[i] == '\n') {
			t.Fatalf("the line end at byte %d moved: %q", i, shown)
		}
	}
	for _, part := range []string{"first line", "second line", token[4:], "correct-horse"} {
		if strings.Contains(shown, part) {
			t.Errorf("%q is in %q", part, shown)
		}
	}
	if got.GetToolName() != r.GetToolName() || got.GetCommand().GetArtifacts()[0].GetPath() != "/correct-horse-battery/1f8/a0074a" ||
		strings.Contains(got.GetCommand().GetArtifacts()[1].GetPath(), "horse") || strings.Contains(got.GetSummaryText(), "horse") {
		t.Errorf("%v", got)
	}
	again := proto.CloneOf(r)
	if CopyMasks(got.ProtoReflect(), again.ProtoReflect()); !proto.Equal(again, got) {
		t.Errorf("masks are not copied: %v\n%v", again, got)
	}
	if screen.Result("s", got) != got || (Screen{}).Result("s", r) != r {
		t.Error("a result without secrets is copied")
	}
	if strings.Contains(screen.Result("other", r).GetCommand().GetStdoutPreview(), token[4:]) {
		t.Error("patterns are not masked in other sessions")
	}
	if got := screen.Receipt("s", nil); got != nil {
		t.Errorf("%v", got)
	}
}
