package shape

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/toolresult/toolresult/preview/frames"
)

// Dumps of many threads: goroutines, threads of the JVM, of Python and of debuggers. Most
// of them wait in the same place. A reader needs one of each kind: first the one that
// failed, then those in the user's own code, those that are rare before those that are
// many. The others fold.

// Scores of the lines of a thread. Of its kinds each one has one less, down to a bound.
const (
	scoreRunning    = 92 // of the thread that failed: its header and its own frames
	scoreThread     = 90 // of the header of another one, and of its innermost own frame
	scoreThreadRest = 60 // of its other own frames
	scoreBlockedIn  = 40 // of the innermost frame, if it is of a library
	scoreThreadLib  = 20
	mostKinds       = 15
	leastThreads    = 3 // fewer are ranked as any stacks
)

// thread is the lines of one thread: list[from:to], with the blank lines behind it.
type thread struct {
	from, to int
	key      uint64 // equal for threads that are equal but for addresses and numbers
	running  bool
	units    []unit
	own      int // frames of the user's own code
	like     int // those before and after with the same key, with it
}

// threadHeads begin the headers of threads, and threadEnds are in them.
var threadHeads = [...]struct{ head, part string }{
	{"goroutine ", " ["}, {"Thread ", "("}, {"Current thread ", "("}, {"\"", " prio="}, {"\"", " os_prio="}, {"\"", " #"},
}

// isThread reports whether a line is the header of a thread.
func isThread(text []byte) bool {
	if len(text) == 0 || text[0] != 'g' && text[0] != 'T' && text[0] != 'C' && text[0] != '"' {
		return false
	}
	for _, h := range threadHeads {
		if !bytes.HasPrefix(text, []byte(h.head)) || !bytes.Contains(text, []byte(h.part)) {
			continue
		}
		last := text[len(text)-1]
		return last == ':' || h.head == "\"" && (last == ']' || digitSet[last] || bytes.Contains(text, []byte(" nid=")))
	}
	return false
}

// threads returns the threads of a list.
func threads(list []Ranked, all []unit) (found []thread) {
	for i := 0; i < len(list); {
		if !isThread(list[i].look().behindTime()) {
			i++
			continue
		}
		t := thread{from: i, to: i + 1}
		for t.to < len(list) && follows(list, t.to) && ofThread(list[t.to].look()) {
			t.to++
		}
		for len(all) > 0 && all[0].from < t.from {
			all = all[1:]
		}
		for len(all) > 0 && all[0].from < t.to {
			t.units, all = append(t.units, all[0]), all[1:]
			if !t.units[len(t.units)-1].library {
				t.own++
			}
		}
		head := list[t.from].look().bare
		t.key = threadKey(list[t.from:t.to])
		t.running = bytes.Contains(head, []byte("[running")) || bytes.Contains(head, []byte("(crashed)")) || bytes.HasPrefix(head, []byte("Current thread"))
		found = append(found, t)
		i = t.to
	}
	return found
}

// ofThread reports whether a line goes on with a thread.
func ofThread(l *look) bool {
	return !l.blank && (l.form != frames.None || l.indent > 0) && !isThread(l.behindTime())
}

// threadSeed is of the keys of threads, which are only compared with each other.
var threadSeed = maphash.MakeSeed()

// threadKey returns a hash of a thread without its number, how long it waits, and addresses.
func threadKey(list []Ranked) uint64 {
	var h maphash.Hash
	h.SetSeed(threadSeed)
	for i := range list {
		text := list[i].look().behindTime()
		if i == 0 {
			_, state, _ := bytes.Cut(text, []byte("["))
			if end := bytes.IndexAny(state, ",]"); end >= 0 {
				state = state[:end]
			}
			_, _ = h.Write(digitSet.TrimLeft(state))
			continue
		}
		_, _ = h.Write(withoutAddresses(text))
		_ = h.WriteByte('\n')
	}
	return h.Sum64()
}

// withoutAddresses returns a line without addresses, such as 0x55f8da72c277, the signs
// around them, and the number of a goroutine.
func withoutAddresses(text []byte) []byte {
	if at := bytes.LastIndex(text, []byte(" in goroutine ")); at > 0 {
		text = text[:at]
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == 'x' && i > 0 && text[i-1] == '0':
			for i+1 < len(text) && isHexDigit(text[i+1]) {
				i++
			}
		case text[i] == '?' || text[i] == '{' || text[i] == '}':
		default:
			out = append(out, text[i])
		}
	}
	return out
}

// isHexDigit reports whether c is a digit of an address.
func isHexDigit(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }

