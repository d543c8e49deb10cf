package redact

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// plannedFinder finds spans that are known beforehand, once all of their bytes are there.
type plannedFinder struct{ plan []span }

func (f *plannedFinder) mayBegin(byte) bool { return false }
func (f *plannedFinder) begun(*stream) bool { return false }

func (f *plannedFinder) mayRelease() bool { return false }

func (f *plannedFinder) clone() finder        { return f }
func (f *plannedFinder) isPrompt([]byte) bool { return false }

func (f *plannedFinder) find(s *stream, v view, stop int64) {
	for s.next < stop {
		for _, p := range f.plan {
			if p.from == s.next && p.to > v.base+int64(len(v.b)) && !v.end {
				return
			}
		}
		for _, p := range f.plan {
			if p.from == s.next {
				s.add(p)
			}
		}
		s.next++
	}
}

// union is the simple form of add: spans that overlap become one, and those that only touch stay two.
func union(plan []span) (list []span) {
	plan = slices.Clone(plan)
	slices.SortStableFunc(plan, func(a, b span) int { return int(a.from - b.from) })
	for _, p := range plan {
		if n := len(list); n > 0 && p.from < list[n-1].to {
			last := &list[n-1]
			if p.rank > last.rank && p.from-last.from < settled {
				last.kind, last.rank = p.kind, p.rank
			}
			last.to = max(last.to, p.to)
			continue
		}
		list = append(list, p)
	}
	return list
}

// Whatever spans a finder finds, and however the text is cut, each group of those that overlap becomes one placeholder, and the
// rest of the text stays.
func TestStreamReplacesTheUnionOfSpans(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var k kinds
		for _, name := range []string{"a", "bb", "some-kind"} {
			k.add(name)
		}
		text := strings.Repeat("0123456789abcdefghij", rapid.SampledFrom([]int{1, 3, 40, 900}).Draw(t, "size"))
		f := &plannedFinder{}
		for range rapid.IntRange(0, 6).Draw(t, "spans") {
			from := rapid.IntRange(0, len(text)-1).Draw(t, "from")
			to := min(len(text), from+rapid.OneOf(rapid.IntRange(1, 9), rapid.IntRange(1, 12_000)).Draw(t, "length"))
			kind := rapid.IntRange(0, 2).Draw(t, "kind")
			f.plan = append(f.plan, span{from: int64(from), to: int64(to), kind: kind, rank: kind})
		}
		same := rapid.Bool().Draw(t, "same")
		var want strings.Builder
		counts := make([]Count, 3)
		at := int64(0)
		for _, p := range union(f.plan) {
			want.WriteString(text[at:p.from])
			mark, n := string(k.marks[p.kind]), int(p.to-p.from)
			switch {
			case !same:
				want.WriteString(mark)
			case n >= len(mark):
				want.WriteString(mark + strings.Repeat("*", n-len(mark)))
			default:
				want.WriteString(strings.Repeat("*", n))
			}
			counts[p.kind].Matches++
			counts[p.kind].Bytes += int64(n)
			at = p.to
		}
		want.WriteString(text[at:])

		s := newStream(f, &k, same)
		var got bytes.Buffer
		for rest := []byte(text); len(rest) > 0; {
			s.begin()
			for range rapid.IntRange(1, 3).Draw(t, "parts") {
				n := min(len(rest), rapid.SampledFrom([]int{0, 1, 7, 100, 5000, joined + 1}).Draw(t, "part"))
				s.write(bytes.Clone(rest[:n]), false)
				rest = rest[n:]
			}
			for _, p := range s.out {
				got.Write(p)
			}
		}
		s.begin()
		s.write(nil, true)
		for _, p := range s.out {
			got.Write(p)
		}
		if got.String() != want.String() || !slices.Equal(append(s.counts, make([]Count, 3)...)[:3], counts) {
			t.Fatalf("%d bytes with %v, want %d with %v\n%.300q\n%.300q", got.Len(), s.counts, want.Len(), counts, got.String(), want.String())
		}
	})
}

// Two secrets that touch are two placeholders.
func TestSpansThatTouchStayApart(t *testing.T) {
	t.Parallel()
	s := newStream(&plannedFinder{}, &kinds{}, false)
	for _, n := range []span{{from: 4, to: 6}, {from: 0, to: 2}, {from: 2, to: 4}, {from: 6, to: 6}, {from: 9, to: 8}} {
		s.add(n)
	}
	if len(s.spans) != 3 {
		t.Errorf("%+v", s.spans)
	}
	if s.add(span{from: 1, to: 5}); len(s.spans) != 1 || s.spans[0].from != 0 || s.spans[0].to != 6 {
		t.Errorf("%+v", s.spans)
	}
}

// Every form of a value is found, in one piece and wrapped anywhere, at the beginning and at the end of a text.
func TestEveryEncodingIsFoundAnywhere(t *testing.T) {
	t.Parallel()
	value := []byte("pä$$ \"w\\rd\"/<1>&\x01\u00ff😀'+`\x7f")
	values, err := NewValues([]Secret{{Name: "v", Value: value}})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Values: values}
	forms := encodings(strip(value), value)
	if len(forms) < 40 {
		t.Errorf("%d forms", len(forms))
	}
	for _, form := range forms {
		for _, around := range []string{"", "x", "12345678", "\n", "\x1b[1m"} {
			for cut := 0; cut <= len(form); cut += 1 + len(form)/9 {
				for _, wrap := range []string{"", "\n", "\r\n", "\x1b[0m", "\b", "\x1b]0;t\a"} {
					text := around + form[:cut] + wrap + form[cut:] + around
					if out, found := Text(o, []byte(text)); len(found) != 1 || found[0].Matches != 1 || !bytes.Contains(out, []byte("[redacted:v]")) {
						t.Fatalf("%q in %q: %v, %q", form, text, found, out)
					}
				}
			}
		}
	}
}

// A value that is like itself everywhere is none: the search for it would not be linear.
func TestRepetitiveValuesAreRejected(t *testing.T) {
	t.Parallel()
	sum := func(v string) (n int) { // the simple form of the Z function
		for i := 1; i < len(v); i++ {
			for k := 0; i+k < len(v) && v[k] == v[i+k]; k++ {
				n++
			}
		}
		return n
	}
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.StringOfN(rapid.SampledFrom([]rune("ab")), 1, 12, -1).Draw(t, "unit")
		v := strings.Repeat(unit, rapid.IntRange(1, 60).Draw(t, "times")) + rapid.StringOfN(rapid.SampledFrom([]rune("abc")), 0, 20, -1).Draw(t, "end")
		want := strings.Count(v, v[:1]) == len(v) || sum(v) > 16*len(v)
		if got := repeats([]byte(v)); got != want {
			t.Fatalf("%q repeats itself: %v; %d of %d", v, got, sum(v), len(v))
		}
	})
	if v := "ab" + strings.Repeat("ab", 16); repeats([]byte(v)) != (sum(v) > 16*len(v)) {
		t.Errorf("%d of %d", sum(v), len(v))
	}
}

// Next bytes to step over are those that a look at each byte finds.
func TestNextStepIsTheFirstOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.SampledFrom([]byte{'a', 0x1f, 0x20, 0, '\n', '\r', '\b', esc, 0x80, 0xff}), 0, 40).Draw(t, "bytes")
		from := rapid.IntRange(0, len(b)).Draw(t, "from")
		want := from
		for want < len(b) && !strings.ContainsRune("\n\r\b\x1b", rune(b[want])) {
			want++
		}
		if got := nextStep(b, from); got != want {
			t.Fatalf("%d, want %d in %q", got, want, b)
		}
	})
}
