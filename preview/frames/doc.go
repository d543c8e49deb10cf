// Package frames reads the lines of stacks: which lines are frames, in which form a
// language writes them, and whether the code of a frame is the user's own.
//
//	Read     reads a line: its form, its function and its place
//	Library  reports whether a frame is in a library or a runtime
//	Foreign  is Library for any text that names a place
//
// A reader of a trace looks for the user's own code; what a runtime, a test runner or a
// sanitizer was doing says little. One table (languages) lists by language what is not
// the user's own.
package frames
