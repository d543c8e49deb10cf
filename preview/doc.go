// Package preview turns the bytes of a payload into bounded text and a ledger
// of what that text leaves out. It knows nothing of tool families, protobuf or
// services, and uses no clock, environment or random source: the same bytes
// and budget give the same preview, however the bytes were split into writes.
//
// The way of a payload:
//
//	Writer    takes the bytes as they come and keeps two windows of whole
//	          lines, the first and the last ones, in constant memory
//	Excerpt   is what the Writer kept; it can be asked more than once
//	Select    chooses lines for a budget, sanitises them, and accounts for
//	          every byte that is not shown
//
// The order of the text steps is fixed: decode, sanitise, cut. Each line is
// sanitised by itself: an escape sequence never reaches over a line end, so
// what a line shows does not depend on the lines around it.
package preview
