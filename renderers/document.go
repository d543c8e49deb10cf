package renderers

// Document is what a receipt says: what a family's renderer describes, and what
// ParseReceipt reads back.
type Document struct {
	Outcome  string // the first line: one of the outcome forms
	Facts    []Fact // "label: value" lines
	Sections []Section
	Brief    bool // all of it stands on one line
}

// Fact is one line of the form "label: value". Labels are those of the grammar,
// with or without an item in front; values are one line and not empty.
type Fact struct{ Label, Value string }

// Section is one stream of tool text.
type Section struct {
	Label  string  // "stdout", "Initial output", "Item 2 stderr"
	Extent *Extent // nil when the section shows all there is
	Body   []Piece
}

// Extent are the facts of a stream that is not shown as it is.
type Extent struct {
	Lines, Bytes int64    // as the tool wrote it; Lines is 0 for what has none, such as a binary
	Indented     int64    // lines of the readable form that is shown of JSON; 0: it is shown as it was written
	Entries      int64    // of a list, which has no lines and bytes
	Shown        int64    // lines or entries shown; equal to their number when all of them are
	Notes        []string // what else a reader must know, in the grammar's words
	Artifact     string   // path of all of it; empty when it was not stored
}

// Piece is a run of tool text, or a cut marker between two of them.
type Piece struct {
	Text  string // sanitised; lines are separated by "\n" and the last one is not ended
	First int64  // number of the text's first line, where its lines are numbered; otherwise 0
	Mark  *Mark  // nil for text
}

// Mark is a cut marker. Inside a line it stands between the two parts of that
// line that are shown; otherwise it stands for whole lines.
type Mark struct {
	Inside      bool
	First, Last int64 // lines, from 1; equal when Inside
	Bytes       int64 // bytes left out, when Inside
	Values, Of  int64 // of a JSON container: values left out, and how many it has; 0 for other cuts
	Like        int64 // first of the lines just before that those left out are like; 0 for other cuts
}
