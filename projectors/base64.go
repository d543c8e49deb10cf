package projectors

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
)

// leastBase64 is how many characters of base64 are taken out of text. Fewer cost
// less than a reference does.
const leastBase64 = 1024

// liftBase64 replaces every run of at least leastBase64 characters of base64, and
// the data URI around it, by what replace makes of its bytes.
func liftBase64(text string, replace func(mediaType string, content []byte) (string, error)) (string, error) {
	var b strings.Builder
	done := 0
	for at := 0; len(text)-at >= leastBase64; {
		end := at
		for end < len(text) && isBase64(text[end]) {
			end++
		}
		if end-at < leastBase64 {
			at = end + 1
			continue
		}
		for n := 0; n < 2 && end < len(text) && text[end] == '='; n++ {
			end++
		}
		begin, mediaType, isURI := dataURI(text[done:at])
		if !isURI && !looksRandom(text[at:end]) {
			at = end
			continue
		}
		content, ok := decodeBase64(text[at:end])
		if !ok {
			at = end
			continue
		}
		placeholder, err := replace(mediaType, content)
		if err != nil {
			return "", err
		}
		b.WriteString(text[done : done+begin])
		b.WriteString(placeholder)
		done, at = end, end
	}
	if done == 0 {
		return text, nil
	}
	b.WriteString(text[done:])
	return b.String(), nil
}

func isBase64(c byte) bool {
	return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_'
}

// looksRandom tells base64 of real bytes from rules, hexadecimal digits, genes
// and other runs of few kinds of characters.
func looksRandom(run string) bool {
	var upper, lower, digit bool
	for i := range len(run) {
		c := run[i]
		upper = upper || c >= 'G' && c <= 'Z'
		lower = lower || c >= 'g' && c <= 'z'
		digit = digit || c >= '0' && c <= '9'
	}
	return upper && lower && digit
}

// dataURI returns where the beginning of a data URI that text ends with begins,
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

// decodeBase64 decodes either alphabet, with or without padding and line ends,
// where the same bytes have no other form.
func decodeBase64(text string) ([]byte, bool) {
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

// rewriteStrings returns valid JSON text with its long string values rewritten.
// Whatever is not changed stays as it is written.
func rewriteStrings(text []byte, rewrite func(string) (string, error)) ([]byte, error) {
	var out []byte
	done := 0
	for at := 0; at < len(text); at++ {
		if text[at] != '"' {
			continue
		}
		from := at
		for at++; text[at] != '"'; at++ {
			if text[at] == '\\' {
				at++
			}
		}
		if at-from < leastBase64 || isKey(text[at+1:]) {
			continue
		}
		var value string
		if err := json.Unmarshal(text[from:at+1], &value); err != nil {
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

// isKey reports whether a string that ends before rest is the name of a member.
func isKey(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}

// quote writes a JSON string without the escapes that only HTML needs.
func quote(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string cannot fail
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
