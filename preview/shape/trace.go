package shape

import (
	"bytes"
	"encoding/binary"
	"strings"

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
	case IsFrame(text):
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

// IsFrame reports whether a line is a frame of a stack.
func IsFrame(text []byte) bool {
	start := 0
	for start < len(text) && (text[start] == ' ' || text[start] == '\t' || text[start] == '|') {
		start++
	}
	body, indented := text[start:], start > 0
	switch {
	case indented && bytes.HasPrefix(body, []byte("at ")), indented && bytes.HasPrefix(body, []byte("... ")) && bytes.HasSuffix(body, []byte(" more")):
		return true
	case indented && bytes.HasPrefix(body, []byte(`File "`)) && bytes.Contains(body, []byte(`", line `)):
		return true
	case indented && bytes.HasPrefix(body, []byte("from ")) && bytes.Contains(body, []byte(":in ")):
		return true
	case len(body) > 1 && body[0] == '#' && body[1] >= '0' && body[1] <= '9':
		return true
	case !indented && len(text) > 0 && text[len(text)-1] == ')' && bytes.IndexByte(text, '(') > 0 && bytes.IndexByte(text, ' ') < 0 && bytes.IndexByte(text, '.') > 0:
		return true // "main.run(0x12, {0x0})" of a goroutine; its place is on the next line
	}
	n, digits := textscan.Number(body)
	return indented && digits > 0 && n < 1000 && bytes.HasPrefix(body[digits:], []byte(": "))
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
		head = head || all <= 2 && kind == traceHead
		before = kind
	}
	return head && yes >= 4 && yes*10 >= all*7 && s.any(IsFrame)
}

// foreign are parts of the places of frames that are not the user's own code.
var foreign = [...]string{
	"site-packages/", "dist-packages/", "node_modules/", "/usr/lib", "/usr/include/", "/usr/local/go/src/", "/usr/local/lib/", "node:internal", "internal/modules/",
	"/rustc/", "/.cargo/registry/", "/go/pkg/mod/", "java.base/", "at java.", "at javax.", "at jdk.", "at sun.", "at com.sun.", "at kotlin.", "at scala.",
	"at org.junit.", "at org.testng.", "at org.gradle.", "at org.apache.maven.", "at org.springframework.", "at System.", "at Microsoft.", "runtime/", "runtime.",
	"<frozen ", "at junit.", "core::", "std::", "at process.", "(native)", "(<anonymous>)", "(node:", "lib/python", "testing.tRunner", "/src/testing/testing.go",
	"hostedtoolcache/go/", "/gems/", "at jest", "<__array_function__", "at async Promise",
}

// foreignGroups has them by a hash of their first three bytes, and foreignGroup the group of a hash; the first group is
// empty. Of other text few hashes have a group.
var foreignGroups, foreignGroup = func() (groups [][]string, of [foreignHashes]uint8) {
	groups = append(groups, nil)
	for _, part := range foreign {
		h := foreignHash(uint32(part[0]) | uint32(part[1])<<8 | uint32(part[2])<<16)
		if of[h] == 0 {
			of[h] = uint8(len(groups))
			groups = append(groups, nil)
		}
		groups[of[h]] = append(groups[of[h]], part)
	}
	return groups, of
}()

const foreignHashes = 1 << 12

// foreignHash returns a hash of the first three of four bytes.
func foreignHash(four uint32) uint32 { return four << 8 * 0x9E3779B1 >> (32 - 12) }

// IsForeign reports whether a frame is in a library or a runtime.
func IsForeign(text []byte) bool {
	for ; len(text) >= 4; text = text[1:] { // no part is shorter
		group := foreignGroup[foreignHash(binary.LittleEndian.Uint32(text))]
		if group == 0 {
			continue
		}
		for _, part := range foreignGroups[group] {
			if len(text) >= len(part) && string(text[:len(part)]) == part {
				return true
			}
		}
	}
	return false
}

// Scores of frames. Each one further from the innermost has one less, down to
// half.
const (
	scoreOwnFrame     = 85
	scoreForeignFrame = 50
	scoreRecursion    = 8 // of a call that is shown nearer to the innermost one
)

// rankTrace ranks the lines of stack traces: the exception and its causes, then
// the frames of the user's own code, then others, the innermost ones first.
func rankTrace(list []Ranked) {
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
			foreign := IsForeign(list[i].Line.Text) || i+1 < len(list) && kinds[i+1] == traceCode && !last && IsForeign(list[i+1].Line.Text)
			score = frameScore(foreign, far[0])
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
