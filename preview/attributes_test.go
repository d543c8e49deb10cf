package preview_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/tokens"
)

// Of a listing of several folders that does not fit the names of files are shown without
// what is before them, and the ledger says so.
func TestListingsOfFoldersShowNames(t *testing.T) {
	var b strings.Builder
	for _, folder := range []string{"app", "docs", "lib"} {
		fmt.Fprintf(&b, "%s:\ntotal 48\n", folder)
		for i := range 20 {
			fmt.Fprintf(&b, "-rw-r--r-- 1 ada staff 12%02d Nov 25 09:47 %s%d.py\n", i, folder, i)
		}
		b.WriteString("\n")
	}
	budget := preview.Budget{Tokens: 500, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}
	p := preview.FromBytes([]byte(b.String()), budget.Tokens).Select(budget, tokens.Estimate(), preview.Hints{})
	for _, name := range []string{"app0.py", "app19.py", "docs7.py", "lib19.py"} {
		if !strings.Contains(p.Text, "\n"+name+"\n") {
			t.Errorf("no line %q in\n%s", name, p.Text)
		}
	}
	if p.Shape != shape.Listing || !p.Truncated() || p.VisibleBytes() != int64(len(p.Text)) {
		t.Errorf("shape %d, truncated %t, %d bytes visible of a text of %d", p.Shape, p.Truncated(), p.VisibleBytes(), len(p.Text))
	}
	places := int64(0)
	for _, c := range p.Cuts {
		if c.Kind == preview.CutAttributes {
			places += c.Occurrences
		}
	}
	if places != 60 {
		t.Errorf("%d places of attributes, want 60", places)
	}
}
