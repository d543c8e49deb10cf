package envelope_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/envelope"
)

// TestRecordsStayReadable reads canonical results as version 1 wrote them, one of each family, and writes the same bytes.
// Files in testdata/records are added, never changed.
func TestRecordsStayReadable(t *testing.T) {
	t.Parallel()
	records, err := filepath.Glob("testdata/records/*.json")
	if err != nil || len(records) < 13 {
		t.Fatalf("there are %d records, error %v", len(records), err)
	}
	for _, path := range records {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		family, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".json"), "-")
		record, err := envelope.FromJSON(text, family)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		again, err := envelope.ToJSON(record)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, again, "", "  "); err != nil {
			t.Fatal(err)
		}
		if got := indented.String() + "\n"; got != string(text) {
			t.Errorf("%s is written as\n%s", path, got)
		}
	}
}
