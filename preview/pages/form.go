package pages

// Kind is what a line of a readable form is.
type Kind uint8

// The kinds.
const (
	Heading  Kind = iota + 1
	Sentence      // of running text
	Fact          // short, with a number or a value
	Item          // short, without any
	Code          // a line of an example
	Links         // only links
	Divider       // between the main part and the rest
	Alert         // an error or a message of a browser page
	Field         // a form field with its value
	Control       // a button or a link that can be clicked
)

// Line is a line of a readable form.
type Line struct {
	Kind    Kind
	Level   uint8 // of a heading, from 1
	Beside  bool  // not in the main part
	Dialog  bool  // in a dialog, which is over the page
	Section int32 // counts headings up to here
	Choice  bool  // a field that can only be checked
	Row     int32 // counts rows up to here; 0 for a line of no row
	Odd     uint8 // how much its row is unlike others
}

// Form is a readable form.
type Form struct {
	text  []byte
	lines []Line
	tree  bool // of a browser, not of a page
}

// Text returns the readable form. It ends with a line end.
func (f *Form) Text() []byte { return f.text }

// Len returns the number of lines.
func (f *Form) Len() int { return len(f.lines) }

// Line returns line i.
func (f *Form) Line(i int) Line { return f.lines[i] }

// IsTree reports whether the form is of an accessibility tree.
func (f *Form) IsTree() bool { return f.tree }

// add adds a line.
func (f *Form) add(l Line, text []byte) {
	f.text = append(append(f.text, text...), '\n')
	f.lines = append(f.lines, l)
}
