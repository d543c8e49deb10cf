package journal

// The dictionary of a sealed file: text that its entries have in common, so that a block of a few of them is compressed nearly
// as well as all of them together. It makes records 40 % smaller (docs/reference/performance.md).

import (
	"bytes"

	"github.com/klauspost/compress/zstd"
)

const (
	// dictionaryShare is the size of the entries beside that of the dictionary.
	dictionaryShare = 64
	// minDictionary is the size below which there is no dictionary, and maxDictionary bounds it, in bytes. It is read before the first
	// entry, and is in the file twice.
	minDictionary = 4 << 10
	maxDictionary = 64 << 10
)

// makeDictionary returns a dictionary for entries of size bytes, or nil if there is none. It has lines from entries all over the
// file, each line once: a record has the same output up to three times.
func makeDictionary(entries []*Entry, size int) []byte {
	size = min(size/dictionaryShare, maxDictionary)
	if size < minDictionary || len(entries) < 2 {
		return nil
	}
	text, seen := make([]byte, 0, size), map[string]bool{}
	each := max(size/8, size/len(entries)) // so that no entry is all of it
	for _, e := range spread(entries, max(16, size>>12)) {
		for rest := e.Data[:min(len(e.Data), each)]; len(rest) > 0 && len(text) < size; {
			line := rest
			if i := bytes.IndexByte(rest, '\n'); i >= 0 {
				line = rest[:i+1]
			}
			if rest = rest[len(line):]; !seen[string(line)] {
				seen[string(line)] = true
				text = append(text, line...)
			}
		}
	}
	if text = text[:min(len(text), size)]; len(text) < minDictionary/2 {
		return nil
	}
	return text
}

// spread returns at most n of the entries, from all over them.
func spread(entries []*Entry, n int) (list []*Entry) {
	n = min(n, len(entries))
	for i := range n {
		list = append(list, entries[i*len(entries)/n])
	}
	return list
}

// packDictionary compresses a dictionary.
func packDictionary(d []byte) ([]byte, error) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(128<<10))
	if err != nil {
		return nil, err
	}
	return e.EncodeAll(d, nil), e.Close()
}

// unpackDictionary reverses packDictionary.
func unpackDictionary(packed []byte) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(1<<20))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(packed, nil)
}
