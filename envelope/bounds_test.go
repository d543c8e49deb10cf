package envelope

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Numbers of a request are taken at their bounds, and rejected one beyond.
func TestNumbersAreInclusive(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value       uint32
		wantBounded int
		valid       bool
		atMost      int
		validAtMost bool
	}{
		{value: 0, wantBounded: 50, valid: true, atMost: 0, validAtMost: true},
		{value: 9, wantBounded: 9, valid: false, atMost: 9, validAtMost: true},
		{value: 10, wantBounded: 10, valid: true, atMost: 10, validAtMost: true},
		{value: 100, wantBounded: 100, valid: true, atMost: 100, validAtMost: true},
		{value: 101, wantBounded: 101, valid: false, atMost: 0, validAtMost: false},
		{value: ^uint32(0), wantBounded: int(^uint32(0)), valid: false, atMost: 0, validAtMost: false},
	} {
		check := NewChecker("")
		if got := check.Bounded("f", c.value, 50, 10, 100); got != c.wantBounded || (check.Err() == nil) != c.valid {
			t.Errorf("%d is %d, %v", c.value, got, check.Err())
		}
		check = NewChecker("")
		if got := check.AtMost("f", c.value, 100); got != c.atMost || (check.Err() == nil) != c.validAtMost {
			t.Errorf("%d is %d, %v", c.value, got, check.Err())
		}
	}
}

// violated returns the fields of an *InvalidError.
func violated(err error) string {
	var invalid *InvalidError
	if !errors.As(err, &invalid) {
		return ""
	}
	var fields []string
	for _, v := range invalid.Violations {
		fields = append(fields, v.Field)
	}
	return strings.Join(fields, " ")
}

// Each field of the envelope and of an error has its bound.
func TestFieldsOfTheEnvelopeAreBounded(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("x", n+1) }
	details := func(n int) string { return `"` + strings.Repeat("x", n-2) + `"` }
	for want, change := range map[string]func(*pb.CanonicalToolResult){
		"":                    func(*pb.CanonicalToolResult) {},
		"tool_name":           func(r *pb.CanonicalToolResult) { r.ToolName = "" },
		"summary_text":        func(r *pb.CanonicalToolResult) { r.SummaryText = "" },
		"status":              func(r *pb.CanonicalToolResult) { r.Status = 9 },
		"error.kind":          func(r *pb.CanonicalToolResult) { r.Error.Kind = "0" },
		"error.message":       func(r *pb.CanonicalToolResult) { r.Error.Message = long(MaxMessage) },
		"error.recovery_hint": func(r *pb.CanonicalToolResult) { r.Error.RecoveryHint = new(long(MaxHint)) },
		"error.details_json":  func(r *pb.CanonicalToolResult) { r.Error.DetailsJson = new(details(MaxDetails + 1)) },
		"error.given_kind":    func(r *pb.CanonicalToolResult) { r.Error.GivenKind = long(MaxGivenKind) },
		"error.details_omitted.digest": func(r *pb.CanonicalToolResult) {
			r.Error.DetailsOmitted = &pb.DetailsOmitted{Digest: long(digestBytes)}
		},
		"error.details_omitted.artifact.path": func(r *pb.CanonicalToolResult) {
			r.Error.DetailsOmitted = &pb.DetailsOmitted{Artifact: &pb.ArtifactReference{Path: long(maxPath)}}
		},
		"summary_text error.message": func(r *pb.CanonicalToolResult) { r.SummaryText, r.Error.Message = long(MaxSummary), long(MaxMessage) },
	} {
		r := &pb.CanonicalToolResult{ToolName: "x", SummaryText: "s", Status: pb.ToolStatus_TOOL_STATUS_ERROR, Error: &pb.ToolError{
			Kind: strings.Repeat("k", MaxKind), Message: strings.Repeat("m", MaxMessage), RecoveryHint: new(strings.Repeat("h", MaxHint)),
			DetailsJson: new(details(MaxDetails)), GivenKind: strings.Repeat("g", MaxGivenKind),
			DetailsOmitted: &pb.DetailsOmitted{Digest: strings.Repeat("d", digestBytes), Artifact: &pb.ArtifactReference{Path: strings.Repeat("p", maxPath)}},
		}}
		change(r)
		if got := violated(ValidateCanonical("", r, nil)); got != want {
			t.Errorf("%q are rejected, want %q", got, want)
		}
	}
	if got := ValidateCanonical("canonical", nil, nil); got == nil {
		t.Error("nothing is valid")
	}
}

