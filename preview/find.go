package preview

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
)

// The middle of a large payload. Lines that may matter are found by literals of
// salience and of rules, at the speed of one pass over the bytes; only those
// lines are looked at. Lines with escape sequences or invisible characters are
// searched as a reader sees them. The finder keeps a bounded number of lines: of
// every band of importance the first and the last ones and a sample of those
// between, and of lines that look the same a dozen.

// Bounds of a finder.
const (
	recentBytes = 4 << 10  // before a line, in which lines may belong to it
	mostBefore  = 24       // lines before it that may
	blockBefore = 8        // lines before one that matters by itself that are kept, at least
	blockAfter  = 12       // lines after it
	longEnds    = 4 << 10  // of a long line, its two ends that are looked at
	longLine    = 16 << 10 // from which on it is long
	leastFound  = 32 << 10 // of one half of a band that is kept: its first and last lines, or those between
	mostFound   = 64 << 10 // the same, however large the window is
	likeTheRest = 12       // lines of one shape are enough
	mostShapes  = 4096     // that are remembered
	usualFound  = 16       // bytes of a line that is found, at least
)

// finder looks for lines that matter in the bytes after the head, and keeps the
// first, the last and the best of them with the lines around. It sees every byte once,
// where it lies, and its result does not depend on how the bytes were split.
type finder struct {
	begun   bool
	rules   *linerule.Rules // what is known of the program's lines; nil: nothing
	share   int             // bytes of one half of a band
	number  int64           // lines ended so far
	offset  int64           // where the next line begins
	carry   []byte          // its beginning, or its two ends when it is long
	length  int64           // bytes of it so far
	returns textscan.CarriageReturns
	recent  []byte // complete lines just before offset

	lends    bool           // the text does not change, so that lines need no copy of it
	limit    int64          // number of the last line that is looked at; 0: all are
	last     int64          // number of the last line that was kept
	after    int            // lines to come that belong to the last find
	nest     salience.Nest  // of it
	band     int            // of the last find
	bands    [bands]found   // those that matter most first
	similar  map[uint64]int // lines of each shape
	watch    watch
	frequent frequentMessages
	ends     []byte               // a place for the ends of a long line
	bare     []byte               // a place for the bare form of a line
	line     textscan.LineBuilder // a place for a line that is kept
}

// bands is the number of classes of lines that do not compete for a place. The
// last one is of lines that matter because they are new.
const (
	bands     = 6
	novelBand = bands - 1
)

// markBand returns the band of a line. Counters have one of their own, because
// there may be an error in every other line.
func markBand(m salience.Mark) int {
	switch {
	case m.Reason == salience.Summary:
		return 4
	case m.Score >= 85:
		return 0
	case m.Score >= 72:
		return 1
	case m.Score >= salience.MustKeep:
		return 2
	}
	return 3
}

// begin starts the finder where the head of a Writer ends.
func (f *finder) begin(w *Writer) {
	if !f.begun {
		f.begun, f.number, f.offset, f.last = true, w.lines, w.offset, w.lines
		f.rules = f.rules.ForText(firstOf(w.head.Lines()))
		f.share, f.similar = min(max(w.window, leastFound), mostFound), map[uint64]int{}
	}
}

// upTo takes all bytes at once, of which only lines after one and up to another are asked for. The lines behind them are in
// the tail. They are not looked at where they cannot change the lines that are kept: no band can become so full that it drops a line.
func (f *finder) upTo(after, to int64, p []byte, m *memory) {
	f.lends = true
	for i := range f.bands {
		f.bands[i].first, f.bands[i].last = m.bands[i].first, m.bands[i].last
		f.bands[i].lend()
	}
	full := len(p) + usualFound*bytes.Count(p, newline) // of one band, at most
	switch {
	case to <= after:
		f.limit = after
	case full <= f.share+f.share/2: // the first half share, the last one, and what the sample takes of one find
		f.limit = to + mostBefore
	}
	f.write(p)
}

// write takes the next bytes.
func (f *finder) write(p []byte) {
	if f.length > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			f.hold(p)
			return
		}
		f.hold(p[:end])
		f.carried()
		p = p[end+1:]
	}
	complete := bytes.LastIndexByte(p, '\n') + 1
	if complete > 0 {
		f.lines(p[:complete])
	}
	f.hold(p[complete:])
}

