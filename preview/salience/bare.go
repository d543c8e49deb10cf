package salience

import (
	"bytes"

	"github.com/toolresult/toolresult/preview/frames"
)

// Seen is what a line is by itself, beside its mark.
type Seen struct {
	Time    int  // TimeLength of the line, in bytes
	Indent  int  // Indentation of the line, in bytes
	Hollow  bool // it says nothing by itself
	Library bool // it is a frame of a library or of a runtime
}

// bare is the bare form of a line, and what is known of it. Several questions ask for the same facts, which are found once.
type bare struct {
	text           []byte
	time           int  // bytes of the times that it begins with
	body           int  // where it begins behind times, levels and margins
	known          bool // the body is
	library, noise answer
}

// answer is what is known of a question.
type answer uint8

const (
	notAsked answer = iota
	yes
	no
)

// answerOf returns the answer of a fact.
func answerOf(fact bool) answer {
	if fact {
		return yes
	}
	return no
}

// start returns where the line begins behind times, levels and margins.
func (b *bare) start() int {
	if !b.known {
		b.body, b.known = bodyBehind(b.text, b.time), true
	}
	return b.body
}

// rest returns the line from its start on.
func (b *bare) rest() []byte { return b.text[b.start():] }

// indent returns the number of blanks behind the times.
func (b *bare) indent() int {
	rest := b.text[b.time:]
	return len(rest) - len(blankSet.TrimLeft(rest))
}

// isLibrary reports whether the line is a frame of a library.
func (b *bare) isLibrary() bool {
	if b.library == notAsked {
		body := b.rest()
		b.library = answerOf(len(body) > 0 && frames.Library(body))
	}
	return b.library == yes
}

// isNoise reports whether the line matters less than its words suggest.
func (b *bare) isNoise() bool {
	if b.noise == notAsked {
		b.noise = answerOf(isNoise(b.rest()))
	}
	return b.noise == yes
}

// see reports whether the line is hollow, and whether it is so as a frame of a library or of a runtime.
func (b *bare) see() (hollow, library bool) {
	letters := 0
	for _, c := range bytes.TrimPrefix(b.text[b.time:], []byte("[INFO]")) { // Maven writes it before empty lines and rules, too
		if isAlphanumeric(c) || c >= 0x80 {
			if letters++; letters == leastLetters {
				library = b.isLibrary()
				return library || b.isNoise() || isCount(b.text[b.time:]), library
			}
		}
	}
	return true, false
}
