package preview

// jsonPrefix reads the beginning of a JSON value, and says whether it can still become one. It checks how brackets, keys
// and commas stand, and not how scalars are written.
type jsonPrefix struct {
	open   []byte // brackets that are not closed yet
	state  jsonState
	string bool // in a string
	escape bool // behind a backslash in it
	key    bool // the string is a key
	word   bool // in a number or a word
}

type jsonState uint8

const (
	jsonValue  jsonState = iota // a value must come
	jsonFirst                   // a value, or the end of an array
	jsonKey                     // a key must come
	jsonKeyEnd                  // a key, or the end of an object
	jsonColon
	jsonAfter // a comma or the end of a container
	jsonDone
)

// deepest is how many containers may be in one another before it gives up.
const deepest = 10_000

// takes reads more bytes. It reports false for what no JSON value begins with.
func (p *jsonPrefix) takes(text []byte) bool {
	for _, c := range text {
		if !p.take(c) {
			return false
		}
	}
	return true
}

// done reports whether what was read is a whole value.
func (p *jsonPrefix) done() bool { return p.state == jsonDone && !p.string }

func (p *jsonPrefix) take(c byte) bool {
	if p.string {
		switch {
		case p.escape:
			p.escape = false
		case c == '\\':
			p.escape = true
		case c == '"':
			p.string = false
			if p.key {
				p.key, p.state = false, jsonColon
			} else {
				p.after()
			}
		case c < ' ':
			return false
		}
		return true
	}
	if p.word {
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '.' || c == '+' || c == '-' || c == 'E' {
			return true
		}
		p.word = false
		p.after()
	}
	switch c {
	case ' ', '\t', '\r', '\n':
		return true
	case '{', '[':
		return p.opens(c)
	case '}', ']':
		return p.closes(c)
	case ',':
		if p.state != jsonAfter {
			return false
		}
		p.state = jsonValue
		if p.open[len(p.open)-1] == '{' {
			p.state = jsonKey
		}
		return true
	case ':':
		ok := p.state == jsonColon
		p.state = jsonValue
		return ok
	case '"':
		p.key = p.state == jsonKey || p.state == jsonKeyEnd
		p.string = true
		return p.key || p.state == jsonValue || p.state == jsonFirst
	}
	p.word = true
	return (c >= '0' && c <= '9' || c == '-' || c == 't' || c == 'f' || c == 'n') && (p.state == jsonValue || p.state == jsonFirst)
}

func (p *jsonPrefix) opens(c byte) bool {
	if p.state != jsonValue && p.state != jsonFirst || len(p.open) == deepest {
		return false
	}
	p.open = append(p.open, c)
	p.state = jsonFirst
	if c == '{' {
		p.state = jsonKeyEnd
	}
	return true
}

func (p *jsonPrefix) closes(c byte) bool {
	if len(p.open) == 0 || p.open[len(p.open)-1] != c-2 {
		return false
	}
	empty := p.state == jsonKeyEnd && c == '}' || p.state == jsonFirst && c == ']'
	if p.state != jsonAfter && !empty {
		return false
	}
	p.open = p.open[:len(p.open)-1]
	p.after()
	return true
}

// after is what comes behind a value.
func (p *jsonPrefix) after() {
	p.state = jsonAfter
	if len(p.open) == 0 {
		p.state = jsonDone
	}
}