// hold keeps the beginning of a line, and of a long one its two ends.
func (f *finder) hold(p []byte) {
	f.returns.Add(p, f.length)
	f.length += int64(len(p))
	f.carry = append(f.carry, p...)
	if f.length > longLine {
		f.carry = append(f.carry[:longEnds], f.carry[len(f.carry)-longEnds:]...)
	}
}

// carried looks at the line in carry, which has ended.
func (f *finder) carried() {
	start, end := f.offset, f.offset+f.length+1
	if f.length <= longLine {
		f.carry = append(f.carry, '\n')
		f.length = 0
		f.lines(f.carry)
	} else {
		text := f.carry
		if f.returns.Overwrite(f.length) {
			text = nil
		}
		f.see(text, f.recent, start, end, 0)
		f.watch.skip(end)
		f.number, f.offset, f.length = f.number+1, end, 0
		f.recent = f.recent[:0]
	}
	f.carry, f.returns = f.carry[:0], textscan.CarriageReturns{}
}

// lines looks at complete lines.
func (f *finder) lines(b []byte) {
	base, counted := f.offset, 0
	next, news := newHits(f.rules), novelties{watch: &f.watch, text: b, base: base}
	for at, begin := 0, 0; at < len(b); { // begin: of the line that at is in
		start, mark, novelty := begin, uint32(0), uint8(0)
		if f.after == 0 && f.nest.Done() || at > begin {
			hit := next.after(b, at)
			fresh, how := news.after(begin)
			if fresh < hit && textscan.LastNewline(b[fresh:hit]) >= 0 {
				start, novelty = fresh, how
			} else if hit == len(b) {
				break
			} else if start = begin + textscan.LastNewline(b[begin:hit]) + 1; hit == next.hidden {
				end := start + bytes.IndexByte(b[start:], '\n') + 1
				if mark = f.messageInBare(b[start : end-1]); mark == 0 && end-1-start <= longLine && fresh != start {
					at, begin = end, end
					continue
				}
			} else if mark = messageMark(b[start:hit], b[hit:]); f.frequent.has(mark) && bytes.IndexByte(b[hit:min(len(b), start+longLine+1)], '\n') >= 0 {
				at, begin = hit+1, start // there may be more in the line
				continue
			}
			if fresh == start {
				novelty = how
			}
		}
		end := start + bytes.IndexByte(b[start:], '\n') + 1
		f.number += int64(bytes.Count(b[counted:start], newline))
		if counted = start; f.limit > 0 && f.number >= f.limit {
			f.watch.tooVarious = true // no line is asked for because it is new
			break
		}
		if known := f.see(f.lineEnds(b[start:end-1]), b[:start], base+int64(start), base+int64(end), novelty); known && end-1-start <= longLine {
			f.frequent.count(mark)
		}
		f.number++
		at, begin, counted = end, end, end
	}
	news.after(len(b))
	f.watch.hold()
	f.number += int64(bytes.Count(b[counted:], newline))
	f.offset = base + int64(len(b))
	f.remember(b)
}

// novelties searches for lines that are new, in text that begins at an offset of
// the payload.
type novelties struct {
	*watch
	text    []byte
	base    int64
	to      int   // the lines before it were seen
	last    int   // where the last new line begins that was found
	novelty uint8 // of it; 0: none was found
}

// after returns where the first new line begins at or after the beginning of a
// line, and how novel it is; the length of the text if there is none.
func (n *novelties) after(at int) (int, uint8) {
	for n.novelty == 0 || n.last < at {
		if n.novelty = 0; n.to == len(n.text) {
			return n.to, 0
		}
		if n.turn > 0 {
			if n.to += n.leap(n.text, n.to, n.base); n.to == len(n.text) {
				continue
			}
		}
		n.last = n.to
		n.to += bytes.IndexByte(n.text[n.last:], '\n') + 1
		if line := n.text[n.last : n.to-1]; len(line) <= longLine {
			n.novelty = n.see(line, n.base+int64(n.to))
		} else {
			n.skip(n.base + int64(n.to))
		}
	}
	return n.last, n.novelty
}

