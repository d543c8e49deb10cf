package bpe_test

import (
	"regexp"
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/toolresult/toolresult/tokens/bpe"
)

// A subject is a vocabulary and what it must agree with: the patterns as they
// are published, and the simplest merging there is.
type subject struct {
	*bpe.Vocabulary
	name    string
	packed  []byte
	tokens  int
	digest  string // SHA-256 of the published file
	pattern *regexp.Regexp
}

// space is \s as tiktoken has it; in regexp it is ASCII alone.
const space = `\t-\r\x{85}\p{Z}`

// The patterns of tiktoken but for \s+(?!\S), which regexp cannot say: split has
// it. Both of them match leftmost-first.
const (
	contractions = `(?i:'s|'t|'re|'ve|'m|'ll|'d)`
	cl100kWords  = contractions + `|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^` + space + `\p{L}\p{N}]+[\r\n]*`
	o200kWords   = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+` + contractions + `?` +
		`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*` + contractions + `?` +
		`|\p{N}{1,3}| ?[^` + space + `\p{L}\p{N}]+[\r\n/]*`
	blankRuns = `|[` + space + `]*[\r\n]+|[` + space + `]+`
)

func subjects(tb testing.TB) []subject {
	tb.Helper()
	o200k, err := bpe.O200k()
	if err != nil {
		tb.Fatal(err)
	}
	cl100k, err := bpe.CL100k()
	if err != nil {
		tb.Fatal(err)
	}
	return []subject{
		{
			o200k, "o200k", bpe.PackedO200k, 199_998,
			"446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
			regexp.MustCompile(`^(?:` + o200kWords + blankRuns + `)`),
		},
		{
			cl100k, "cl100k", bpe.PackedCL100k, 100_256,
			"223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
			regexp.MustCompile(`^(?:` + cl100kWords + blankRuns + `)`),
		},
	}
}

// split returns where each piece ends.
func (s *subject) split(text string) (ends []int) {
	for at := 0; at < len(text); {
		at += s.first(text[at:])
		ends = append(ends, at)
	}
	return ends
}

// first is the length of the first piece.
func (s *subject) first(text string) int {
	match := s.pattern.FindString(text)
	last, n := utf8.DecodeLastRuneInString(match)
	first, _ := utf8.DecodeRuneInString(match)
	isBlank := unicode.IsSpace(first) && unicode.IsSpace(last) && last != '\n' && last != '\r'
	if isBlank && len(match) > n && len(match) < len(text) { // \s+(?!\S) before \s+
		return len(match) - n
	}
	return len(match)
}

// merge returns the lengths of the tokens of a piece.
func (s *subject) merge(piece string) []int {
	if _, ok := s.Rank(piece); ok {
		return []int{len(piece)}
	}
	parts := make([]string, len(piece))
	for i := range parts {
		parts[i] = piece[i : i+1]
	}
	for {
		best, bestRank := -1, 0
		for i := range len(parts) - 1 {
			if rank, ok := s.Rank(parts[i] + parts[i+1]); ok && (best < 0 || rank < bestRank) {
				best, bestRank = i, rank
			}
		}
		if best < 0 {
			break
		}
		parts[best] += parts[best+1]
		parts = slices.Delete(parts, best+1, best+2)
	}
	lengths := make([]int, len(parts))
	for i, part := range parts {
		lengths[i] = len(part)
	}
	return lengths
}

// cut returns the lengths of the tokens of a text.
func (s *subject) cut(text string) (lengths []int) {
	at := 0
	for _, end := range s.split(text) {
		lengths = append(lengths, s.merge(text[at:end])...)
		at = end
	}
	return lengths
}
