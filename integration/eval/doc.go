// Package eval makes the receipt of every document of a corpus of real tool outputs with known answers, at several
// budgets, and lets the corpus's own scorer say what survives. `make eval` runs it; docs/evaluation.md has what was
// measured.
//
// The documents go through a real server on a real socket, as outputs of commands, and budgets are in tokens of o200k_base
// for the whole receipt. The corpus is no part of this repository: where it is not, the leg is skipped and says so.
package eval
