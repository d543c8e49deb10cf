package renderers

import (
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Counts of folders are one note of an extent, whatever the names are, and are read
// back as it.
func TestPartsAreOneNote(t *testing.T) {
	e := &Extent{Lines: 30, Shown: 4, Artifact: "/a"}
	e.Notes = append(e.Notes, partsNote([]*pb.PayloadPart{{Name: "a; all: /b/", Lines: 20}, {Name: "c.go", Lines: 9}, {Lines: 1, Others: 1}}))
	const want = "4 of 30 lines; by folder: a? all: /b/ 20, c.go 9, 1 other 1; all: /a"
	if got := e.String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	back, ok := parseExtent(e.String())
	if !ok || back.Artifact != "/a" || len(back.Notes) != 1 || back.Notes[0] != e.Notes[0] {
		t.Errorf("read back as %+v", back)
	}
}
