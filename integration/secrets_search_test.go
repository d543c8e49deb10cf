package integration_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolresult/toolresult/integration/redacttest"
)

// hunt looks for parts of planted secrets: twelve bytes of one in a row, or all of a shorter
// one. It has the whole list, so that a text is read once for all of them.
type hunt struct {
	filter [1 << 16]uint64              // of the first bytes of parts
	parts  map[[huntKey]byte][]huntPart // by these
}

const huntKey = 8

type huntPart struct {
	text  string
	plant *redacttest.Plant
}

func newHunt(list []redacttest.Plant) *hunt {
	h := &hunt{parts: map[[huntKey]byte][]huntPart{}}
	for i := range list {
		p := &list[i]
		h.add(p, string(p.Secret))
		if plain := unescaped([]byte(p.Secret)); !bytes.Equal(plain, p.Secret) {
			h.add(p, string(plain))
		}
	}
	for _, s := range redacttest.Secrets() {
		h.add(&redacttest.Plant{Kind: s.Name, Where: "the value"}, string(redacttest.Visible(s.Value)))
	}
	return h
}

// add adds the parts of a secret. Runs of one character and what placeholders have are none.
func (h *hunt) add(p *redacttest.Plant, secret string) {
	n := min(redacttest.Least, len(secret))
	if n < huntKey {
		return // no search finds five bytes and nothing else
	}
	for i := 0; i+n <= len(secret); i++ {
		part := secret[i : i+n]
		if strings.Count(part, part[:1]) == n || strings.Contains(p.Kind, part) || fixed[part] {
			continue
		}
		key := [huntKey]byte([]byte(part[:huntKey]))
		hash := huntHash(key[:])
		h.filter[hash>>6] |= 1 << (hash & 63)
		h.parts[key] = append(h.parts[key], huntPart{part, p})
	}
}

// fixed are parts that every private key has.
var fixed = func() map[string]bool {
	all := map[string]bool{}
	for _, kind := range []string{"", "RSA ", "PGP "} {
		for _, text := range []string{"-----BEGIN " + kind + "PRIVATE KEY-----", "-----END " + kind + "PRIVATE KEY-----", "-----BEGIN PGP PRIVATE KEY BLOCK-----"} {
			for i := 0; i+redacttest.Least <= len(text); i++ {
				all[text[i:i+redacttest.Least]] = true
			}
		}
	}
	return all
}()

func huntHash(b []byte) uint32 {
	n := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
	return uint32(n * 0x9E3779B97F4A7C15 >> 42)
}

// in returns the plants that a text has parts of.
func (h *hunt) in(text []byte, found map[*redacttest.Plant]string) {
	for i := 0; i+huntKey <= len(text); i++ {
		hash := huntHash(text[i:])
		if h.filter[hash>>6]>>(hash&63)&1 == 0 {
			continue
		}
		for _, p := range h.parts[[huntKey]byte(text[i:])] {
			if len(text)-i >= len(p.text) && string(text[i:i+len(p.text)]) == p.text {
				if _, known := found[p.plant]; !known {
					found[p.plant] = fmt.Sprintf("%q in %.200q", p.text, text[max(0, i-60):min(len(text), i+80)])
				}
			}
		}
	}
}

// everywhere looks in a text and in what it decodes to.
func (h *hunt) everywhere(text []byte) map[*redacttest.Plant]string {
	found := map[*redacttest.Plant]string{}
	for _, t := range decoded(text) {
		h.in(t, found)
	}
	return found
}

// decoded are a text and what those make of it who show it, or read it as one of the
// usual encodings, once or twice.
func decoded(text []byte) [][]byte {
	list := [][]byte{text}
	for _, t := range [][]byte{redacttest.Visible(text), unescaped(text), unescaped(unescaped(text)), unpercent(text)} {
		if !bytes.Equal(t, text) {
			list = append(list, t)
		}
	}
	for _, t := range slices.Clone(list) {
		for _, inside := range append(inBase64(t), inHex(t)...) {
			list = append(list, inside)
			if plain := unescaped(inside); !bytes.Equal(plain, inside) {
				list = append(list, plain)
			}
		}
	}
	return list
}

// unescaped replaces the escapes of JSON, wherever they stand.
func unescaped(text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			out = append(out, text[i])
			continue
		}
		i++
		switch c := text[i]; c {
		case 'n', 't', 'r', 'b', 'f':
			out = append(out, map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f'}[c])
		case 'u':
			r, err := strconv.ParseUint(string(text[min(i+1, len(text)):min(i+5, len(text))]), 16, 32)
			if err != nil {
				out = append(out, '\\', 'u')
				continue
			}
			out = utf8.AppendRune(out, rune(r))
			i += 4
		default:
			out = append(out, c)
		}
	}
	return out
}

func unpercent(text []byte) []byte {
	if bytes.IndexByte(text, '%') < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if b, err := hex.DecodeString(string(text[i+1 : i+3])); err == nil {
				out = append(out, b[0])
				i += 2
				continue
			}
		}
		out = append(out, text[i])
	}
	return out
}

// inBase64 decodes runs of letters of base64, from each of four beginnings.
func inBase64(text []byte) (list [][]byte) {
	isLetter := func(c byte) bool {
		return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_'
	}
	replace := strings.NewReplacer("-", "+", "_", "/")
	eachRun(text, isLetter, 16, func(run []byte) {
		for from := range 4 {
			part := replace.Replace(string(run[from:]))
			if b, err := base64.RawStdEncoding.DecodeString(part[:len(part)/4*4]); err == nil {
				list = append(list, b)
			}
		}
	})
	return list
}

func inHex(text []byte) (list [][]byte) {
	isDigit := func(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }
	eachRun(text, isDigit, 16, func(run []byte) {
		for from := range 2 {
			part := run[from:]
			b := make([]byte, len(part)/2)
			if _, err := hex.Decode(b, part[:len(part)/2*2]); err == nil {
				list = append(list, b)
			}
		}
	})
	return list
}

func eachRun(text []byte, in func(byte) bool, least int, visit func([]byte)) {
	from := -1
	for i := 0; i <= len(text); i++ {
		switch {
		case i < len(text) && in(text[i]):
			if from < 0 {
				from = i
			}
		case from >= 0:
			if i-from >= least {
				visit(text[from:i])
			}
			from = -1
		}
	}
}
