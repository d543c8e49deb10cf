package redact

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"
)

// compiledRules is what load makes of the rules, in the form of encode: a command that masks a short output has no time to compile them.
// `make rules` writes it, and a test compares.
//
//go:embed compiled.bin
var compiledRules string

// errCompiled is the error for compiled rules that are not whole.
var errCompiled = errors.New("the compiled rules are not whole")

// encode returns patterns as bytes: first what a text without a hit needs.
func (p *Patterns) encode() []byte {
	w := &encoder{}
	w.text(p.version)
	w.number(len(p.kinds.names))
	for _, name := range p.kinds.names {
		w.text(name)
	}
	w.number(len(p.lists))
	for _, list := range p.lists {
		w.number(len(list))
		for _, k := range list {
			w.half(int(k))
		}
	}
	w.number(len(p.begins))
	for _, begin := range p.begins {
		w.b = binary.LittleEndian.AppendUint32(w.b, bits.ReverseBytes32(begin))
		w.half(int(p.listOf(bits.ReverseBytes32(begin))))
	}
	w.section(len(p.rules), func(w *encoder, i int) { w.rule(&p.rules[i]) })
	w.section(len(p.patterns), func(w *encoder, i int) { w.pattern(&p.patterns[i]) })
	w.number(len(p.classes))
	for _, class := range p.classes {
		for i := 0; i < len(class); i += 8 {
			bits := byte(0)
			for k, in := range class[i : i+8] {
				if in {
					bits |= 1 << k
				}
			}
			w.b = append(w.b, bits)
		}
	}
	w.number(p.solid)
	w.number(p.unquoted)
	return w.b
}

// encoder appends values.
type encoder struct{ b []byte }

func (w *encoder) number(n int) { w.b = binary.AppendVarint(w.b, int64(n)) }

// half appends a number of 16 bits, of which there are thousands: they are read faster.
func (w *encoder) half(n int) { w.b = binary.LittleEndian.AppendUint16(w.b, uint16(n)) }

// section appends things that are read one by one: their count, where each ends behind these numbers, and they.
func (w *encoder) section(count int, thing func(w *encoder, i int)) {
	w.number(count)
	things := &encoder{}
	for i := range count {
		thing(things, i)
		w.b = binary.LittleEndian.AppendUint32(w.b, uint32(len(things.b)))
	}
	w.b = append(w.b, things.b...)
}

func (w *encoder) text(s string) {
	w.number(len(s))
	w.b = append(w.b, s...)
}

func (w *encoder) texts(list []string) {
	w.number(len(list))
	for _, s := range list {
		w.text(s)
	}
}

func (w *encoder) float(f float64) {
	w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(f))
}

func (w *encoder) flag(set bool) {
	if set {
		w.b = append(w.b, 1)
	} else {
		w.b = append(w.b, 0)
	}
}

func (w *encoder) rule(r *rule) {
	w.text(r.id)
	for _, n := range []int{r.kind, r.rank, int(r.needs), int(r.ends), int(r.loose), r.group} {
		w.number(n)
	}
	w.float(r.entropy)
	w.float(r.drawn)
	w.flag(r.block)
	w.texts(r.allow)
	w.texts(r.behind)
	w.text(r.from)
	w.text(r.expression)
}

func (w *encoder) pattern(p *pattern) {
	w.number(len(p.steps))
	for _, s := range p.steps {
		w.b = append(w.b, byte(s.op))
		switch s.op {
		case opClass:
			for _, n := range []int{s.class, s.min, s.max} {
				w.half(n)
			}
			w.flag(s.only)
		case opText, opFold:
			w.text(s.text)
		}
	}
	for _, n := range []int{p.rule, p.back, p.done, p.from} {
		w.number(n)
	}
	w.b = binary.LittleEndian.AppendUint64(w.b, p.mask)
	w.b = binary.LittleEndian.AppendUint64(w.b, p.value)
	w.flag(p.inside)
}

// decode returns the patterns that encode made bytes of. What only a hit needs is read at the first one, or by prepare.
func decode(b string) (*Patterns, error) {
	r := &decoder{b: b}
	p := &Patterns{version: r.text()}
	n := r.count()
	p.kinds.grow(n)
	for range n {
		p.kinds.add(r.text())
	}
	p.lists = make([][]uint16, r.count())
	all := make([]uint16, 0, 4*len(p.lists)) // one memory for most of them
	for i := range p.lists {
		from := len(all)
		for range r.count() {
			all = append(all, uint16(r.half()))
		}
		if len(all) > from {
			p.lists[i] = all[from:len(all):len(all)]
		}
	}
	n = r.count()
	p.makeTable(n)
	for range n {
		low, high := r.half(), r.half()
		p.addWindow(uint32(low|high<<16), uint16(r.half()))
	}
	if r.short {
		return nil, errCompiled
	}
	p.rest = sync.OnceValue(func() error { return p.readRest(r) })
	return p, nil
}

// prepare reads what a first hit needs, once.
func (p *Patterns) prepare() {
	if p.rest == nil {
		return
	}
	if err := p.rest(); err != nil {
		panic("redact: " + err.Error()) // a test reads them
	}
}