// A cut is checked by itself; every number of it at its bound.
func TestCutsAreCheckedByThemselves(t *testing.T) {
	t.Parallel()
	const middle, control, loss = pb.CutKind_CUT_KIND_MIDDLE, pb.CutKind_CUT_KIND_CONTROL, pb.CutKind_CUT_KIND_SOURCE_LOSS
	for says, c := range map[string]*pb.Cut{
		"leaves out more than its range":       {Kind: middle, FirstLine: 1, LastLine: 1, ByteStart: 2, ByteEnd: 1},
		"more than its":                        {Kind: control, ByteStart: 2, ByteEnd: 4, OmittedBytes: 3},
		"states no omitted_bytes":              {Kind: middle, FirstLine: 1, LastLine: 1, ByteEnd: 4, OmittedBytes: 1},
		"omitted_lines, occurrences":           {Kind: middle, FirstLine: 1, LastLine: 1, ByteEnd: 4, OmittedLines: 1},
		"occurrences or":                       {Kind: middle, FirstLine: 1, LastLine: 1, ByteEnd: 4, Occurrences: 1},
		"or line_bytes":                        {Kind: middle, FirstLine: 1, LastLine: 1, ByteEnd: 4, LineBytes: []uint64{1}},
		"a cut between lines has no lines":     {Kind: middle, LastLine: 1, ByteEnd: 4},
		"between lines has no":                 {Kind: middle, FirstLine: 2, LastLine: 1, ByteEnd: 4},
		"a loss at the source has a range":     {Kind: loss, ByteEnd: 1},
		"loss at the source":                   {Kind: loss, LineBytes: []uint64{1}},
		"outside of the preview or inside":     {Kind: loss, PreviewOffset: 4},
		"inside a character":                   {Kind: loss, PreviewOffset: 2},
		"more values than there are":           {Kind: control, ByteEnd: 4, OmittedValues: 2, TotalValues: 1},
		"values than there are, or none":       {Kind: control, ByteEnd: 4, OmittedValues: 0, TotalValues: 1},
		"a cut leaves out more values than th": {Kind: control, OmittedValues: 1},
	} {
		if err := checkCut(c, "aé"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, want %q", c, err, says)
		}
	}
	for _, c := range []*pb.Cut{
		{Kind: middle, FirstLine: 1, LastLine: 1, ByteEnd: 4, PreviewOffset: 3}, {Kind: loss, ByteStart: 2, ByteEnd: 2, PreviewOffset: 1},
		{Kind: control, ByteStart: 2, ByteEnd: 4, OmittedBytes: 2, LineBytes: []uint64{2}, Occurrences: 1},
		{Kind: control, ByteEnd: 4, OmittedValues: 1, TotalValues: 1}, {Kind: middle, FirstLine: 3, LastLine: 9, ByteStart: 4, ByteEnd: 4},
	} {
		if err := checkCut(c, "aé"); err != nil {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// A ledger that adds up without one of its cuts is rejected for that cut.
func TestCutsThatOmitNothingAreChecked(t *testing.T) {
	t.Parallel()
	r := &pb.CanonicalToolResult{ToolName: "x", SummaryText: "s", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CanonicalToolResult_Command{
		Command: &pb.CommandResult{
			StdoutPreview: new("ab\n"), StdoutSource: &pb.SourceFacts{Bytes: 3, VisibleBytes: 3, Lines: 1, ShownLines: 1},
			StdoutCuts: []*pb.Cut{{Kind: pb.CutKind_CUT_KIND_SOURCE_LOSS, PreviewOffset: 3}},
		},
	}}
	if err := ValidateCanonical("", r, nil); err != nil {
		t.Error(err)
	}
	r.GetCommand().StdoutCuts[0].PreviewOffset = 4
	if got := violated(ValidateCanonical("", r, nil)); got != "command.stdout_cuts" {
		t.Errorf("%q are rejected", got)
	}
}

func TestWordsOfAKindBeginAtCapitals(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"HTTPError": "http_error", "http0Error": "http0_error", "http9Error": "http9_error", "TimeoutERROR": "timeout_error",
		"aZ": "a_z", "zA": "z_a", "AB": "ab", "AaZz": "aa_zz", "ZZa": "z_za", "AAz": "a_az", "A": "a", "/Aa": "aa", ":Aa": "aa",
		"a  b": "a_b", "a--": "a", "--a": "a",
	} {
		if got := NormalizeErrorKind(given); got != want {
			t.Errorf("%q is %q, want %q", given, got, want)
		}
	}
}

// A result from a later contract keeps what this build does not know: fields, and values of enums.
func TestUnknownFieldsAndValuesStay(t *testing.T) {
	t.Parallel()
	unknown := protowire.AppendVarint(protowire.AppendTag(nil, 999, protowire.VarintType), 7)
	r := &pb.CanonicalToolResult{
		ToolName: "x", SummaryText: "s", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
		Result: &pb.CanonicalToolResult_Command{Command: &pb.CommandResult{Disposition: 99}},
	}
	text, err := ToJSON(r)
	if err != nil || !strings.Contains(string(text), `"disposition": 99`) {
		t.Errorf("%s, %v", text, err)
	}
	r.ProtoReflect().SetUnknown(unknown)
	other := Types(nil).WithPayload(r, (&pb.CommandResult{ExitStatus: new(int32(3))}).ProtoReflect())
	if other.GetCommand().GetExitStatus() != 3 || r.GetCommand().ExitStatus != nil || string(other.ProtoReflect().GetUnknown()) != string(unknown) || other.GetToolName() != "x" {
		t.Errorf("%v of %v", other, r)
	}
}

// A result whose family is not clear is rejected with the names of those that it could be.
func TestFamiliesAreNamed(t *testing.T) {
	t.Parallel()
	const text = `{"tool_name":"x","status":"success","summary_text":"s","error":null,"result":`
	for result, want := range map[string]string{
		`{"nobody_has_this":1}}`: "is of no family: name one of ", `{}}`: " families: name one of ",
	} {
		_, err := FromJSON([]byte(text+result), "")
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "command, ") || strings.Contains(err.Error(), CustomCase) {
			t.Errorf("%s: %v", result, err)
		}
	}
}

// canonicalMessage returns a message of the contract's conventions with fields, all of RETENTION_KEEP.
func canonicalMessage(t *testing.T, fields ...*descriptorpb.FieldDescriptorProto) protoreflect.MessageDescriptor {
	t.Helper()
	options := &descriptorpb.FieldOptions{}
	proto.SetExtension(options, pb.E_Retention, pb.Retention_RETENTION_KEEP)
	for i, f := range fields {
		f.Number, f.Label = new(int32(i+1)), labelOrOptional(f)
		if f.Options == nil {
			f.Options = options
		}
	}
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: new("test.proto"), Package: new("test.v1"), Syntax: new("proto3"),
		Dependency:  []string{"toolresult/v1/ledger.proto", "toolresult/v1/options.proto", "toolresult/v1/artifact.proto"},
		MessageType: []*descriptorpb.DescriptorProto{{Name: new("TestResult"), Field: fields}},
	}, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	return file.Messages().Get(0)
}

