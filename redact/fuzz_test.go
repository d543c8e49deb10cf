package redact_test

import (
	"testing"

	"github.com/toolresult/toolresult/integration/redacttest"
)

// FuzzRedact: no input panics, output and counts do not depend on the chunks, and
// redacting again finds nothing.
func FuzzRedact(f *testing.F) {
	for i, p := range redacttest.Planted() {
		if i%53 == 0 {
			f.Add(p.Text, uint16(i), uint8(i))
		}
	}
	for _, s := range fragments() {
		f.Add([]byte(s), uint16(7), uint8(0))
	}
	all := options(f)
	f.Fuzz(func(t *testing.T, text []byte, cuts uint16, which uint8) {
		if len(text) > 1<<16 {
			return
		}
		var parts [][]byte
		for state, rest := uint32(cuts)|1, text; len(rest) > 0; {
			state = state*1664525 + 1013904223
			n := min(len(rest), 1+int(state>>16)%(1+int(cuts)%200))
			parts = append(parts, rest[:n])
			rest = rest[n:]
		}
		check(t, all[int(which)%len(all)], text, parts)
	})
}
