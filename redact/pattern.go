package redact

// pattern is an expression as a list of steps. Alternatives are patterns of
// their own, so a list has none.
type pattern struct {
	steps []step
	rule  int
	back  int // bytes of the match before the four bytes that it is known by

	mask, value uint64 // eight bytes from there on, with a letter in any case as lower case
	done, from  int    // steps that these bytes decide, and where the rest begins; 0 behind the begin
	inside      bool   // the secret may begin inside of a placeholder
}

// mayBeginInside reports whether the byte in front of the secret can be one of
// a placeholder. Only such a secret can begin inside of one.
func (p *pattern) mayBeginInside(classes []*[256]bool) bool {
	for i, s := range p.steps {
		if s.op != opFrom {
			continue
		}
		for i--; i >= 0; i-- {
			switch s := p.steps[i]; s.op {
			case opText, opFold:
				c := s.text[len(s.text)-1]
				return isName(c) || c == ':' || c == '['
			case opClass:
				for c, in := range classes[s.class] {
					if in && (isName(byte(c)) || c == ':' || c == '[') {
						return true
					}
				}
				if s.min > 0 {
					return false
				}
			case opGap, opAssign:
				return true
			}
		}
	}
	return true
}

// head fills mask and value from the classes of the bytes that identify the
// pattern and those behind them.
func (p *pattern) head(sets [][256]bool) {
	for k, set := range sets[:min(8, len(sets))] {
		one, only := 0, count(&set)
		for c := range set {
			if set[c] {
				one = c
			}
		}
		switch {
		case only == 1:
			p.mask |= 0xff << (8 * k)
		case only == 2 && byte(one)-'a' < 26 && set[upper(byte(one))]:
			p.mask |= 0xdf << (8 * k)
			one = int(upper(byte(one)))
		default:
			continue
		}
		p.value |= uint64(one) << (8 * k)
	}
	for _, s := range p.steps {
		if p.back > 0 || s.op != opText && s.op != opFold || p.from+len(s.text) > 8 {
			break
		}
		p.from += len(s.text)
		p.done++
	}
}

// step is one part of a pattern.
type step struct {
	op       op
	class    int // of opClass
	min, max int // of opClass; max may be maxRun for "any number"
	text     string
	only     bool // opClass: nothing behind can match a byte of the class, so the longest run is the only one
}

// op is the kind of a step.
type op uint8

const (
	opClass  op = iota
	opText      // these bytes
	opFold      // these bytes, in any case; text is lower case
	opEdge      // \b, or a terminal sequence or an escape ends before
	opGap       // the bytes between a name and its value, in gitleaks
	opAssign    // the operator between a name and its assigned value
	opStop      // what ends a secret
	opFrom      // the secret begins
	opTo        // the secret ends
)

// Bounds of patterns.
const (
	// maxRun is how many bytes of a class a step takes at most. If the secret
	// goes on with the class, it goes on without a limit.
	maxRun = 4 << 10
	// maxForms bounds the alternatives of an expression.
	maxForms = 96
)

// lower returns an ASCII letter in lower case, and any other byte as it is.
func lower(c byte) byte {
	if c-'A' < 26 {
		c += 'a' - 'A'
	}
	return c
}

// upper returns an ASCII letter in upper case, and any other byte as it is.
func upper(c byte) byte {
	if c-'a' < 26 {
		c -= 'a' - 'A'
	}
	return c
}
