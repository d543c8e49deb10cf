package shape

import (
	"bytes"
	"strings"

	"github.com/toolresult/toolresult/preview/frames"
	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Stack traces of Java and JavaScript, Python, Go, Rust, Ruby and native
// debuggers. A reader needs the exception and the frames of the code at hand;
// frames of libraries say little.

// traceLine is the kind of a line of a stack trace.
type traceLine uint8

const (
	traceOther traceLine = iota
	traceHead            // the exception, the panic
	traceCause           // its cause
	traceFrame
	traceCode // belongs to the frame before
)

// traceHeads begin the lines before the frames of a trace.
var traceHeads = [...]string{
	"Traceback (most recent call last)", "panic: ", "fatal error: ", "goroutine ", "Exception in thread ", "thread '", "stack backtrace:",
	"Unhandled exception", "Uncaught ", "Exception Group Traceback", "PHP Fatal error:", "Fatal error: Uncaught",
	"Found one Java-level deadlock:", "waiting to lock monitor ", "waiting for ownable synchronizer ", "which is held by ",
}

// traceCauses begin the lines that name another exception.
var traceCauses = [...]string{
	"Caused by:", "During handling of the above exception", "The above exception was the direct cause", "Suppressed:", "[cause]:", "Wrapped by:", "created by ",
}

// classifyTrace returns the kind of a line, given that of the line before.
func classifyTrace(text []byte, before traceLine) traceLine {
	body := traceMargins.TrimLeft(text)
	for _, head := range traceHeads {
		if bytes.HasPrefix(body, []byte(head)) {
			return traceHead
		}
	}
	for _, cause := range traceCauses {
		if bytes.HasPrefix(body, []byte(cause)) {
			return traceCause
		}
	}
	switch {
	case isThread(text), bytes.HasPrefix(body, []byte("java.lang.Thread.State: ")):
		return traceHead
	case frames.Is(text):
		return traceFrame
	case before == traceFrame && (bytes.HasPrefix(text, []byte("    ")) || bytes.HasPrefix(text, []byte("\t"))):
		return traceCode
	case before == traceCode && bytes.HasPrefix(text, []byte("    ")) && len(underlines.Trim(text)) == 0:
		return traceCode
	case len(text) > 0 && text[0] != ' ' && text[0] != '\t' && isException(text):
		return traceHead
	}
	return traceOther
}

// isException reports whether a line begins with the name of an exception and a
// colon, or is such a name.
func isException(text []byte) bool {
	end := 0
	for end < len(text) && (textscan.BeginsWord(text[end]) || text[end] == '.' || text[end] == '_' || text[end] == '$') {
		end++
	}
	if end < len(text) && text[end] != ':' {
		return false
	}
	for _, suffix := range []string{"Error", "Exception", "Interrupt", "Throwable", "Warning", "Exit", "Failure"} {
		if bytes.HasSuffix(text[:end], []byte(suffix)) {
			return true
		}
	}
	return false
}

// mostBeforeThreads is how many lines may come before the first thread of a dump.
const mostBeforeThreads = 16

// isTrace reports whether a sample begins with a trace, and is little else.
func (s sample) isTrace() bool {
	yes, all, head, before := 0, 0, false, traceOther
	for _, text := range s.lines {
		if len(text) == 0 {
			continue
		}
		all++
		kind := classifyTrace(text, before)
		if kind != traceOther {
			yes++
		}
		head = head || kind == traceHead && (all <= 2 || all <= mostBeforeThreads && isThread(text))
		before = kind
	}
	return head && yes >= 4 && yes*10 >= all*7 && s.any(frames.Is)
}

// Scores of frames. Each one further from the innermost has one less, down to
// half.
const (
	scoreOwnFrame     = 85
	scoreForeignFrame = 50
	scoreRecursion    = 8 // of a call that is shown nearer to the innermost one
)

// rankTrace ranks the lines of stack traces: the exception and its causes, then
// the frames of the user's own code, then others, the innermost ones first. It returns
// the runs of threads that are like one before.
func rankTrace(list []Ranked) []Run {
	ofLibraries(list)
	kinds := make([]traceLine, len(list))
	before := traceOther
	for i := range list {
		kinds[i] = classifyTrace(textscan.WithoutEscapes(list[i].Line.Text), before)
		before = kinds[i]
	}
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && (kinds[to] == traceFrame || kinds[to] == traceCode) && kinds[from] != traceOther {
			to++
		}
		rankFrames(list[from:to], kinds[from:to])
		from = to
	}
	InOrder(list)
	return rankThreads(list, func(r *Ranked, score int) { r.Score = score })
}

// rankFrames ranks one head and the frames under it. In Python's order the
// innermost frame is the last one.
func rankFrames(list []Ranked, kinds []traceLine) {
	head := textscan.WithoutEscapes(list[0].Line.Text)
	switch {
	case kinds[0] == traceHead || kinds[0] == traceCause:
		list[0].set(scoreHeading, 0, KeepCrash)
	case kinds[0] == traceFrame || kinds[0] == traceCode:
		list[0].set(scoreForeignFrame, 0, KeepCrash)
	case len(head) == 0:
		list[0].set(1, 0, KeepContext)
	default: // a message on further lines, or what was said around
		m := salience.Builtin().Classify(head)
		list[0].set(max(scoreForeignFrame, int(m.Score)), 0, max(KeepContext, Reasons[m.Reason]))
	}
	last := bytes.Contains(head, []byte("most recent call last"))
	far := distances(list, kinds, last)
	score := scoreForeignFrame
	for i := 1; i < len(list); i++ {
		if kinds[i] == traceFrame {
			score = frameScore(list[i].look().library, far[0])
			far = far[1:]
		}
		list[i].set(score, 0, KeepCrash)
	}
}

// frameScore returns the score of a frame that is so far from the innermost one.
func frameScore(foreign bool, far int) int {
	switch {
	case far == recurring:
		return scoreRecursion
	case foreign:
		return scoreForeignFrame - min(far, scoreForeignFrame/2)
	}
	return scoreOwnFrame - min(far, scoreOwnFrame/2)
}

// recurring is the distance of a frame whose call is also nearer to the innermost
// one.
const recurring = -1

// distances returns how many other calls there are between each frame and the
// innermost one, which in Python's order is the last.
func distances(list []Ranked, kinds []traceLine, innermostLast bool) []int {
	var calls []string
	for i := range list {
		if i > 0 && kinds[i] == traceFrame {
			calls = append(calls, call(list[i].Line.Text))
		}
	}
	far, seen := make([]int, len(calls)), map[string]bool{}
	for i := range calls {
		at := i
		if innermostLast {
			at = len(calls) - 1 - i
		}
		far[at] = len(seen)
		if seen[calls[at]] {
			far[at] = recurring
		}
		seen[calls[at]] = true
	}
	return far
}

// call returns what a frame says of its call without what is different in each
// run of it: the number that it begins with, and addresses and arguments such as
// 0x55f8da72c277.
func call(text []byte) string {
	body := margins.TrimLeft(text)
	if len(body) > 0 && body[0] == '#' {
		body = digitSet.TrimLeft(body[1:])
	} else if _, digits := textscan.Number(body); digits > 0 {
		body = body[digits:]
	}
	var out []byte
	for i := 0; i < len(body); i++ {
		if body[i] == 'x' && i > 0 && body[i-1] == '0' {
			for i+1 < len(body) && strings.IndexByte("0123456789abcdef", body[i+1]) >= 0 {
				i++
			}
			continue
		}
		out = append(out, body[i])
	}
	return string(out)
}
