package envelope_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// The examples of the RFC, indented but otherwise word for word, come out of
// their canonical results as they went in.
func TestExamplesOfTheRFC(t *testing.T) {
	files, err := filepath.Glob("testdata/rfc/*.json")
	if err != nil || len(files) != 5 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			r, err := envelope.FromJSON(text, "command")
			if err != nil {
				t.Fatal(err)
			}
			if err := envelope.ValidateCanonical("", r, nil); err != nil {
				t.Error(err)
			}
			back, err := envelope.ToJSON(r)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimSpace(string(text)), string(back)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFamilyIsFoundByItsFields(t *testing.T) {
	r, err := envelope.FromJSON([]byte(`{"tool_name":"x","status":"success","summary_text":"s","result":{"items":[{"status":"skipped","command_preview":"ls"}]},"error":null}`), "")
	if err != nil || r.GetCommandBatch().GetItems()[0].GetStatus() != pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_SKIPPED {
		t.Fatalf("%v, %v", r, err)
	}
	_, err = envelope.FromJSON([]byte(`{"result":{}}`), "")
	wantReason(t, err, "result", pb.ErrorReason_ERROR_REASON_FIELD_MISSING)
	_, err = envelope.FromJSON([]byte(`{"result":{"orbit":1}}`), "")
	wantReason(t, err, "result", pb.ErrorReason_ERROR_REASON_JSON_INVALID)
}

func wantReason(t *testing.T, err error, field string, reason pb.ErrorReason) {
	t.Helper()
	var invalid *envelope.InvalidError
	if !errors.As(err, &invalid) || invalid.Violations[0].Field != field || invalid.Violations[0].Reason != reason {
		t.Errorf("got %v, want %s at %s", err, reason, field)
	}
}

func TestDefectiveJSONIsRejected(t *testing.T) {
	for name, c := range map[string]struct {
		text, field string
		reason      pb.ErrorReason
	}{
		"no JSON":           {`{`, "", pb.ErrorReason_ERROR_REASON_JSON_INVALID},
		"F05 comma":         {`{"status":"success",}`, "", pb.ErrorReason_ERROR_REASON_JSON_INVALID},
		"F01 deep":          {strings.Repeat("[", 1_000_000), "", pb.ErrorReason_ERROR_REASON_JSON_TOO_DEEP},
		"twice":             {`{"status":"success","status":"error"}`, "", pb.ErrorReason_ERROR_REASON_JSON_DUPLICATE_KEY},
		"unknown member":    {`{"output":1}`, "output", pb.ErrorReason_ERROR_REASON_JSON_INVALID},
		"unknown field":     {`{"result":{"disposition":"completed","pid":1}}`, "result.pid", pb.ErrorReason_ERROR_REASON_JSON_INVALID},
		"F02 float":         {`{"result":{"exit_status":0.0}}`, "result.exit_status", pb.ErrorReason_ERROR_REASON_JSON_INVALID},
		"F02 too large":     {`{"result":{"exit_status":4294967296}}`, "result.exit_status", pb.ErrorReason_ERROR_REASON_JSON_INVALID},
		"unknown enum name": {`{"result":{"disposition":"lost"}}`, "result.disposition", pb.ErrorReason_ERROR_REASON_JSON_INVALID},
		"not UTF-8":         {"{\"tool_name\":\"\xff\"}", "", pb.ErrorReason_ERROR_REASON_JSON_INVALID},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := envelope.FromJSON([]byte(c.text), "command")
			wantReason(t, err, c.field, c.reason)
		})
	}
}

// F02: integers beyond 2^53, odd spellings and key order survive.
func TestDetailsSurviveAsWritten(t *testing.T) {
	const details = `{"z":12345678901234567890,"a":-0,"b":1e999,"c":0.10000000000000000000001,"<":"\u0041"}`
	r := &pb.CanonicalToolResult{
		ToolName: "x", Status: pb.ToolStatus_TOOL_STATUS_ERROR, SummaryText: "s",
		Error: &pb.ToolError{Kind: "k", Message: "m", DetailsJson: new(details)},
	}
	text, err := envelope.ToJSON(r)
	if err != nil {
		t.Fatal(err)
	}
	back, err := envelope.FromJSON(text, "")
	if err != nil || back.GetError().GetDetailsJson() != details {
		t.Errorf("%s, %v", back.GetError().GetDetailsJson(), err)
	}
}

