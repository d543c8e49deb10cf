// Package redact takes secrets out of tool output, before anything else is
// derived from it. docs/reference/redaction.md says what is found and what is not.
//
// # How it works
//
// A Redactor is two streams, one behind the other. The first finds the values
// that a runtime registered, in the encodings of values.go: the eight bytes from
// every position are looked up in a filter, then in a table, and from there a
// tree is followed. Line ends, carriage returns, backspaces and terminal
// sequences inside of a value are stepped over. The second finds what looks like
// a secret. Its patterns are compiled from regular expressions that are data
// (rules.json and extrarules.go) to short lists of character classes with
// counts, which are matched by hand and in bounded time: std regexp is only
// used to read them. Every pattern has four neighbouring bytes with few
// possible values; it is tried only where these are.
//
// Each stream is a function of its input's bytes and their positions: what is
// decided at a position depends on at most 96 bytes before it and 18 KiB behind it. If
// these are not there yet, the stream waits. So it does not matter how the input
// is cut into chunks, and two streams in a row have the same property.
//
// What overlaps is united to one placeholder. So no byte of anything that was
// found stays, and the order of patterns cannot matter to that.
//
// # What it costs
//
// docs/reference/redaction.md has the measurements. Time is linear in the text. Memory does
// not depend on it: bytes are pending only from the first position that
// is undecided. That is at most maxSpan (24 KiB) and a sequence for a value, maxBlock
// (16 KiB) and a line for a pattern, and 96 bytes before these: together less
// than 64 KiB, which a test checks. Beside that, a Redactor has copies of at
// most 32 KiB of each part that it is given, where pending bytes meet it.
package redact
