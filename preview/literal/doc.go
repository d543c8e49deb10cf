// Package literal finds any of some hundred literals in bytes of any size,
// on logs faster than a pass that makes them lower case, unless most of the
// lines have a hit. It is the filter before a closer look at lines,
// which is done only for lines with a hit.
//
// # How it works
//
// A window is four neighbouring bytes of a literal. A literal of five bytes
// has two of them one byte apart, so one begins at an even distance from where
// the search began: probing every second byte of a text is enough. A literal
// of four bytes has one window, and one that reaches over an end and has three
// of its bytes and any fourth; a symbol of three bytes has two of those.
//
//	offset  0 1 2 3 4 5 6 7 8 9
//	text    c c 1 :   e r r o r
//	probes  ^   ^   ^   ^   ^       "rror" at 6 is seen
//	or        ^   ^   ^   ^   ^     "erro" at 5 is seen
//
// A probe folds the four bytes with one OR (which also merges some bytes that
// are no letters), multiplies them to an index of a table of 16 KiB, and tests
// one bit of the word there: seven instructions, no store, no call, one branch
// that is almost never taken. Only where the bit is set, the literals with the
// same two middle bytes in a window are compared, eight bytes in one step under
// a mask without the bits of case, then byte for byte. So the tables may let
// too much through, and the result is exact all the same.
//
// Which windows a literal gets, and with what the bytes are multiplied, is
// chosen by New so that little of a sample of ordinary tool output passes.
//
// # What it costs
//
// Time is linear in the text. A probe costs about 0.6 ns. One that passes
// costs 25 ns, most of it for the branch that was predicted wrong, and more
// where many literals have that window; at most all of them are compared. So
// text made of nothing but near misses is up to ten times as slow as text
// without any, still some hundred MB/s. After a hit, up to five probes more
// see whether a literal that overlaps with it begins earlier or is longer.
//
// A literal of three bytes, or of four, lets more through than a longer one,
// and so does one whose every part is common ("passed"). A Set has 18 KiB, and
// not more than 64 KiB with as many and as long literals as are allowed.
package literal
