package redact_test

import (
	"testing"

	"github.com/toolresult/toolresult/integration/redacttest"
	"github.com/toolresult/toolresult/redact"
)

// values is how many values TestShapes draws for each shape.
const values = 20

// TestShapes draws secrets in the shapes in which tools print them. None is shown.
func TestShapes(t *testing.T) {
	t.Parallel()
	o := redact.Options{Patterns: redact.BuiltIn()}
	shapes := redacttest.Shapes()
	if len(shapes) < 300 {
		t.Errorf("only %d shapes", len(shapes))
	}
	for _, s := range shapes {
		shown, example := 0, ""
		for seed := range uint64(values) {
			d := s.Draw(seed)
			out, _ := redact.Text(o, []byte("the line before\n"+d.Text+"\nthe line behind\n"))
			if d.Shown(string(out)) != "" {
				shown, example = shown+1, string(out[len("the line before\n"):len(out)-len("\nthe line behind\n")])
			}
		}
		if shown > 0 {
			t.Errorf("%s: %s: %d of %d are shown, such as in %.300s", s.Group, s.Line, shown, values, example)
		}
	}
}
