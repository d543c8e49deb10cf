package shape

import (
	"github.com/toolresult/toolresult/preview/frames"
	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/textscan"
)

// look is what a line is by itself, whatever is around it.
type look struct {
	known   bool
	bare    []byte      // without what a reader does not see
	behind  []byte      // the line as it is written, without its times
	time    int         // bytes of the times that its bare form begins with
	indent  int         // blanks that its bare form begins with, behind its times
	blank   bool        // it has nothing to read
	hollow  bool        // it says nothing by itself
	library bool        // it is a line of a frame of a library
	frame   bool        // it is a frame of a stack
	form    frames.Form // of it, or of the place of one
	exact   uint64      // hash of all but its times
	fine    uint64      // fingerprint
	coarse  uint64      // fingerprint without names
}

// look returns what a line is by itself. It looks once.
func (r *Ranked) look() *look {
	if !r.seen.known {
		r.lookAt()
	}
	return &r.seen
}

// lookAt looks at a line, and returns its mark.
func (r *Ranked) lookAt() salience.Mark {
	l, text := &r.seen, r.Line.Text
	l.known = true
	l.bare = textscan.Bare(text)
	seen, mark := salience.Builtin().Look(l.bare)
	time := seen.Time
	if len(l.bare) != len(text) { // the times of the line as it is written
		time = salience.TimeLength(text)
	}
	l.behind = text[time:]
	l.fine, l.coarse = fingerprintsBehind(l.behind)
	l.exact = hashExact(l.behind)
	l.time, l.indent, l.blank = seen.Time, seen.Indent, saysNothing(l.behindTime())
	l.form = frames.Read(l.behindTime()).Form
	l.frame = l.form != frames.None && l.form != frames.Place
	l.hollow, l.library = seen.Hollow, seen.Library
	return mark
}

// ofLibrary says that a line belongs to a frame of a library, and whether it is hollow.
func (l *look) ofLibrary(hollow bool) { l.library, l.hollow = true, hollow }

// behindTime returns the bare form of the line without its times.
func (l *look) behindTime() []byte { return l.bare[l.time:] }
