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

// JSON is cut by value.
func ExampleParseJSON() {
	j, err := preview.ParseJSON([]byte(`{"items":[` + strings.Repeat(`{"id":1,"name":"record"},`, 200) + `{"id":2}],"next":"cursor"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	p := j.Select(preview.Budget{Tokens: 80, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 500}, tokens.Estimate(), preview.Hints{})
	fmt.Print(p.Text[strings.Index(p.Text, "  ]"):])
	for _, c := range p.Cuts {
		fmt.Printf("%d of %d values are omitted\n", c.OmittedValues, c.TotalValues)
	}
	// Output:
	// ],
	//   "next": "cursor"
	// }
	// 197 of 201 values are omitted
}
