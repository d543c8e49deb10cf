package integration_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// TestTypesOfFamiliesAreNamedAlike: the types of a case are XOutput and XResult, where X is its name (ADR 0034).
func TestTypesOfFamiliesAreNamedAlike(t *testing.T) {
	t.Parallel()
	for suffix, m := range map[string]protoreflect.ProtoMessage{"Output": &pb.CompleteToolOutput{}, "Result": &pb.CanonicalToolResult{}} {
		cases := m.ProtoReflect().Descriptor().Oneofs().ByName("result").Fields()
		for i := range cases.Len() {
			name := ""
			for word := range strings.SplitSeq(string(cases.Get(i).Name()), "_") {
				name += strings.ToUpper(word[:1]) + word[1:]
			}
			if got := string(cases.Get(i).Message().Name()); got != name+suffix {
				t.Errorf("the type of %s is %s, want %s", cases.Get(i).FullName(), got, name+suffix)
			}
		}
	}
}

var (
	reasonLine = regexp.MustCompile(`^  ERROR_REASON_(\w+) = \d+(?: \[\(hint\) = "(.+)"\])?;$`)
	reasonText = regexp.MustCompile(`^([A-Z_]+)\. (.+)$`)
)

// TestDocumentedReasons: every reason says its status first, has a hint, and is in the table of docs/reference/errors.md.
func TestDocumentedReasons(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../proto/toolresult/v1/error.proto")
	if err != nil {
		t.Fatal(err)
	}
	var byStatus grouped
	var rows, comment []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if said, ok := strings.CutPrefix(line, "  // "); ok {
			comment = append(comment, said)
			continue
		}
		if m := reasonLine.FindStringSubmatch(line); m != nil && m[1] != "UNSPECIFIED" {
			said := reasonText.FindStringSubmatch(strings.Join(comment, " "))
			if said == nil {
				t.Errorf("%s does not begin with its status", m[1])
				continue
			}
			if code := codeNamed(t, said[1]); code == codes.OK {
				t.Errorf("%s is a success", m[1])
			}
			if m[2] == "" {
				t.Errorf("%s has no hint", m[1])
			}
			byStatus.add(said[1], "`"+m[1]+"`")
		}
		comment = nil
	}
	n := 0
	for _, status := range byStatus.keys {
		n += len(byStatus.items[status])
		rows = append(rows, fmt.Sprintf("| %s | %s |", status, strings.Join(byStatus.items[status], " ")))
	}
	if n != len(pb.ErrorReason_name)-1 {
		t.Errorf("%d reasons were read, and there are %d", n, len(pb.ErrorReason_name)-1)
	}
	checkTable(t, "../docs/reference/errors.md", "| status | reasons |", rows)
}
