package renderers_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/renderers"
)

// The table in the documentation is the one that writer, stuffing and parser
// share.
func TestDocumentedForms(t *testing.T) {
	text, err := os.ReadFile("../docs/receipts.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, f := range renderers.Forms() {
		fmt.Fprintf(&want, "| `%s` | %s |\n", f.Begin, f.Use)
	}
	if !strings.Contains(string(text), "| --- | --- |\n"+want.String()+"\n") {
		t.Errorf("docs/receipts.md must have this table and no other row:\n%s", want.String())
	}
}
