// Package tokens counts the tokens of a text, so that tool output can be
// fitted into a budget before a model reads it.
//
// There are three counters. [Estimate] adds up weights in one pass, hundreds of
// megabytes a second, needs no memory, and is off by a few per cent. [O200k] and
// [CL100k] count exactly, at half of that speed, once their vocabulary is loaded.
package tokens

// A Counter counts, or estimates, the tokens of a text in one vocabulary.
// Every Counter of this package is safe for concurrent use, gives the same
// count for the same text on every platform, and takes linear or near-linear
// time on any input, however hostile.
type Counter interface {
	// Name identifies the vocabulary or the estimate together with its version,
	// for example "o200k_base" or "estimate-1". A receipt states it beside a
	// count. Weights never change under the same name.
	Name() string

	// Count returns the tokens of text: 0 for the empty string alone, and never
	// more than len(text), since a token is at least one byte. Bytes that are
	// not valid UTF-8 are counted too.
	Count(text string) int
}
