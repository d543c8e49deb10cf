package preview

import (
	"github.com/toolresult/toolresult/preview/notebook"
	"github.com/toolresult/toolresult/preview/shape"
)

// ReadNotebook reads a notebook of Jupyter, or one that was exported as Markdown. Its readable form
// is the text of its cells and of what they put out. It returns nil for other text.
func ReadNotebook(text []byte) Readable {
	if n, err := notebook.Parse(text); err == nil {
		return newOutline(n, shape.JSON)
	}
	if n, err := notebook.ParseText(text); err == nil {
		return newOutline(n, shape.Prose)
	}
	return nil
}

// ReadScript reads a notebook that was exported as a script. It returns nil for other text.
func ReadScript(text []byte) Readable {
	if n, err := notebook.ParseScript(text); err == nil {
		return newOutline(n, shape.Source)
	}
	return nil
}