// labelOrOptional returns the label of a field: optional, unless it is set.
func labelOrOptional(f *descriptorpb.FieldDescriptorProto) *descriptorpb.FieldDescriptorProto_Label {
	if f.Label != nil {
		return f.Label
	}
	return descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()
}

// The conventions of large fields, lists and kinds hold for families of the contract, too.
func TestSchemaFollowsTheConventions(t *testing.T) {
	t.Parallel()
	const text, number = descriptorpb.FieldDescriptorProto_TYPE_STRING, descriptorpb.FieldDescriptorProto_TYPE_UINT64
	field := func(name string, kind descriptorpb.FieldDescriptorProto_Type) *descriptorpb.FieldDescriptorProto {
		return &descriptorpb.FieldDescriptorProto{Name: &name, Type: kind.Enum()}
	}
	repeated := func(f *descriptorpb.FieldDescriptorProto) *descriptorpb.FieldDescriptorProto {
		f.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
		return f
	}
	cuts := repeated(field("text_cuts", descriptorpb.FieldDescriptorProto_TYPE_MESSAGE))
	cuts.TypeName = new(".toolresult.v1.Cut")
	unkept := field("name", text)
	unkept.Options = &descriptorpb.FieldOptions{}
	for says, fields := range map[string][]*descriptorpb.FieldDescriptorProto{
		"large field text of test.v1.TestResult has no text_preview": {cuts},
		"large list names of test.v1.TestResult has no":              {repeated(field("names", text)), field("names_total", number)},
		"name has no retention":                                      {unkept},
		"is of kind bytes":                                           {field("payload", descriptorpb.FieldDescriptorProto_TYPE_BYTES)},
		"is of kind double":                                          {field("share", descriptorpb.FieldDescriptorProto_TYPE_DOUBLE)},
	} {
		if err := CheckSchema(canonicalMessage(t, fields...)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	if err := CheckSchema(canonicalMessage(t, field("name", text), repeated(field("others", text)), field("count", number))); err != nil {
		t.Error(err)
	}
}
