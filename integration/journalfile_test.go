package integration_test

import (
	"database/sql"
	le "encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"
)

// segmentFile is the first segment of a store's journal, read by internal/journal/format.md.
type segmentFile struct {
	path    string
	content []byte
	key     []byte
	records map[uint64]int // where the frames of audit records are, by their numbers
}

const (
	frameHead   = 112
	frameMagic  = 0x4a525401
	segmentPage = 4096
	segmentText = "toolresult journal segment\n"
)

var crc32c = crc32.MakeTable(crc32.Castagnoli)

// readSegment reads the first segment of a store that no sidecar has.
func readSegment(t *testing.T, store string) *segmentFile {
	t.Helper()
	s := &segmentFile{path: filepath.Join(store, "journal", "segments", "0000000001.segment"), records: map[uint64]int{}}
	s.content = readFile(t, s.path)
	s.key = s.content[len(segmentText)+8:][:16]
	for at := segmentPage; le.LittleEndian.Uint32(s.content[at:]) == frameMagic; {
		if s.content[at+24] == 1 {
			s.records[le.LittleEndian.Uint64(s.content[at+32:])] = at
		}
		at += (frameHead + s.length(at) + 7) &^ 7
	}
	return s
}

// length returns the length of the data of a frame.
func (s *segmentFile) length(at int) int {
	return int(le.LittleEndian.Uint32(s.content[at+4:]))
}

// data returns the data of a record.
func (s *segmentFile) data(number uint64) []byte {
	at := s.records[number]
	return s.content[at+frameHead:][:s.length(at)]
}

// remove overwrites the frame of a record with zeros.
func (s *segmentFile) remove(number uint64) {
	at := s.records[number]
	clear(s.content[at:][:(frameHead+s.length(at)+7)&^7])
}

// seal sets the checksums of a record's frame, as somebody does who knows the format.
func (s *segmentFile) seal(number uint64) {
	at := s.records[number]
	le.LittleEndian.PutUint32(s.content[at+8:], crc32.Checksum(s.data(number), crc32c))
	le.LittleEndian.PutUint32(s.content[at+28:], 0)
	sum := crc32.Update(crc32.Checksum(s.key, crc32c), crc32c, s.content[at:][:frameHead])
	le.LittleEndian.PutUint32(s.content[at+28:], sum)
}

// write writes the segment back.
func (s *segmentFile) write(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(s.path, s.content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// alterIndex runs a statement in an index of a store that no sidecar has.
func alterIndex(t *testing.T, store, name, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(store, name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
