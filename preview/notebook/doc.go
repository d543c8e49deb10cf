// Package notebook writes notebooks of Jupyter as text, and ranks its lines: errors with the frames
// of their own code come first, then headings and results, then code, and the frames of libraries
// last. Images and other data are a note with their size.
//
//	Parse        reads a notebook: JSON with cells
//	ParseText    reads one that was exported as Markdown
//	ParseScript  reads one that was exported as a script
//	Notebook     is the readable form, whose lines have ranks
package notebook
