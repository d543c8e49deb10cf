package record

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/integration/audittest"
)

// Any record is read from its bytes as it was split.
func TestPartsKeepAnyRecord(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := audittest.Records().Draw(t, "record")
		parts, err := Split(r)
		if err != nil {
			t.Fatal(err)
		}
		encoded := parts.Encode()
		read, err := Decode(encoded)
		if err != nil {
			t.Fatal(err)
		}
		got, err := read.Join()
		r.LogId, r.Sequence, r.RecordedAt, r.PreviousHash, r.Hash = "", 0, nil, "", ""
		if diff := cmp.Diff(r, got, protocmp.Transform()); diff != "" || err != nil {
			t.Fatalf("%v (-want +got):\n%s", err, diff)
		}
		cut := rapid.IntRange(0, len(encoded)-1).Draw(t, "cut")
		if _, err := Decode(encoded[:cut]); !errors.Is(err, ErrMessage) {
			t.Fatalf("%d of %d bytes: %v", cut, len(encoded), err)
		}
		if _, err := Decode(append(encoded, 0)); !errors.Is(err, ErrMessage) {
			t.Fatalf("one more: %v", err)
		}
	})
}