func TestBoundDetails(t *testing.T) {
	if got, whole := envelope.BoundDetails([]byte(`{ "a" : 1 }`)); got != `{"a":1}` || !whole {
		t.Errorf("%s, %v", got, whole)
	}
	long := strings.Repeat("x", 3000)
	got, whole := envelope.BoundDetails([]byte(`{"first":1e2,"log":"` + long + `","last":[1, 2],"s":"a,\"b"}`))
	if got != `{"first":1e2,"last":[1,2],"s":"a,\"b"}` || whole {
		t.Errorf("%s, %v", got, whole)
	}
	if got, whole := envelope.BoundDetails([]byte(`"` + long + `"`)); got != "" || whole {
		t.Errorf("%s, %v", got, whole)
	}
}

// C13: whatever the details, the part that is kept is valid, bounded and in order.
func TestBoundDetailsAlwaysFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfNDistinct(rapid.StringN(0, 30, -1), 0, 60, rapid.ID).Draw(t, "keys")
		var b bytes.Buffer
		for i, key := range keys {
			value, _ := json.Marshal(map[string]string{"v": strings.Repeat("y", rapid.IntRange(0, 900).Draw(t, "size"))})
			name, _ := json.Marshal(key)
			if i > 0 {
				b.WriteString(", ")
			}
			b.Write(name)
			b.WriteString(": ")
			b.Write(value)
		}
		got, _ := envelope.BoundDetails([]byte("{" + b.String() + "}"))
		if len(got) > envelope.MaxDetails || !json.Valid([]byte(got)) {
			t.Fatalf("%d bytes: %s", len(got), got)
		}
	})
}

func command(r *pb.CommandResult) *pb.CanonicalToolResult {
	return &pb.CanonicalToolResult{
		ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "s",
		Result: &pb.CanonicalToolResult_Command{Command: r},
	}
}

func TestInvalidCanonicalIsRejected(t *testing.T) {
	one := segment(1, 0, 3, 3)
	changed := func(change func(*pb.Cut)) *pb.CommandResult {
		c := cut(3, 9, 3)
		change(c)
		return &pb.CommandResult{StdoutPreview: new("ab\n"), StdoutSource: source(9, 3, 2), StdoutCuts: []*pb.Cut{c}}
	}
	const ledger, index = pb.ErrorReason_ERROR_REASON_LEDGER_INVALID, pb.ErrorReason_ERROR_REASON_ARTIFACT_INDEX_INVALID
	artifacts := []*pb.ArtifactReference{{Path: "/a"}}
	text := new("ab\n")
	for name, c := range map[string]struct {
		result *pb.CommandResult
		field  string
		reason pb.ErrorReason
	}{
		"C08 index out of range": {&pb.CommandResult{Artifacts: artifacts, StdoutArtifact: new(uint32(1))}, "stdout_artifact", index},
		"C08 index used twice":   {&pb.CommandResult{Artifacts: artifacts, StdoutArtifact: new(uint32(0)), StderrArtifact: new(uint32(0))}, "stderr_artifact", index},
		"C08 largest index":      {&pb.CommandResult{StderrArtifact: new(^uint32(0))}, "stderr_artifact", index},
		"original out of range": {&pb.CommandResult{StdoutPreview: text, Artifacts: artifacts, StdoutArtifact: new(uint32(0)), StdoutSource: &pb.SourceFacts{
			Bytes: 3, VisibleBytes: 3, Lines: 1, ShownLines: 1, OriginalArtifact: new(uint32(1))}}, "stdout_source", index},
		"truncated without ledger": {&pb.CommandResult{StdoutPreview: text, StdoutTruncated: true}, "stdout_cuts", ledger},
		"cuts without source":      {&pb.CommandResult{StdoutPreview: text, StdoutCuts: []*pb.Cut{cut(0, 1, 0)}}, "stdout_cuts", ledger},
		"gap":                      {&pb.CommandResult{StdoutPreview: text, StdoutSource: source(9, 3, 1, one)}, "stdout_cuts", ledger},
		"overlap": {&pb.CommandResult{StdoutPreview: text, StdoutSource: source(9, 3, 2, one),
			StdoutCuts: []*pb.Cut{cut(2, 9, 3)}}, "stdout_cuts", ledger},
		"overlap without segments": {&pb.CommandResult{StdoutPreview: text, StdoutSource: source(9, 3, 2),
			StdoutCuts: []*pb.Cut{cut(3, 9, 3), cut(8, 9, 3)}}, "stdout_cuts", ledger},
		"cut in a line":              {changed(func(c *pb.Cut) { c.PreviewOffset = 1 }), "stdout_cuts", ledger},
		"bytes stated twice":         {changed(func(c *pb.Cut) { c.OmittedBytes = 6 }), "stdout_cuts", ledger},
		"lines stated twice":         {changed(func(c *pb.Cut) { c.OmittedLines = 1 }), "stdout_cuts", ledger},
		"occurrences of a cut":       {changed(func(c *pb.Cut) { c.Occurrences = 1 }), "stdout_cuts", ledger},
		"a line that is not covered": {changed(func(c *pb.Cut) { c.LastLine = 3 }), "stdout_cuts", ledger},
		"a cut without lines":        {changed(func(c *pb.Cut) { c.FirstLine, c.LastLine = 0, 0 }), "stdout_cuts", ledger},
		"text of no line":            {changed(func(c *pb.Cut) { c.FirstLine, c.ByteStart, c.PreviewOffset = 1, 0, 0 }), "stdout_cuts", ledger},
		"a loss with a range":        {changed(func(c *pb.Cut) { c.Kind = pb.CutKind_CUT_KIND_SOURCE_LOSS }), "stdout_cuts", ledger},
		"a scattered cut of what is cut": {&pb.CommandResult{StdoutPreview: text, StdoutSource: source(9, 2, 2), StdoutCuts: []*pb.Cut{cut(3, 9, 3),
			{Kind: pb.CutKind_CUT_KIND_CONTROL, FirstLine: 2, LastLine: 2, ByteStart: 4, ByteEnd: 9, OmittedBytes: 1, Occurrences: 1}}}, "stdout_cuts", ledger},
		"sum": {&pb.CommandResult{StdoutPreview: text, StdoutSource: source(9, 4, 2, one),
			StdoutCuts: []*pb.Cut{cut(3, 9, 3)}}, "stdout_cuts", ledger},
		"segment beyond the preview": {&pb.CommandResult{StdoutPreview: text, StdoutSource: source(3, 3, 1, segment(1, 0, 3, 4))}, "stdout_cuts", ledger},
		"huge segments":              {&pb.CommandResult{StdoutPreview: text, StdoutSource: source(3, 3, 2, segment(1, 0, 1, ^uint64(0)), segment(2, 1, 3, 4))}, "stdout_cuts", ledger},
	} {
		t.Run(name, func(t *testing.T) {
			wantReason(t, envelope.ValidateCanonical("canonical", command(c.result), nil), "canonical.command."+c.field, c.reason)
		})
	}
	for _, segments := range [][]*pb.Segment{{one}, nil} {
		good := &pb.CommandResult{StdoutPreview: text, StdoutTruncated: true, StdoutSource: source(9, 3, 2, segments...),
			StdoutCuts: []*pb.Cut{cut(3, 9, 3)}}
		if err := envelope.ValidateCanonical("", command(good), nil); err != nil {
			t.Error(err)
		}
	}
}

