// Package eval reads corpora of real tool outputs with known answers. Its tests make the receipt of every document at
// several budgets and say what survives, beside plain cuts of the same number of tokens. `make eval` runs them;
// docs/evaluation.md and README.md have what was measured.
//
// The documents go through a real server on a real socket, as outputs of commands, and budgets are in tokens of o200k_base
// for the whole receipt. Outputs of other kinds than logs of builds are in testdata; the two large corpora are no part of
// this repository, and the tests that need them fail where they are not.
package eval