// rankThreads ranks the threads of dumps, and returns the runs of those that are like
// one before. set gives a line its score.
func rankThreads(list []Ranked, set func(r *Ranked, score int)) (runs []Run) {
	all := threads(list, framesOf(list))
	for len(all) > 0 {
		n := 1
		for n < len(all) && onlyBlank(list[all[n-1].to:all[n].from]) && list[all[n].from].Number == list[all[n-1].to-1].Number+int64(all[n].from-all[n-1].to+1) {
			n++
		}
		if n >= leastThreads {
			runs = append(runs, rankDump(list, all[:n], set)...)
		}
		all = all[n:]
	}
	return runs
}

// onlyBlank reports whether lines have nothing to read.
func onlyBlank(list []Ranked) bool {
	for i := range list {
		if !list[i].look().blank {
			return false
		}
	}
	return true
}

// rankDump ranks threads that follow each other.
func rankDump(list []Ranked, all []thread, set func(r *Ranked, score int)) (runs []Run) {
	kinds, of := []*thread{}, map[uint64]*thread{}
	for i := range all {
		t := &all[i]
		if first := of[t.key]; first != nil && len(t.units) > 0 {
			first.like++
			fold(list[t.from:t.to])
			runs = appendThread(runs, list, first, t)
			continue
		}
		t.like = 1
		of[t.key] = t
		kinds = append(kinds, t)
	}
	slices.SortStableFunc(kinds, func(a, b *thread) int {
		return cmp.Or(byBool(a.running && a.own > 0, b.running && b.own > 0), byBool(a.own > 0, b.own > 0), byBool(a.running, b.running), cmp.Compare(a.like, b.like))
	})
	for k, t := range kinds {
		t.rank(list, min(k, mostKinds), set)
	}
	return runs
}

// byBool orders what holds first.
func byBool(a, b bool) int {
	switch {
	case a && !b:
		return -1
	case b && !a:
		return 1
	}
	return 0
}

// fold takes their scores from the lines of a thread that is like one before.
func fold(list []Ranked) {
	for i := range list {
		list[i].Score, list[i].Reason = scoreLike, 0
	}
}

// appendThread appends the lines of a thread that is like another one, with the blank
// lines before it, to a list of runs.
func appendThread(runs []Run, list []Ranked, first, t *thread) []Run {
	from := t.from
	for from > 0 && follows(list, from) && list[from-1].look().blank {
		from--
		list[from].Score, list[from].Reason = scoreLike, 0
	}
	last := &list[t.to-1]
	if n := len(runs); n > 0 && runs[n-1].Last+1 == list[from].Number {
		runs[n-1].Last, runs[n-1].End = last.Number, last.Line.End
		return runs
	}
	return append(runs, Run{list[first.from].Number, list[from].Number, last.Number, last.Line.End})
}

// rank ranks the lines of the first thread of the k-th kind.
func (t *thread) rank(list []Ranked, k int, set func(r *Ranked, score int)) {
	raise := func(from, to, score int) {
		for i := from; i < to; i++ {
			list[i].Reason = KeepCrash
			set(&list[i], score)
		}
	}
	first, rest := scoreThread-k, scoreThreadRest-k
	if t.running && t.own > 0 {
		first, rest = scoreRunning, scoreRunning
	}
	head, last := first, t.from
	switch {
	case len(t.units) == 0: // of the virtual machine itself
		head, last = 1, t.to
	case t.own == 0:
		head = scoreBlockedIn - k
	}
	own := 0
	for i, u := range t.units {
		switch {
		case !u.library && own == 0:
			raise(u.from, u.to, first)
		case !u.library:
			raise(u.from, u.to, max(1, rest-own))
		case i == 0:
			raise(u.from, u.to, scoreBlockedIn-k)
		default:
			raise(u.from, u.to, scoreThreadLib-k)
		}
		if !u.library {
			own++
		}
		if i == 0 {
			last = u.from
		}
	}
	raise(t.from, t.from+1, head)
	for i := t.from + 1; i < last; i++ { // the state of a thread of the JVM
		raise(i, i+1, head)
	}
}

// rankStacks lets the lines of a frame of a log come together, and its threads as those
// of a dump alone.
func rankStacks(list []Ranked) []Run {
	most := points(0)
	for i := range list {
		most = max(most, list[i].worth)
	}
	for _, u := range framesOf(list) {
		if u.to == u.from+1 || u.library {
			continue
		}
		a, b := &list[u.from], &list[u.from+1]
		if a.Score >= 0 && b.Score >= 0 {
			a.worth = max(a.worth, b.worth)
			b.worth = a.worth
		}
	}
	return rankThreads(list, func(r *Ranked, score int) {
		r.Score = max(r.Score, score)
		r.worth = most - points(100-score)*pointsThread
	})
}

// pointsThread is the worth of a log for each point of the score of a thread.
const pointsThread = 4
