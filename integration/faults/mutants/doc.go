// Package mutants proves that the tests of safety can fail: each row of its table takes one safety measure out of
// the product and names a test, which must then fail. A mutant that survives fails the leg, and so does one whose
// place in the source is not found any more.
//
// The source is not touched: the go command builds with an overlay. Like every leg it runs with
// TOOLRESULT_LEGS=all only, as `make mutants` sets it.
package mutants
