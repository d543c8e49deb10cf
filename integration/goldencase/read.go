// Package goldencase reads the golden cases of the families, and projects them without a server.
//
// A case is a folder in the folder of its family, in integration/testdata/golden. TestGolden of package integration sends
// each through a running sidecar and has the list of its files. Run does the same with projectors and renderers alone, so
// that a change of either is seen in a second, in the tests of its own package.
package goldencase

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/families"
)

// notPayloads are the files of a case that have no bytes of a payload.
var notPayloads = []string{
	"request.textproto", "earlier.textproto", "canonical.json", "receipt.txt", "compacted-trimmed.txt", "compacted-handles.txt",
	"compacted-line.txt", "error.txt",
}

// ReadRequest reads the request in a file of a case, and its payloads from the files beside it. custom has the families
// whose payloads a custom result may have.
func ReadRequest(t testing.TB, path string, custom []families.Family) *pb.ProjectRequest {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	req := &pb.ProjectRequest{}
	if err := prototext.Unmarshal(text, req); err != nil {
		t.Fatal(err)
	}
	fill(t, filepath.Dir(path), req.GetOutput(), custom)
	return req
}

// fill takes the inline bytes of payloads from files.
func fill(t testing.TB, dir string, out *pb.CompleteToolOutput, custom []families.Family) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	payload, seal := openResult(t, out, custom)
	for _, file := range files {
		if slices.Contains(notPayloads, file.Name()) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		p := message(t, payload, strings.Split(file.Name(), "."))
		if p.Descriptor().FullName() != "toolresult.v1.Payload" {
			t.Fatalf("%s is no payload", file.Name())
		}
		p.Set(p.Descriptor().Fields().ByName("inline"), protoreflect.ValueOfBytes(content))
	}
	seal()
}

// openResult returns the family's message of an output, and the function that puts it back.
func openResult(t testing.TB, out *pb.CompleteToolOutput, custom []families.Family) (m protoreflect.Message, seal func()) {
	t.Helper()
	m = out.ProtoReflect()
	f := m.WhichOneof(m.Descriptor().Oneofs().ByName("result"))
	if f == nil {
		return m, func() {} // the path of an error begins there
	}
	m = m.Mutable(f).Message()
	output := out.GetCustom()
	if output == nil {
		return m, func() {}
	}
	for _, family := range custom {
		if family.Name != output.GetType() {
			continue
		}
		m = dynamicpb.NewMessage(family.Type.Complete)
		if err := protojson.Unmarshal([]byte(output.GetMessageJson()), m.Interface()); err != nil {
			t.Fatal(err)
		}
	}
	return m, func() {
		binary, err := proto.Marshal(m.Interface())
		if err != nil {
			t.Fatal(err)
		}
		output.Encoding = &pb.CustomOutput_Message{Message: binary}
	}
}

// message returns the message at a path of field names; elements of a list are counted from 1.
func message(t testing.TB, m protoreflect.Message, path []string) protoreflect.Message {
	t.Helper()
	for ; len(path) > 0; path = path[1:] {
		f := m.Descriptor().Fields().ByName(protoreflect.Name(path[0]))
		if f == nil || f.Message() == nil {
			t.Fatalf("%s has no message %q", m.Descriptor().Name(), path[0])
		}
		if !f.IsList() {
			m = m.Mutable(f).Message()
			continue
		}
		n, err := strconv.Atoi(path[1])
		if err != nil || n < 1 || n > m.Get(f).List().Len() {
			t.Fatalf("%s has no element %q", f.Name(), path[1])
		}
		m, path = m.Mutable(f).List().Get(n-1).Message(), path[1:]
	}
	return m
}