// source returns the facts of a payload of which one line is shown.
func source(bytes, visible, lines uint64, segments ...*pb.Segment) *pb.SourceFacts {
	return &pb.SourceFacts{Bytes: bytes, VisibleBytes: visible, Lines: lines, ShownLines: 1, Segments: segments}
}

// segment returns a segment of one line.
func segment(line, start, end, preview uint64) *pb.Segment {
	return &pb.Segment{FirstLine: line, LastLine: line, ByteStart: start, ByteEnd: end, PreviewBytes: preview}
}

// cut returns a cut of the second line.
func cut(start, end, at uint64) *pb.Cut {
	return &pb.Cut{Kind: pb.CutKind_CUT_KIND_MIDDLE, FirstLine: 2, LastLine: 2, ByteStart: start, ByteEnd: end, PreviewOffset: at}
}

func TestInvalidEnvelopeIsRejected(t *testing.T) {
	success, failure := pb.ToolStatus_TOOL_STATUS_SUCCESS, pb.ToolStatus_TOOL_STATUS_ERROR
	result := &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{}}
	fault := &pb.CompleteToolError{Kind: "k"}
	const exclusivity = pb.ErrorReason_ERROR_REASON_ENVELOPE_EXCLUSIVITY
	for name, c := range map[string]struct {
		out    *pb.CompleteToolOutput
		field  string
		reason pb.ErrorReason
	}{
		"C01 both":               {&pb.CompleteToolOutput{ToolName: "x", Status: success, Result: result, Error: fault}, "output.error", exclusivity},
		"C01 neither":            {&pb.CompleteToolOutput{ToolName: "x", Status: success}, "output.result", exclusivity},
		"C02 success with error": {&pb.CompleteToolOutput{ToolName: "x", Status: success, Error: fault}, "output.result", exclusivity},
		"C02 error with result":  {&pb.CompleteToolOutput{ToolName: "x", Status: failure, Result: result}, "output.result", exclusivity},
		"C06 unknown status":     {&pb.CompleteToolOutput{ToolName: "x", Status: 9}, "output.status", pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN},
		"C03 no name":            {&pb.CompleteToolOutput{Status: failure, Error: fault}, "output.tool_name", pb.ErrorReason_ERROR_REASON_FIELD_MISSING},
		"C03 long name":          {&pb.CompleteToolOutput{ToolName: strings.Repeat("x", 1<<20), Status: failure, Error: fault}, "output.tool_name", pb.ErrorReason_ERROR_REASON_FIELD_TOO_LONG},
		"C03 newline":            {&pb.CompleteToolOutput{ToolName: "a\nb", Status: failure, Error: fault}, "output.tool_name", pb.ErrorReason_ERROR_REASON_NAME_INVALID},
		"C03 escape":             {&pb.CompleteToolOutput{ToolName: "a\x1b[1m", Status: failure, Error: fault}, "output.tool_name", pb.ErrorReason_ERROR_REASON_NAME_INVALID},
		"C03 bidi":               {&pb.CompleteToolOutput{ToolName: "a\u202e", Status: failure, Error: fault}, "output.tool_name", pb.ErrorReason_ERROR_REASON_NAME_INVALID},
		"C03 tag":                {&pb.CompleteToolOutput{ToolName: "a\U000e0041", Status: failure, Error: fault}, "output.tool_name", pb.ErrorReason_ERROR_REASON_NAME_INVALID},
		"I01 path":               {&pb.CompleteToolOutput{ToolName: "../x", Status: failure, Error: fault}, "output.tool_name", pb.ErrorReason_ERROR_REASON_NAME_INVALID},
		"I01 absolute path":      {&pb.CompleteToolOutput{ToolName: "/etc", Status: failure, Error: fault}, "output.tool_name", pb.ErrorReason_ERROR_REASON_NAME_INVALID},
		"I01 NUL":                {&pb.CompleteToolOutput{ToolName: "a\x00", Status: failure, Error: fault}, "output.tool_name", pb.ErrorReason_ERROR_REASON_NAME_INVALID},
		"nothing":                {nil, "output", pb.ErrorReason_ERROR_REASON_FIELD_MISSING},
	} {
		t.Run(name, func(t *testing.T) {
			wantReason(t, envelope.ValidateComplete(c.out), c.field, c.reason)
		})
	}
}

