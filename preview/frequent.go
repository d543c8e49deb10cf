package preview

import "bytes"

// One message may come in every line of a gigabyte. After some dozens that look
// the same, further lines with that message and nothing else are passed over
// without ranking them. The table is small and of a fixed size: of two messages
// with the same place the later one takes it, so a collision costs time and
// never a line.

// frequentMessages counts messages by the bytes around the word that a line was
// found by. The zero value has none.
type frequentMessages struct{ seen []frequentMessage }

// frequentMessage is one place of the table.
type frequentMessage struct {
	mark uint32
	n    uint8
}

const (
	messagePlaces = 1 << 10
	frequentAfter = 32 // lines that were known to look the same
	markBefore    = 4  // bytes before a word by which its message is known
	markBehind    = 16 // bytes from its beginning on
)

// messageMark returns a hash of the bytes around the beginning of a word in its
// line, without digits; never 0.
func messageMark(before, behind []byte) uint32 {
	if end := bytes.IndexByte(behind[:min(len(behind), markBehind)], '\n'); end >= 0 {
		behind = behind[:end]
	} else {
		behind = behind[:min(len(behind), markBehind)]
	}
	h := uint32(2166136261)
	for _, c := range before[max(0, len(before)-markBefore):] {
		if c < '0' || c > '9' {
			h = (h ^ uint32(c)) * 16777619
		}
	}
	for _, c := range behind {
		if c < '0' || c > '9' {
			h = (h ^ uint32(c)) * 16777619
		}
	}
	return h | 1
}

// has reports whether a message was seen often enough to pass over it.
func (f *frequentMessages) has(mark uint32) bool {
	if f.seen == nil {
		return false
	}
	p := &f.seen[mark>>1%messagePlaces]
	return p.mark == mark && p.n >= frequentAfter
}

// count counts one more, for a line that was looked at; mark is 0 where it was
// not found by a word.
func (f *frequentMessages) count(mark uint32) {
	if mark == 0 {
		return
	}
	if f.seen == nil {
		f.seen = make([]frequentMessage, messagePlaces)
	}
	p := &f.seen[mark>>1%messagePlaces]
	if p.mark != mark {
		*p = frequentMessage{mark: mark}
	}
	p.n = min(p.n+1, frequentAfter)
}