// messageInBare returns the mark of the first message in the bare form of a
// line that is not frequent; 0 if there is none, or the line is long.
func (f *finder) messageInBare(text []byte) uint32 {
	if len(text) > longLine {
		return 0
	}
	f.bare = textscan.AppendBare(f.bare[:0], text)
	next := newHits(f.rules)
	for at := next.message(f.bare, 0); at < len(f.bare); at = next.message(f.bare, at+1) {
		if mark := messageMark(f.bare[:at], f.bare[at:]); !f.frequent.has(mark) {
			return mark
		}
	}
	return 0
}

// hits searches for the next line that may matter, by its words, by rules, and
// by what may hide either from a search. Each search goes over the bytes once.
type hits struct {
	rules              linerule.Search
	word, rule, hidden int // where the last search has found something; len(b) for nowhere
}

// newHits returns a search that has found nothing yet.
func newHits(rules *linerule.Rules) hits {
	return hits{rules: rules.Search(), word: -1, rule: -1, hidden: -1}
}

// after returns where the first hit at or after an offset is, or the length of b.
func (h *hits) after(b []byte, at int) int {
	first := h.message(b, at)
	if h.hidden < at {
		h.hidden = orEnd(textscan.NextHidden(b, at), b)
	}
	return min(first, h.hidden)
}

// message returns where the first word or text of a rule at or after an offset
// is, or the length of b.
func (h *hits) message(b []byte, at int) int {
	if h.word < at {
		h.word = orEnd(salience.Builtin().Next(b, at), b)
	}
	if h.rule < at {
		h.rule = orEnd(h.rules.Next(b, at), b)
	}
	return min(h.word, h.rule)
}

// orEnd returns the length of b for a search without a hit.
func orEnd(at int, b []byte) int {
	if at < 0 {
		return len(b)
	}
	return at
}

// lineEnds returns a line, or the two ends of a long one. It returns nil for a
// long line that the tool has overwritten, because its ends are not what a
// terminal shows of it.
func (f *finder) lineEnds(text []byte) []byte {
	if len(text) <= longLine {
		return text
	}
	var cr textscan.CarriageReturns
	if cr.Add(text, 0); cr.Overwrite(int64(len(text))) {
		return nil
	}
	f.ends = append(append(f.ends[:0], text[:longEnds]...), text[len(text)-longEnds:]...)
	return f.ends
}

// see looks at the next line, at a range of the payload, and keeps it with
// those before it if it matters, or alone if it is only new. It reports whether
// the line is one of many that look the same.
func (f *finder) see(text, before []byte, start, end int64, novelty uint8) (known bool) {
	if text == nil {
		f.after, f.nest = max(0, f.after-1), salience.Nest{}
		return false
	}
	bare := text
	if textscan.NextHidden(text, 0) >= 0 {
		f.bare = textscan.AppendBare(f.bare[:0], text)
		bare = f.bare
	}
	nested := f.nest.Contains(bare)
	m := salience.Builtin().Classify(bare)
	if score := shape.RuleScores[f.rules.Kept(text)]; score > int(m.Score) {
		m = salience.Mark{Score: uint8(score)}
	}
	if m.Score > 0 {
		known = !f.isNew(text)
	}
	if m.Score > 0 && !known {
		band := markBand(m)
		f.bands[band].next(m.Score)
		if m.Score >= salience.MustKeep {
			m.Before, m.After = max(m.Before, blockBefore), max(m.After, blockAfter)
		}
		f.keepBefore(before, start, int(m.Before), band)
		f.keep(text, start, end, f.number+1, band)
		if int(m.After) >= f.after || band < f.band {
			f.after, f.band, f.nest = int(m.After), band, salience.NewNest(bare, m)
			return known
		}
	} else if f.after > 0 || nested {
		f.keep(text, start, end, f.number+1, f.band)
	} else if novelty > 0 {
		f.bands[novelBand].next(novelty)
		f.keep(text, start, end, f.number+1, novelBand)
		if f.after = f.watch.broken; f.after > 0 { // the lines that speak for the run that goes on
			f.band = novelBand
			return known
		}
	}
	f.after = max(0, f.after-1)
	return known
}

