package redact

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Limits of NewValues.
const (
	MinValue      = 8        // bytes of a value, without those that are stepped over
	MaxValue      = 16 << 10 // bytes of a value
	MaxValues     = 10_000   // values
	MaxValueBytes = 1 << 20  // bytes of all values together
)

// maxFormBytes bounds the encodings of all values. Values of letters and digits
// have at most 17 times their bytes in these, others up to some hundred times.
const maxFormBytes = 64 << 20

// Errors of NewValues. They never contain a value.
var (
	ErrEmpty  = errors.New("value is empty")
	ErrShort  = errors.New("value is too short")
	ErrLong   = errors.New("value is too long")
	ErrMany   = errors.New("too many values")
	ErrName   = errors.New("name of a value must be 1 to 64 of A-Z a-z 0-9 _ . -")
	ErrRepeat = errors.New("value repeats itself, so it is no secret")
	ErrMark   = errors.New("value contains the mark of redacted text")
	ErrInName = errors.New("value is part of a name, which placeholders show")
)

// Secret is an exact value that must not be seen. No verb of fmt and no encoder
// prints it.
type Secret struct {
	Name  string // [A-Za-z0-9_.-]{1,64}; the placeholder shows it
	Value []byte
}

// Values is an immutable set of secrets, safe for concurrent use. Nothing
// prints its content.
type Values struct{ c *compiledValues }

// NewValues compiles secrets. Several may have the same name, and the same
// value may come more than once; then the first name counts. A line end at the
// end of a value, as files have it, is not part of it. The errors are those
// above, with the number of the secret and never with its value. It takes some
// microseconds for each byte.
func NewValues(list []Secret) (*Values, error) {
	if len(list) > MaxValues {
		return nil, fmt.Errorf("%w: %d, the limit is %d", ErrMany, len(list), MaxValues)
	}
	total := 0
	stripped := make([][]byte, len(list))
	for i, s := range list {
		v, err := s.check()
		if err != nil {
			return nil, fmt.Errorf("secret %d: %w", i, err)
		}
		if total += len(s.Value); total > MaxValueBytes {
			return nil, fmt.Errorf("%w: they have more than %d bytes together", ErrMany, MaxValueBytes)
		}
		stripped[i] = v
	}
	var names kinds
	for _, s := range list {
		names.add(s.Name)
	}
	for i, v := range stripped {
		for _, n := range names.names {
			if len(v) <= len(n) && bytes.Contains([]byte(n), v) {
				return nil, fmt.Errorf("secret %d: %w", i, ErrInName)
			}
		}
	}
	var forms []form
	total = 0
	for i, s := range list {
		for _, f := range encodings(stripped[i], bytes.TrimRight(s.Value, "\r\n")) {
			forms = append(forms, pieces(f, names.index[s.Name])...)
			total += len(f)
		}
		if total > maxFormBytes {
			return nil, fmt.Errorf("%w: their encodings have more than %d bytes together", ErrMany, maxFormBytes)
		}
	}
	return &Values{compile(forms, names)}, nil
}

// check returns the form of the value that is searched for: without line ends
// and sequences.
func (s Secret) check() ([]byte, error) {
	if len(s.Name) == 0 || len(s.Name) > maxName {
		return nil, ErrName
	}
	for i := range len(s.Name) {
		if !isName(s.Name[i]) {
			return nil, ErrName
		}
	}
	switch {
	case len(s.Value) == 0:
		return nil, ErrEmpty
	case len(s.Value) > MaxValue:
		return nil, fmt.Errorf("%w: %d bytes, the limit is %d", ErrLong, len(s.Value), MaxValue)
	}
	v := strip(s.Value)
	switch {
	case len(v) < MinValue:
		return nil, fmt.Errorf("%w: %d bytes that count, the least is %d", ErrShort, len(v), MinValue)
	case repeats(v):
		return nil, ErrRepeat
	case bytes.Contains(v, []byte(markBegin)):
		return nil, ErrMark
	}
	return v, nil
}

// strip removes the bytes that the search steps over.
func strip(v []byte) []byte {
	out := make([]byte, 0, len(v))
	for i := 0; i < len(v); {
		if n := skip(v, i, true, nil); n > 0 {
			i += n
			continue
		}
		out = append(out, v[i])
		i++
	}
	return out
}

// repeats reports whether a value is one repeated byte, or is so much like
// itself, moved, that the search for it could take more than linear time: the
// lengths to which its suffixes are like its begin (its Z function) are more
// than 16 times its own. Random text has next to none.
func repeats(v []byte) bool {
	if bytes.Count(v, v[:1]) == len(v) {
		return true
	}
	z := make([]int, len(v))
	sum := 0
	for i, l, r := 1, 0, 0; i < len(v); i++ {
		if i < r {
			z[i] = min(r-i, z[i-l])
		}
		for i+z[i] < len(v) && v[z[i]] == v[i+z[i]] {
			z[i]++
		}
		if i+z[i] > r {
			l, r = i, i+z[i]
		}
		sum += z[i]
	}
	return sum > 16*len(v)
}

// Len returns the number of forms that are searched for: values times
// encodings.
func (v Values) Len() int {
	if v.c == nil {
		return 0
	}
	return v.c.count
}

// Size returns the memory that the set takes, in bytes: some forty times its values.
func (v Values) Size() int64 {
	if v.c == nil {
		return 0
	}
	return v.c.size()
}

// String returns the number of names, and nothing more.
func (v Values) String() string {
	if v.c == nil {
		return "[0 values]"
	}
	return fmt.Sprintf("[%d values]", v.c.values)
}

// Format writes String for every verb, also for %#v.
func (v Values) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, v.String()) }

// MarshalText encodes String, for JSON and slog.
func (v Values) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// String returns the name without the value.
func (s Secret) String() string { return "[secret " + s.Name + "]" }

// Format writes String for every verb, also for %#v.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText encodes String, for JSON and slog.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
