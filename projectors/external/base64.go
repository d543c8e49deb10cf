package external

import (
	"bytes"
	"encoding/base64"
	"strings"

	"github.com/toolresult/toolresult/preview/textscan"
)

// MinBase64 is the length of the shortest run of base64 that is lifted of an answer, in
// characters. A shorter one costs fewer tokens than a reference to it.
const MinBase64 = textscan.LongBase64

// LiftBase64 returns text with every run of base64 of at least some characters, and the
// data URI around it, replaced by the placeholder that replace returns for its bytes. Hexadecimal
// digits, rules and other runs of few kinds of characters stay. The only errors are
// those of replace.
func LiftBase64(text string, least int, replace func(mediaType string, content []byte) (string, error)) (string, error) {
	var b strings.Builder
	done := 0
	for at, end, ok := textscan.Base64Run(text, 0, least); ok; at, end, ok = textscan.Base64Run(text, end, least) {
		for n := 0; n < 2 && end < len(text) && text[end] == '='; n++ {
			end++
		}
		begin, mediaType, isURI := dataURI(text[done:at])
		if !isURI && !textscan.LooksRandom(text[at:end]) {
			continue
		}
		content, ok := DecodeBase64(text[at:end])
		if !ok {
			continue
		}
		placeholder, err := replace(mediaType, content)
		if err != nil {
			return "", err
		}
		b.WriteString(text[done : done+begin])
		b.WriteString(placeholder)
		done = end
	}
	if done == 0 {
		return text, nil
	}
	b.WriteString(text[done:])
	return b.String(), nil
}

// dataURI finds the head of a data URI at the end of text, and returns its offset
// and its media type. Source: RFC 2397.
func dataURI(text string) (begin int, mediaType string, ok bool) {
	const scheme, mark, most = "data:", ";base64,", 256
	begin = strings.LastIndex(text[max(0, len(text)-most):], scheme)
	if begin < 0 || !strings.HasSuffix(text, mark) {
		return len(text), "", false
	}
	begin += max(0, len(text)-most)
	if begin+len(scheme) > len(text)-len(mark) {
		return len(text), "", false
	}
	parameters := text[begin+len(scheme) : len(text)-len(mark)]
	if strings.ContainsAny(parameters, " \t\r\n\",'()<>") {
		return len(text), "", false
	}
	mediaType, _, _ = strings.Cut(parameters, ";")
	return begin, mediaType, true
}

// DecodeBase64 decodes the standard and the URL alphabet, with or without padding
// and line ends. It reports false for text that is not canonical, because encoding
// the bytes again would not give it back. Source: RFC 4648, sections 3.5, 4 and 5.
func DecodeBase64(text string) ([]byte, bool) {
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(text, "-_") {
		encoding = base64.RawURLEncoding
	}
	bare := strings.TrimRight(text, "=\r\n")
	if padding := strings.Count(text[len(bare):], "="); padding > 0 {
		if n := len(bare) - strings.Count(bare, "\n") - strings.Count(bare, "\r"); (n+padding)%4 != 0 {
			return nil, false
		}
	}
	content, err := encoding.Strict().DecodeString(bare)
	return content, err == nil
}

// RewriteStrings returns valid JSON text with its long string values rewritten.
// Names of members stay, and everything that rewrite does not change keeps its
// bytes. The only errors are those of rewrite.
func RewriteStrings(text []byte, rewrite func(string) (string, error)) ([]byte, error) {
	var out []byte
	done := 0
	for at := 0; at < len(text); at++ {
		if text[at] != '"' {
			continue
		}
		from := at
		at = stringEnd(text, at) - 1
		if at-from < MinBase64 || isKey(text[at+1:]) {
			continue
		}
		value, err := unquote(text[from : at+1])
		if err != nil {
			return nil, err
		}
		rewritten, err := rewrite(value)
		if err != nil {
			return nil, err
		}
		if rewritten != value {
			out = append(append(out, text[done:from]...), quote(rewritten)...)
			done = at + 1
		}
	}
	if done == 0 {
		return text, nil
	}
	return append(out, text[done:]...), nil
}

// isKey reports whether the string before rest is the name of a member.
func isKey(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}
