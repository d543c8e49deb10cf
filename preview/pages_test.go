package preview_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/tokens"
)

// page is a page as Markdown with parts, short links and text beside the main one.
func page(parts, sentences int) string {
	var b strings.Builder
	b.WriteString("# Locks of the river\n\nAll locks were built by one company before 1912.\n\n- [Home](/)\n- [Maps](/maps)\n\n")
	for i := range parts {
		fmt.Fprintf(&b, "## Lock %d\n\n", i)
		for k := range sentences {
			fmt.Fprintf(&b, "Sentence %d of lock %d says what was built there and by whom. ", k, i)
		}
		if i == parts/2 {
			b.WriteString("The gate of this lock was damaged by the motor ship Elisa.")
		}
		b.WriteString("\n\n")
	}
	b.WriteString("Beside the main text:\n\nAll rights of this page are reserved by its owner.\n")
	return b.String()
}

// selected returns what is shown of a page.
func selected(t *testing.T, text string, budget int, focus string) *preview.Preview {
	t.Helper()
	p := preview.ParsePage([]byte(text), "", false)
	if p == nil {
		t.Fatal("no page")
	}
	return p.Select(preview.Budget{Tokens: budget, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}, tokens.Estimate(), preview.Hints{Focus: focus})
}

// A page shows its title, its outline with first sentences, and its start; what is beside
// the main text comes last.
func TestPageShowsMainTextFirst(t *testing.T) {
	t.Parallel()
	v := selected(t, page(12, 20), 600, "")
	for _, want := range []string{"# Locks of the river\n", "before 1912.\n", "## Lock 0\n", "Sentence 0 of lock 0 ", "Sentence 1 of lock 0 ", "## Lock 5\n", "Sentence 0 of lock 5 "} {
		if !strings.Contains(v.Text, want) {
			t.Errorf("%q is not shown\n%s", want, v.Text)
		}
	}
	for _, no := range []string{"All rights", "]("} {
		if strings.Contains(v.Text, no) {
			t.Errorf("%q is shown\n%s", no, v.Text)
		}
	}
	if whole := selected(t, page(2, 2), 2000, ""); whole.Truncated() || !strings.Contains(whole.Text, "All rights") {
		t.Errorf("not all is shown\n%s", whole.Text)
	}
}

// What the reader looks for is shown with its heading.
func TestPageShowsWhatIsLookedFor(t *testing.T) {
	t.Parallel()
	const fact = "damaged by the motor ship Elisa"
	if v := selected(t, page(12, 20), 400, "Which ship damaged the gate?"); !strings.Contains(v.Text, fact) || !strings.Contains(v.Text, "## Lock 6\n") {
		t.Errorf("it is not shown\n%s", v.Text)
	}
}

// Of a tree, alerts, dialogs, fields and buttons come first.
func TestSnapshotShowsWhatToDo(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("- banner [ref=e1]:\n  - button \"Compose\" [ref=e2]\n- main [ref=e3]:\n  - list [ref=e4]:\n")
	for i := range 200 {
		fmt.Fprintf(&b, "    - listitem [ref=e%d]:\n      - link \"Mail %d of somebody\" [ref=f%d] [cursor=pointer]:\n        - /url: /m/%d\n      - button \"Archive\" [ref=g%d]\n", i, i, i, i, i)
	}
	b.WriteString("  - alert [ref=e5]: The connection was lost\n- dialog \"Sign in again\" [ref=e6]:\n  - textbox \"Password\" [ref=e7]\n")
	p := preview.ParseSnapshot([]byte(b.String()))
	if p == nil {
		t.Fatal("no tree")
	}
	v := p.Select(preview.Budget{Tokens: 300, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}, tokens.Estimate(), preview.Hints{})
	for _, want := range []string{"The connection was lost", `textbox "Password" [ref=e7]`, `button "Compose" [ref=e2]`, `link "Mail 0 of somebody" [ref=f0]`} {
		if !strings.Contains(v.Text, want) {
			t.Errorf("%q is not shown\n%s", want, v.Text)
		}
	}
	if strings.Contains(v.Text, "Archive") {
		t.Errorf("what every row has is shown\n%s", v.Text)
	}
}

// Of a tree with many rows, those that are unlike others come with their controls, and so do
// controls at the end of the page.
func TestSnapshotShowsOddRows(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("- main [ref=e1]:\n  - generic [ref=e2]:\n")
	for i := range 150 {
		fmt.Fprintf(&b, "    - generic [ref=r%d]:\n      - link \"Mug %d\" [ref=l%d]\n      - generic [ref=p%d]: $%d.00\n", i, i, i, i, 10+i%7)
		if i == 101 {
			b.WriteString("      - generic [ref=s]: Only 2 left\n")
		}
		fmt.Fprintf(&b, "      - button \"Add to cart\" [ref=b%d]\n", i)
	}
	b.WriteString("  - navigation \"Pages\" [ref=e3]:\n    - link \"Next page\" [ref=e4]\n")
	p := preview.ParseSnapshot([]byte(b.String()))
	if p == nil {
		t.Fatal("no tree")
	}
	v := p.Select(preview.Budget{Tokens: 400, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}, tokens.Estimate(), preview.Hints{})
	for _, want := range []string{"link \"Mug 101\" [ref=l101] $13.00 · Only 2 left\nbutton \"Add to cart\" [ref=b101]\n", `link "Next page" [ref=e4]`, `link "Mug 0" [ref=l0]`, `link "Mug 149"`} {
		if !strings.Contains(v.Text, want) {
			t.Errorf("%q is not shown\n%s", want, v.Text)
		}
	}
}

// A page spends its budget, and its ledger adds up.
func TestPageSpendsItsBudget(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		text := page(rapid.IntRange(1, 30).Draw(r, "parts"), rapid.IntRange(0, 30).Draw(r, "sentences"))
		budget := rapid.IntRange(100, 3000).Draw(r, "budget")
		focus := rapid.SampledFrom([]string{"", "lock 3", "Which ship damaged the gate?", "nothing of this"}).Draw(r, "focus")
		v := selected(t, text, budget, focus)
		shown := int64(0)
		for _, s := range v.Segments {
			shown += s.ByteEnd - s.ByteStart
		}
		for _, c := range v.Cuts {
			shown += c.OmittedBytes
		}
		if shown != v.Bytes {
			r.Fatalf("%d of %d bytes are shown or cut", shown, v.Bytes)
		}
		if cost := tokens.Estimate().Count(v.Text); cost > budget {
			r.Fatalf("%d tokens of %d", cost, budget)
		}
		if cost := tokens.Estimate().Count(v.Text); v.Truncated() && cost*100 < budget*60 {
			r.Fatalf("%d tokens of %d are spent", cost, budget)
		}
	})
}
