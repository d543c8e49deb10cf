// Package textscan reads the bytes of tool output line by line and gives each line
// its visible form. It has no opinion on what matters and no bounds of a preview:
// it knows what a terminal, a reader and a model make of bytes.
//
//	LineBuilder  assembles one line from pieces, as a terminal shows it
//	LineStore    keeps lines and their texts in two slices
//	Sanitise     makes the visible form of a line and counts its changes
//	LastState    resolves a line that draws over itself
//	IsBinary     reports whether bytes are no text
//	Number, HasWord, PlainName and others read words and numbers
//
// # Visible form
//
// The visible form of a line is valid UTF-8. It has no control characters but tab,
// no line break of any kind, no escape sequence that only dresses text, and no
// invisible character that joins nothing. It is its own visible form. What is
// removed or replaced is counted in Changes, in bytes of the payload, so that a
// ledger can account for every byte.
//
// An escape sequence never reaches over a line end, so the visible form of a line
// does not depend on the lines around it, and none of the functions here keeps
// state from one line to the next. All take time linear in their input.
package textscan
