// Package shape recognizes what kind of text a payload is (a diff, a table, JSON, a
// stack trace, a log ...) and ranks its lines by how much a reader needs them.
//
//	Detect         finds the shape from the first lines
//	Rank           gives every line a score and a reason, by the shape
//	Order          sorts lines by score and turn
//	ParseDocument  lays out and ranks a JSON value
//	KeyScore       says how much the value of a key of JSON matters
//
// # How lines are ranked
//
// A shape with structure (diff, search, listing, table, stack trace, prose) has an
// order of its own: first the lines that name a part, such as a file or a column,
// then the content of all parts in turns. The turns are max-min fair: a line comes
// by the number of bytes that its part has had before it, so no part gets more than
// another as long as both have lines. Every other text is ranked as a log: marks of
// package salience, less for lines that look like earlier ones, lines around a mark,
// and the two ends.
//
// Scores are from 1 to 100 and compare only within one payload. docs/reference/shapes.md
// explains each shape, and proto/toolresult/v1/ledger.proto its name.
package shape
