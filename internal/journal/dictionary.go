package journal

// The dictionary of a sealed file: what its entries have in common, so that a block of a few of them is compressed nearly as well as all
// of them together.

import (
	"bytes"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

const (
	// dictionaryID is the number of the dictionary in the frames of blocks. RFC 8878 leaves those from 32768 on to everybody.
	dictionaryID = 1 << 15
	// dictionaryShare is how many times the bytes of the entries are those of the dictionary, in which a text is once.
	dictionaryShare = 64
	// minDictionary is the size below which there is no dictionary, and maxDictionary bounds it, in bytes. It is read before the first
	// entry, and is in the file twice.
	minDictionary = 4 << 10
	maxDictionary = 64 << 10
	// trainedEntries is the number of entries of which the statistics are made, and trainedBytes bounds what is taken of each.
	trainedEntries = 64
	trainedBytes   = 32 << 10
)

// makeDictionary returns a dictionary for entries of size bytes; nil: none. Its text is of lines that entries all over the file
// have, each line once: a record has the same output up to three times.
func makeDictionary(entries []*Entry, size int) []byte {
	size = min(size/dictionaryShare, maxDictionary)
	if size < minDictionary || len(entries) < 2 {
		return nil
	}
	text, seen := make([]byte, 0, size), map[string]bool{}
	each := max(size/16, size/len(entries)) // so that no entry is all of it
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
	var contents [][]byte
	for _, e := range spread(entries, trainedEntries) {
		contents = append(contents, appendEntry(nil, e)[:min(entryHead+len(e.Data), trainedBytes)])
	}
	d, err := buildDictionary(zstd.BuildDictOptions{ID: dictionaryID, Contents: contents, History: text, Offsets: [3]int{1, 4, 8}, Level: sealLevel, CompatV155: true})
	if err != nil {
		return nil // of what cannot be compressed no statistics are made
	}
	return d
}

// buildDictionary calls zstd.BuildDict, which panics for some inputs.
func buildDictionary(o zstd.BuildDictOptions) (d []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("build a dictionary: %v", r)
		}
	}()
	return zstd.BuildDict(o)
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