// keepBefore keeps up to n of the lines that end at an offset: those at the end
// of b, and then those of earlier calls.
func (f *finder) keepBefore(b []byte, end int64, n, band int) {
	var starts [mostBefore]int64
	var texts [mostBefore][]byte
	k, least := 0, end-recentBytes
	for _, b := range [][]byte{b, f.recentBefore(b)} {
		for len(b) > 0 && k < min(n, mostBefore) && f.number-int64(k) > f.last {
			start := bytes.LastIndexByte(b[:len(b)-1], '\n') + 1
			at := end - int64(len(b)-start)
			if at <= least {
				break
			}
			starts[k], texts[k] = at, b[start:len(b)-1]
			b, end, k = b[:start], at, k+1
		}
		if len(b) > 0 {
			break
		}
	}
	for k--; k >= 0; k-- {
		f.keep(texts[k], starts[k], starts[k]+int64(len(texts[k]))+1, f.number-int64(k), band)
	}
}

// recentBefore returns the lines of earlier calls, unless b are those already.
func (f *finder) recentBefore(b []byte) []byte {
	if len(b) > 0 && len(f.recent) > 0 && &b[0] == &f.recent[0] {
		return nil
	}
	return f.recent
}

// remember keeps the last lines of b for those to come.
func (f *finder) remember(b []byte) {
	if len(b) >= recentBytes {
		f.recent = f.recent[:0]
	}
	f.recent = append(f.recent, b[max(0, len(b)-recentBytes):]...)
	if len(b) > recentBytes {
		f.recent = append(f.recent[:0], f.recent[bytes.IndexByte(f.recent, '\n')+1:]...)
	}
	if over := len(f.recent) - 2*recentBytes; over > 0 {
		cut := f.recent[over+recentBytes:]
		f.recent = append(f.recent[:0], cut[bytes.IndexByte(cut, '\n')+1:]...)
	}
}

// keep keeps one line.
func (f *finder) keep(text []byte, start, end, number int64, band int) {
	if number <= f.last {
		return
	}
	f.last = number
	if f.lends && end-start-1 == int64(len(text)) && len(text) <= 2*longEnds && bytes.IndexByte(text, '\r') < 0 {
		f.bands[band].keepLent(textscan.Line{Number: number, Start: start, End: end, TextAt: start, Split: len(text), Newline: true}, text, f.share)
		return
	}
	c := &f.line
	c.Begin(start)
	if skipped := end - start - 1 - int64(len(text)); skipped > 0 { // these are its ends
		c.Write(text[:longEnds], 2*longEnds)
		c.Skip(skipped)
		text = text[longEnds:]
	}
	c.Write(text, 2*longEnds)
	l := c.Finish(2*longEnds, end)
	l.Number = number
	f.bands[band].keep(l, c.Text(), f.share)
}

// isNew reports whether a line is not one of many that look the same.
func (f *finder) isNew(text []byte) bool {
	if len(f.similar) > mostShapes {
		clear(f.similar)
	}
	h := shape.Fingerprint(text, false)
	f.similar[h]++
	return f.similar[h] <= likeTheRest
}

// clone copies the finder for a snapshot.
func (f *finder) clone() finder {
	c := *f
	c.carry, c.recent, c.similar = slices.Clone(f.carry), slices.Clone(f.recent), maps.Clone(f.similar)
	c.ends, c.bare, c.line, c.frequent.seen = nil, nil, textscan.LineBuilder{}, slices.Clone(f.frequent.seen)
	c.watch = f.watch.clone()
	for i := range c.bands {
		c.bands[i] = f.bands[i].clone()
	}
	return c
}

// finish returns the lines that were found after one and up to another, in
// order. They are in memory, and so is what the bands took.
func (f *finder) finish(after, to int64, m *memory) []textscan.Line {
	kept := m.kept[:0]
	for i := range f.bands {
		b := &f.bands[i]
		kept = b.between(kept, after, to)
		m.bands[i].first, m.bands[i].last = b.first, b.last
	}
	slices.SortFunc(kept, func(a, b *textscan.Line) int { return cmp.Compare(a.Number, b.Number) })
	list := slices.Grow(m.found[:0], len(kept))
	for _, l := range kept {
		list = append(list, *l)
	}
	m.kept, m.found = kept, list
	return list
}
