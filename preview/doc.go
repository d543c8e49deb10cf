// Package preview turns the bytes of a payload into bounded text and a ledger of
// the bytes that the text omits. It knows nothing of tool families, protobuf or
// services, and uses no clock, environment or random source: the same bytes and
// budget give the same preview, however the bytes were split into writes.
//
// A payload passes through three steps:
//
//	Writer    takes the bytes in writes of any size and keeps two windows of
//	          whole lines, the first and the last ones, and between them the lines
//	          that matter, in memory that does not grow with the payload
//	Excerpt   holds the kept lines; a preview can be selected more than once
//	Select    ranks the lines, chooses some for a budget, sanitises them, and
//	          accounts for every byte that is not shown
//
// The order of the text steps is fixed: decode, sanitise, cut. Each line is
// sanitised by itself: an escape sequence never reaches over a line end, so the
// visible form of a line does not depend on the lines around it.
//
// # Packages below
//
//	textscan  lines, terminal sequences, characters: bytes to their visible form
//	shape     kinds of text, and the rank of every line of a payload
//	reports   reports of tests and checks, with what failed first
//	records   JSON of records as a table, and the rank of every row
//	steps     which lines of a log are in steps that ended well
//	salience  what one line says of errors and results
//	linerule  patterns of a known program's lines
//	literal   search for many literals at once
//
// # Invariants
//
// Segments and cuts tile the payload: VisibleBytes plus the OmittedBytes of all
// cuts is Bytes. No cut tears a character. A preview that is selected for a larger
// budget does not lose the lines that rank first. The tests recompute all three
// from the payload.
package preview