func TestSchemaOfEveryFamily(t *testing.T) {
	_, fields := envelope.OneofFields()
	for _, f := range fields {
		if err := envelope.CheckSchema(f.Message()); err != nil {
			t.Error(err)
		}
	}
	if envelope.CheckSchema((&pb.Payload{}).ProtoReflect().Descriptor()) == nil {
		t.Error("a message without retention is accepted")
	}
}

// C06: fields of a newer contract survive a round trip through bytes.
func TestUnknownFieldsAreKept(t *testing.T) {
	r := command(&pb.CommandResult{ExitStatus: new(int32(1))})
	r.ProtoReflect().SetUnknown([]byte{0xc2, 0x3e, 0x01, 'x'}) // field 1000, "x"
	once, err := envelope.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back pb.CanonicalToolResult
	if err := proto.Unmarshal(once, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, &back, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
}

func FuzzFromJSON(f *testing.F) {
	files, _ := filepath.Glob("testdata/rfc/*.json")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := envelope.FromJSON(text, "command")
		if err != nil {
			return
		}
		once, err := envelope.ToJSON(r)
		if err != nil {
			t.Fatal(err)
		}
		again, err := envelope.FromJSON(once, "command")
		if err != nil {
			t.Fatalf("%s does not read back: %v", once, err)
		}
		if diff := cmp.Diff(r, again, protocmp.Transform()); diff != "" {
			t.Fatal(diff)
		}
	})
}

// A reader of a receipt has no artifacts to count in: an index is said as the path
// that it names.
func TestIndexInArtifactsIsSaidAsItsPath(t *testing.T) {
	ref := &pb.ImageReference{Artifacts: []*pb.ArtifactReference{{Path: "/store/3f8/a9c1e2"}}}
	m := ref.ProtoReflect()
	index := m.Descriptor().Fields().ByName("image_artifact")
	for _, c := range []struct {
		index *uint32
		want  string
	}{{nil, ""}, {new(uint32(0)), "/store/3f8/a9c1e2"}, {new(uint32(1)), ""}} {
		ref.ImageArtifact = c.index
		if got := envelope.Words(m, index, envelope.AsIs); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
