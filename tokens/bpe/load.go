package bpe

import (
	_ "embed"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// The vocabularies, as integration/tokens/vocabularies makes them of what OpenAI
// publishes with tiktoken, under the MIT licence in LICENSE.tiktoken.
var (
	//go:embed o200k_base.zst
	o200kBase []byte
	//go:embed cl100k_base.zst
	cl100kBase []byte
)

var (
	o200kOnce  = sync.OnceValues(func() (*Vocabulary, error) { return newVocabulary(o200k, o200kBase, 199_998) })
	cl100kOnce = sync.OnceValues(func() (*Vocabulary, error) { return newVocabulary(cl100k, cl100kBase, 100_256) })
)

// O200k returns the vocabulary o200k_base, which the first call loads.
func O200k() (*Vocabulary, error) { return o200kOnce() }

// CL100k returns the vocabulary cl100k_base, which the first call loads.
func CL100k() (*Vocabulary, error) { return cl100kOnce() }

// errDamaged is returned for a packed vocabulary that does not hold what its lengths
// say. The embedded ones are whole, so it shows a broken build.
var errDamaged = errors.New("bpe: the vocabulary is damaged")

// newVocabulary reads a packed vocabulary of n tokens: a byte for the length
// of each in the order of their ranks; then their bytes, the shortest first, and
// those of one length in the order of their ranks.
func newVocabulary(p pattern, packed []byte, tokens int) (*Vocabulary, error) {
	unpacked, err := unpack(packed)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if len(unpacked) < tokens {
		return nil, errDamaged
	}
	t, err := readTable(unpacked[:tokens], unpacked[tokens:])
	if err != nil {
		return nil, err
	}
	return &Vocabulary{splitter: splitter{alphabet(), p}, table: t}, nil
}

// unpack decompresses a vocabulary.
func unpack(packed []byte) (string, error) {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return "", err
	}
	defer decoder.Close()
	unpacked, err := decoder.DecodeAll(packed, nil)
	return string(unpacked), err
}

// readTable puts every token into a table by its rank. The lengths have a byte for each
// token, and the bytes are those of all tokens.
func readTable(lengths, bytes string) (*table, error) {
	var count, next [256]int // of the tokens of each length, and where the next one is
	for i := range len(lengths) {
		count[lengths[i]]++
	}
	end, short, longest := 0, 0, 0
	for size, n := range count {
		next[size] = end
		end += size * n
		if size <= 8 {
			short += n
		}
		if n > 0 {
			longest = size
		}
	}
	if end != len(bytes) || count[0] > 0 {
		return nil, errDamaged
	}
	t := newTable(short, len(lengths)-short, longest)
	for rank := range lengths {
		size := int(lengths[rank])
		t.add(bytes[next[size]:next[size]+size], uint32(rank))
		next[size] += size
	}
	return t, nil
}