// readRest reads the classes, and where rules and patterns are: of these each is read when it is asked for.
func (p *Patterns) readRest(r *decoder) error {
	p.packed = &packed{rules: newSection(r, (*decoder).rule), patterns: newSection(r, (*decoder).pattern)}
	p.classes = make([]*[256]bool, r.count())
	classes := make([][256]bool, len(p.classes))
	for i := range classes {
		for k, bits := range []byte(r.bytes(32)) {
			for n := range 8 {
				classes[i][8*k+n] = bits>>n&1 != 0
			}
		}
		p.classes[i] = &classes[i]
	}
	p.solid, p.unquoted = r.number(), r.number()
	if r.short || len(r.b) > 0 {
		return errCompiled
	}
	return nil
}

// packed are rules and patterns of which most are never needed. Safe for concurrent use.
type packed struct {
	rules    section[rule]
	patterns section[pattern]
}

// section has things that are read when they are asked for.
type section[T any] struct {
	ends, things string // as encoder.section writes them
	read         func(r *decoder, to *T)
	kept         []atomic.Pointer[T]
}

// newSection returns the section that is next.
func newSection[T any](r *decoder, read func(r *decoder, to *T)) section[T] {
	s := section[T]{read: read, kept: make([]atomic.Pointer[T], r.count())}
	s.ends = r.bytes(4 * len(s.kept))
	s.things = r.bytes(s.end(len(s.kept) - 1))
	return s
}

// end returns where a thing ends; 0 for the one before the first.
func (s *section[T]) end(i int) int {
	if i < 0 {
		return 0
	}
	r := decoder{b: s.ends[4*i:]}
	return int(r.word(4))
}

// at returns a thing.
func (s *section[T]) at(i int) *T {
	if known := s.kept[i].Load(); known != nil {
		return known
	}
	r, t := decoder{b: s.things[s.end(i-1):s.end(i)]}, new(T)
	if s.read(&r, t); r.short || len(r.b) > 0 {
		panic("redact: " + errCompiled.Error()) // a test reads them
	}
	s.kept[i].Store(t)
	return t
}

// ruleAt returns a rule by its number.
func (p *Patterns) ruleAt(i int) *rule {
	if p.packed == nil {
		return &p.rules[i]
	}
	return p.packed.rules.at(i)
}

// patternAt returns a pattern by its number.
func (p *Patterns) patternAt(i int) *pattern {
	if p.packed == nil {
		return &p.patterns[i]
	}
	return p.packed.patterns.at(i)
}

// countRules returns how many rules there are.
func (p *Patterns) countRules() int {
	if p.prepare(); p.packed == nil {
		return len(p.rules)
	}
	return len(p.packed.rules.kept)
}

// decoder takes values from the front of bytes. What is missing is zero.
type decoder struct {
	b     string
	short bool
}

func (r *decoder) number() int {
	n := uint64(0)
	for i := range min(len(r.b), binary.MaxVarintLen64) {
		n |= uint64(r.b[i]&0x7f) << (7 * i)
		if r.b[i] < 0x80 {
			r.b = r.b[i+1:]
			return int(n>>1) ^ -int(n&1) // zigzag, as binary.AppendVarint writes it
		}
	}
	r.short, r.b = true, ""
	return 0
}

// count is a number of things, each of which takes at least a byte.
func (r *decoder) count() int {
	n := r.number()
	if n < 0 || n > len(r.b) {
		r.short = true
		return 0
	}
	return n
}

func (r *decoder) bytes(n int) string {
	if n > len(r.b) {
		r.short, r.b = true, ""
		return string(make([]byte, n))
	}
	part := r.b[:n]
	r.b = r.b[n:]
	return part
}

func (r *decoder) half() int {
	b := r.b
	if len(b) < 2 {
		r.short, r.b = true, ""
		return 0
	}
	r.b = b[2:]
	return int(b[0]) | int(b[1])<<8
}

// word is a little-endian number of some bytes.
func (r *decoder) word(n int) (word uint64) {
	for i, c := range []byte(r.bytes(n)) {
		word |= uint64(c) << (8 * i)
	}
	return word
}

func (r *decoder) text() string { return r.bytes(r.count()) }

func (r *decoder) texts() (list []string) {
	for range r.count() {
		list = append(list, r.text())
	}
	return list
}

func (r *decoder) float() float64 { return math.Float64frombits(r.word(8)) }

func (r *decoder) flag() bool { return r.bytes(1)[0] != 0 }

func (r *decoder) rule(to *rule) {
	to.id = r.text()
	to.kind, to.rank, to.needs = r.number(), r.number(), needs(r.number())
	to.ends, to.loose, to.group = ending(r.number()), needs(r.number()), r.number()
	to.entropy, to.drawn, to.block = r.float(), r.float(), r.flag()
	to.allow, to.behind, to.from, to.expression = r.texts(), r.texts(), r.text(), r.text()
}

func (r *decoder) pattern(to *pattern) {
	to.steps = make([]step, r.count())
	for i := range to.steps {
		s := &to.steps[i]
		s.op = op(r.bytes(1)[0])
		switch s.op {
		case opClass:
			s.class, s.min, s.max, s.only = r.half(), r.half(), r.half(), r.flag()
		case opText, opFold:
			s.text = r.text()
		}
	}
	to.rule, to.back, to.done, to.from = r.number(), r.number(), r.number(), r.number()
	to.mask, to.value, to.inside = r.word(8), r.word(8), r.flag()
}
