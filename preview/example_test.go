package preview_test

import (
	"fmt"
	"strings"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/tokens"
)

// A log that does not fit shows its ends and the line that matters. The ledger
// accounts for the rest.
func Example() {
	log := strings.Repeat("step of the work\n", 500) + "error: no space left on device\n" + strings.Repeat("step of the work\n", 500)
	w := preview.NewWriter(100)
	_, _ = w.Write([]byte(log)) // it never fails
	p := w.Finish().Select(preview.Budget{Tokens: 100, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 500},
		tokens.Estimate(), preview.Hints{HeadPercent: 25})
	fmt.Println(strings.Contains(p.Text, "no space left"), p.Lines, p.Bytes == int64(len(log)))
	omitted := int64(0)
	for _, c := range p.Cuts {
		omitted += c.OmittedBytes
	}
	fmt.Println(p.VisibleBytes()+omitted == p.Bytes)
	// Output:
	// true 1001 true
	// true
}

// JSON that is no list has a line for each object, with the path to it.
func ExampleParseOutline() {
	o, err := preview.ParseOutline([]byte(`{"job":{"name":"web","_links":{"self":"/1"},"status":{"phase":"Failed","conditions":[{"type":"Ready","status":"False"}]}}}`), 2000)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s", o.Text())
	// Output:
	// job: name: web
	// job.status: phase: Failed
	// job.status.conditions[0]: type: Ready, status: False
	// left out: _links
}
