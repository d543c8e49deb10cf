package families

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// TestCasesKeepTheConventions has messages of the contract in places where they break a convention.
func TestCasesKeepTheConventions(t *testing.T) {
	t.Parallel()
	sleep, sleepResult := (&pb.SleepOutput{}).ProtoReflect().Descriptor(), (&pb.SleepResult{}).ProtoReflect().Descriptor()
	text, textResult := (&pb.TextOutput{}).ProtoReflect().Descriptor(), (&pb.TextResult{}).ProtoReflect().Descriptor()
	for name, c := range map[string]struct {
		complete, canonical protoreflect.MessageDescriptor
		declared            bool
		want                string
	}{
		"a declared case":          {sleep, sleepResult, true, ""},
		"a case with code":         {text, textResult, false, ""},
		"fields without retention": {text, text, false, "retention"},
		"an outcome of no field":   {sleep, withOutcome(t, sleepResult, "Slept for {nothing}"), false, "nothing"},
		"no pairs":                 {text, sleepResult, true, "TextOutput"},
		"no pairs, with code":      {text, sleepResult, false, ""},
	} {
		err := checkCase(c.complete, c.canonical, c.declared)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// withOutcome returns a message with another outcome template.
func withOutcome(t *testing.T, d protoreflect.MessageDescriptor, outcome string) protoreflect.MessageDescriptor {
	t.Helper()
	file := protodesc.ToFileDescriptorProto(d.ParentFile())
	proto.SetExtension(file.GetMessageType()[d.Index()].GetOptions(), pb.E_Outcome, outcome)
	changed, err := protodesc.NewFile(file, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	return changed.Messages().Get(d.Index())
}

// TestOneofsHaveTheSameCases compares the cases of complete output and of canonical results, whole and with a difference.
func TestOneofsHaveTheSameCases(t *testing.T) {
	t.Parallel()
	complete, canonical := envelope.OneofFields()
	if err := sameCases(complete, canonical); err != nil {
		t.Error(err)
	}
	swapped := slices.Clone(complete)
	swapped[0], swapped[1] = swapped[1], swapped[0]
	for want, list := range map[string][]protoreflect.FieldDescriptor{
		"the contract has 36 cases of complete output and 37 of canonical results": complete[1:],
		`case "text" of the contract has no twin of the same name and number`:      swapped,
	} {
		if err := sameCases(list, canonical); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
