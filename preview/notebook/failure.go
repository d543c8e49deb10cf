package notebook

import (
	"strings"

	"github.com/toolresult/toolresult/preview/shape"
)

// The traceback of an error has a part for each frame: where it is, and some of the code there, with
// an arrow at the line that failed.
//
//	Cell In[5], line 4, in value(row)
//	      3 def value(row):
//	----> 4     return row['diff'] * prices[row['sku']]

// failure writes an error.
func (w *writer) failure(number string, o *output) {
	title := o.title
	if number != "" {
		title = "[" + number + "] " + title
	}
	w.line(title, scoreError, shape.KeepError)
	own := true
	for _, line := range o.lines {
		switch text := strings.TrimSpace(line); {
		case strings.Trim(text, "-") == "" || text == o.title || isTracebackHead(text):
		case isFrame(text):
			own = isOwn(text)
			w.line(line, frameScore(own, scoreHead), shape.KeepCrash)
		case isArrow(text):
			w.line(line, frameScore(own, scoreFrame), shape.KeepCrash)
		case line[0] == ' ' || line[0] >= '0' && line[0] <= '9':
			w.line(line, frameScore(own, scoreAround), shape.KeepContext)
		default:
			w.line(line, scoreCause, shape.KeepCrash)
		}
	}
}

// frameScore returns the score of a line of a frame.
func frameScore(own bool, score int) int {
	if own {
		return score
	}
	return scoreInside - max(0, scoreFrame-score)
}

// isTracebackHead reports whether a line only says that a traceback follows.
func isTracebackHead(text string) bool {
	return strings.Contains(text, "Traceback (most recent call last)")
}

// isFrame reports whether a line says where a frame is.
func isFrame(text string) bool {
	for _, start := range []string{"Cell In", "Input In ", "File ", "<ipython-input", "~/", "/"} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

// isOwn reports whether a frame is one of the code of the author.
func isOwn(frame string) bool {
	for _, part := range []string{"site-packages", "dist-packages", "/lib/python", ".pyx", ".pxi", "<frozen", "/conda/", "/anaconda"} {
		if strings.Contains(frame, part) {
			return false
		}
	}
	return true
}

// isArrow reports whether a line is the one of its frame that failed.
func isArrow(text string) bool {
	rest := strings.TrimLeft(text, "-")
	return strings.HasPrefix(rest, "> ") && len(rest) > 2 && rest[2] >= '0' && rest[2] <= '9'
}
