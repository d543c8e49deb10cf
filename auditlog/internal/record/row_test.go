package record_test

import (
	"strings"
	"testing"

	"github.com/toolresult/toolresult/auditlog/internal/record"
	"github.com/toolresult/toolresult/integration/audittest"
)

// TestRowOfParts: the row of the parts is that of the record, and each difference is named.
func TestRowOfParts(t *testing.T) {
	t.Parallel()
	r := audittest.Projection("s", "c", "r", 4000)
	want, err := record.NewRow(r)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := record.Split(r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := parts.Row()
	if err != nil || got.Difference(want) != "" || len(want.Artifacts) == 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	got.Tool += "x"
	if d := got.Difference(want); d != "column tool" {
		t.Error(d)
	}
	got.Tool = want.Tool
	got.Artifacts = append(got.Artifacts, "another")
	if d := got.Difference(want); !strings.Contains(d, "artifacts") {
		t.Error(d)
	}
	if parts.Canonical = []byte{0xff}; true {
		if _, err := parts.Row(); err == nil {
			t.Error("a message that cannot be read has a row")
		}
	}
}
