// Package linerule decides by patterns what a line of a known program is worth:
// noise to fold, a line to keep, or a summary. Profiles carry the patterns.
//
// # What a verdict means
//
// Rules decide nothing by themselves. They give a verdict on one line; what a
// preview omits, and that it never omits an error, is decided by the preview. So
// rules from anywhere can make a preview worse, and cannot make it lie.
//
// # What it costs
//
// Patterns are RE2 expressions, bounded in number, length and size of their
// program. Every match of a pattern to keep must hold a literal, as RE2's
// prefilter computes it; one search for the literals of all patterns (package
// literal) passes over the lines that hold none. A pattern that is nothing but a
// literal or a beginning of a line needs no expression at all.
package linerule
