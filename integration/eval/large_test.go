package eval_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/integration/eval"
)

// Outputs that are too large for a message have receipts too, with what matters in them.
func TestLargeOutput(t *testing.T) {
	need(t)
	var text strings.Builder
	for i := range 150_000 {
		fmt.Fprintf(&text, "[%06d] compiled module %d of the archive\n", i, i*7919%100_003)
		if i == 90_000 {
			text.WriteString("src/archive/index.c:88:9: error: 'entries' undeclared\n")
		}
	}
	code := int32(2)
	d := &output{Document: eval.Document{Command: "make", ExitStatus: &code, Payload: []byte(text.String())}}
	r, err := serve(t).receipt(t.Context(), d, 1000)
	if err != nil || !strings.Contains(r.GetText(), "'entries' undeclared") {
		t.Errorf("error %v, receipt\n%s", err, r.GetText())
	}
}
