package integration_test

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// stored projects a command whose output is cut, and returns the service and the
// path that the receipt names.
func stored(t *testing.T, s *sidecar, text string) (pb.ArtifactServiceClient, string) {
	t.Helper()
	r := s.project(t, within(&pb.Budget{MaxTokens: 300}, completed(0, text)))
	return pb.NewArtifactServiceClient(s.conn), r.GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
}

// counted are the numbers from 1, a line each.
func counted(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strconv.Itoa(i+1) + "\n")
	}
	return b.String()
}

// readAll follows the cursors of a request.
func readAll(t *testing.T, c pb.ArtifactServiceClient, req *pb.ReadArtifactRequest) (data string, pages int) {
	t.Helper()
	for {
		resp, err := c.ReadArtifact(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		data += string(resp.GetData())
		pages++
		if resp.GetComplete() != (resp.GetNextCursor() == "") {
			t.Fatalf("complete is %v with the cursor %q", resp.GetComplete(), resp.GetNextCursor())
		}
		if resp.GetComplete() {
			return data, pages
		}
		req.Cursor = resp.GetNextCursor()
	}
}

// Whatever a receipt left out is one call away, and pages are the bytes.
func TestReadArtifact(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	text := counted(200_000)
	c, path := stored(t, s, text)
	if data, pages := readAll(t, c, &pb.ReadArtifactRequest{Path: path, Budget: &pb.ReadBudget{MaxBytes: 100_000, MaxLines: 1_000_000}}); data != text || pages < 10 {
		t.Errorf("%d bytes in %d pages", len(data), pages)
	}
	lines := &pb.ReadArtifactRequest_Lines{Lines: &pb.LineRange{First: 9000, Last: 9060}}
	if data, _ := readAll(t, c, &pb.ReadArtifactRequest{Path: path, Selection: lines}); !strings.HasPrefix(data, "9000\n") || !strings.HasSuffix(data, "\n9060\n") {
		t.Errorf("lines: %.60q", data)
	}
	tail := &pb.ReadArtifactRequest_Tail{Tail: &pb.TailLines{Lines: 2}}
	if data, _ := readAll(t, c, &pb.ReadArtifactRequest{Path: path, Selection: tail}); data != "199999\n200000\n" {
		t.Errorf("tail: %q", data)
	}
	around := &pb.ReadArtifactRequest_Around{Around: &pb.AroundLine{Line: 50, Before: 1, After: 2}}
	if data, _ := readAll(t, c, &pb.ReadArtifactRequest{Path: path, Selection: around}); data != "49\n50\n51\n52\n" {
		t.Errorf("around: %q", data)
	}
	match := &pb.ReadArtifactRequest_Match{Match: &pb.MatchingLines{Pattern: `^1999\d8$`, Before: 1}}
	resp, err := c.ReadArtifact(t.Context(), &pb.ReadArtifactRequest{Path: path, Selection: match})
	if err != nil || len(resp.GetRanges()) != 10 || !strings.HasPrefix(string(resp.GetData()), "199907\n199908\n199917\n") || resp.GetRanges()[0].GetFirstLine() != 199_907 {
		t.Errorf("match: %v, %v", resp, err)
	}
}

// A dead handle says in which way it is dead.
func TestReadArtifactRefusals(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	c, path := stored(t, s, counted(10_000))
	_, other := stored(t, s, counted(20_000))
	first, err := c.ReadArtifact(t.Context(), &pb.ReadArtifactRequest{Path: other, Budget: &pb.ReadBudget{MaxLines: 1}})
	if err != nil {
		t.Fatal(err)
	}
	damaged := damagedArtifact(t, s)
	for name, p := range map[string]struct {
		req    *pb.ReadArtifactRequest
		code   codes.Code
		reason string
		field  string
	}{
		"no path":             {&pb.ReadArtifactRequest{}, codes.InvalidArgument, "FIELD_MISSING", "path"},
		"a long path":         {&pb.ReadArtifactRequest{Path: strings.Repeat(canary, 1000)}, codes.InvalidArgument, "FIELD_TOO_LONG", "path"},
		"a file of another":   {&pb.ReadArtifactRequest{Path: "/etc/" + canary}, codes.PermissionDenied, "ARTIFACT_FOREIGN", ""},
		"out of the store":    {&pb.ReadArtifactRequest{Path: s.store + "/../../etc/passwd"}, codes.PermissionDenied, "ARTIFACT_FOREIGN", ""},
		"the lock":            {&pb.ReadArtifactRequest{Path: s.store + "/LOCK"}, codes.PermissionDenied, "ARTIFACT_FOREIGN", ""},
		"an index":            {&pb.ReadArtifactRequest{Path: path + ".index"}, codes.PermissionDenied, "ARTIFACT_FOREIGN", ""},
		"never there":         {&pb.ReadArtifactRequest{Path: s.store + "/000/123456"}, codes.NotFound, "ARTIFACT_UNKNOWN", ""},
		"damaged":             {&pb.ReadArtifactRequest{Path: damaged}, codes.DataLoss, "ARTIFACT_DAMAGED", ""},
		"lines after the end": {&pb.ReadArtifactRequest{Path: path, Selection: &pb.ReadArtifactRequest_Lines{Lines: &pb.LineRange{First: 10_001}}}, codes.OutOfRange, "NOTHING_THERE", ""},
		"lines backwards":     {&pb.ReadArtifactRequest{Path: path, Selection: &pb.ReadArtifactRequest_Lines{Lines: &pb.LineRange{First: 9, Last: 8}}}, codes.InvalidArgument, "FIELD_OUT_OF_BOUNDS", "lines.last"},
		"no pattern":          {&pb.ReadArtifactRequest{Path: path, Selection: &pb.ReadArtifactRequest_Match{Match: &pb.MatchingLines{Pattern: "(" + canary}}}, codes.InvalidArgument, "PATTERN_INVALID", "match.pattern"},
		"a cursor of nobody":  {&pb.ReadArtifactRequest{Path: path, Cursor: canary}, codes.InvalidArgument, "CURSOR_INVALID", "cursor"},
		"a cursor of another": {&pb.ReadArtifactRequest{Path: path, Cursor: first.GetNextCursor()}, codes.InvalidArgument, "CURSOR_INVALID", "cursor"},
		"a cursor of elsewhere": {&pb.ReadArtifactRequest{
			Path: other, Cursor: first.GetNextCursor(), Selection: &pb.ReadArtifactRequest_Tail{Tail: &pb.TailLines{Lines: 1}},
		}, codes.InvalidArgument, "CURSOR_INVALID", "cursor"},
	} {
		_, err := c.ReadArtifact(t.Context(), p.req)
		t.Run(name, func(t *testing.T) { wantRefusal(t, err, p.code, p.reason, p.field) })
	}
}

// damagedArtifact stores one, and flips a byte of it.
func damagedArtifact(t *testing.T, s *sidecar) string {
	t.Helper()
	_, path := stored(t, s, strings.Repeat("damaged\n", 9000))
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(content, []byte("damaged"), []byte("Damaged"), 1), 0o400); err != nil {
		t.Fatal(err)
	}
	return path
}
