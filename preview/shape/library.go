package shape

import (
	"github.com/toolresult/toolresult/preview/frames"
)

// A frame is often more than one line: Python quotes the code below the place, with
// the part of it that was executed, and Go and Rust write the function above the place.
// These lines are one unit. None of them says anything without the others.

// unit is a frame with the lines that belong to it: list[from:to].
type unit struct {
	from, to int
	library  bool
}

// framesOf returns the frames of a list, in order. A frame that is not printed is none.
func framesOf(list []Ranked) (all []unit) {
	for i := 0; i < len(list); {
		l := list[i].look()
		if !l.frame || l.form == frames.More {
			i++
			continue
		}
		u := unit{i, i + 1, l.library}
		for u.to < len(list) && follows(list, u.to) && belongs(l, list[u.to].look()) {
			u.library = u.library || l.form != frames.File && list[u.to].look().library
			u.to++
			if l.form != frames.File {
				break
			}
		}
		all = append(all, u)
		i = u.to
	}
	return all
}

// belongs reports whether a line belongs to the frame above it: what Python quotes, or
// the place of a function of Go or Rust.
func belongs(frame, l *look) bool {
	switch frame.form {
	case frames.File:
		return !l.blank && !l.frame && l.indent > frame.indent
	case frames.Call:
		return l.form == frames.Place
	case frames.Counted:
		return l.form == frames.At && l.indent > frame.indent
	}
	return false
}

// nearest is how many frames of a stack without a frame of the user's own code say more
// than others: the innermost ones.
const nearest = 8

// ofLibraries marks the lines of the frames of libraries. They are hollow, but for the
// nearest ones of a stack that has nothing better to show.
func ofLibraries(list []Ranked) {
	all := framesOf(list)
	for len(all) > 0 {
		n, own := 1, !all[0].library
		for n < len(all) && all[n].from == all[n-1].to && follows(list, all[n].from) {
			own = own || !all[n].library
			n++
		}
		for k, u := range all[:n] {
			hollow := own || k >= nearest || list[u.from].look().form == frames.File
			for i := u.from; i < u.to && u.library; i++ {
				list[i].look().ofLibrary(hollow)
			}
		}
		all = all[n:]
	}
}
