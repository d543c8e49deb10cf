package blockindex_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore/internal/blockindex"
	"github.com/toolresult/toolresult/artifactstore/internal/content"
)

const block = blockindex.BlockSize

// payloads have sizes and lines around the borders of blocks.
func payloads() map[string][]byte {
	var log bytes.Buffer
	for i := 0; log.Len() < 3*block; i++ {
		fmt.Fprintln(&log, "line", i)
	}
	return map[string][]byte{
		"empty": nil, "one byte": []byte("x"), "one line": []byte("x\n"), "newlines": bytes.Repeat([]byte("\n"), block+1),
		"a block": append(bytes.Repeat([]byte("x"), block-1), '\n'), "a block and a byte": append(bytes.Repeat([]byte("x"), block), '\n'),
		"log": log.Bytes(), "open end": append(bytes.Clone(log.Bytes()), "more"...),
	}
}

// verify compares an index with the payload itself.
func verify(t *testing.T, name string, i *blockindex.Index, p []byte) {
	t.Helper()
	lines := int64(bytes.Count(p, []byte("\n")))
	if len(p) > 0 && p[len(p)-1] != '\n' {
		lines++
	}
	if i.Lines() != lines || i.Blocks() != blockindex.Count(int64(len(p))) || i.Content.Size != int64(len(p)) || i.OpenEnd != (len(p) > 0 && p[len(p)-1] != '\n') {
		t.Fatalf("%s: %d lines in %d blocks, %d bytes, open %v; want %d lines, %d bytes", name, i.Lines(), i.Blocks(), i.Content.Size, i.OpenEnd, lines, len(p))
	}
	ends := uint64(0)
	for b := range i.Blocks() {
		part := p[b*block : min(len(p), (b+1)*block)]
		before := ends
		ends += uint64(bytes.Count(part, []byte("\n")))
		if i.Sum(b) != crc32.ChecksumIEEE(part) || i.End(b) != ends {
			t.Fatalf("%s: block %d: sum %x, %d ends, want %x and %d", name, b, i.Sum(b), i.End(b), crc32.ChecksumIEEE(part), ends)
		}
		for _, n := range []uint64{before + 1, ends} {
			if ends == before {
				continue
			}
			if at, skipped := i.FindEnd(n); at != b || skipped != before {
				t.Fatalf("%s: line %d ends in block %d after %d lines, want %d and %d", name, n, at, skipped, b, before)
			}
		}
	}
}

func TestIndexAgreesWithPayload(t *testing.T) {
	for name, p := range payloads() {
		id := content.Sum(p)
		i := blockindex.Build(p, id)
		verify(t, name, i, p)
		decoded, err := blockindex.Decode(i.Encode())
		if err != nil || decoded.Content != id {
			t.Fatalf("%s: %v", name, err)
		}
		verify(t, name+", decoded", decoded, p)
	}
}

// However a payload is split, the index is the same. A snapshot is the index of what was there, whatever comes later.
func TestSnapshotDoesNotChange(t *testing.T) {
	p := payloads()["open end"]
	rapid.Check(t, func(r *rapid.T) {
		var b blockindex.Builder
		type taken struct {
			index    *blockindex.Index
			size     int
			checksum uint32
		}
		var snapshots []taken
		for at := 0; at < len(p); {
			n := min(len(p)-at, rapid.SampledFrom([]int{0, 1, 100, block - 1, block, block + 1}).Draw(r, "bytes")+rapid.IntRange(1, 9).Draw(r, "more"))
			if got := b.Add(p[at : at+n]); got != bytes.Count(p[at:at+n], []byte("\n")) {
				r.Fatalf("%d newlines", got)
			}
			at += n
			snapshots = append(snapshots, taken{b.Snapshot(), at, b.Checksum()})
		}
		for _, s := range snapshots {
			verify(t, "snapshot", s.index, p[:s.size])
			var again blockindex.Builder
			if n, err := again.Write(p[:s.size]); n != s.size || err != nil || again.Checksum() != s.checksum || again.Size() != int64(s.size) {
				r.Fatalf("%d bytes: %d, %v; checksum %x, want %x", s.size, n, err, again.Checksum(), s.checksum)
			}
		}
		verify(t, "all", b.Finish(content.Sum(p)), p)
	})
}

// No changed byte, no missing end and no other text is taken for an index.
func TestDecodeRejectsDamage(t *testing.T) {
	good := blockindex.Build(payloads()["log"], content.Sum(payloads()["log"])).Encode()
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 0x10
		if _, err := blockindex.Decode(bad); !errors.Is(err, blockindex.ErrInvalid) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
		if _, err := blockindex.Decode(good[:i]); !errors.Is(err, blockindex.ErrInvalid) {
			t.Fatalf("cut to %d bytes: %v", i, err)
		}
	}
	if _, err := blockindex.Decode(append(bytes.Clone(good), 0)); !errors.Is(err, blockindex.ErrInvalid) {
		t.Errorf("one byte more: %v", err)
	}
}

// Claims that do not fit the entries are rejected even if the checksum is right.
func TestDecodeRejectsFalseClaims(t *testing.T) {
	good := blockindex.Build(payloads()["log"], content.Sum(payloads()["log"])).Encode()
	const size = len("toolresult-index 1\n") + content.DigestSize
	for name, change := range map[string]func(b []byte) []byte{
		"negative size":     func(b []byte) []byte { binary.LittleEndian.PutUint64(b[size:], 1<<63); return b },
		"other size":        func(b []byte) []byte { binary.LittleEndian.PutUint64(b[size:], 1); return b },
		"other count":       func(b []byte) []byte { binary.LittleEndian.PutUint32(b[size+9:], 1); return b },
		"an entry too few":  func(b []byte) []byte { return b[:len(b)-12] },
		"an entry too many": func(b []byte) []byte { return append(b, make([]byte, 12)...) },
	} {
		body := change(bytes.Clone(good[:len(good)-4]))
		if _, err := blockindex.Decode(binary.LittleEndian.AppendUint32(body, crc32.ChecksumIEEE(body))); !errors.Is(err, blockindex.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzDecode decodes any bytes. What it accepts, it encodes as the same bytes again.
func FuzzDecode(f *testing.F) {
	for _, p := range payloads() {
		f.Add(blockindex.Build(p, content.Sum(p)).Encode())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		i, err := blockindex.Decode(b)
		if err != nil {
			return
		}
		if again := i.Encode(); !bytes.Equal(again, b) && b[len("toolresult-index 1\n")+content.DigestSize+8] <= 1 {
			t.Errorf("%d bytes are encoded as %d others", len(b), len(again))
		}
	})
}

// TestChecksumCoversEveryBlock: it is the CRC-32 of the little-endian CRC-32s of all blocks, the last one as it is. Logs on
// disk have it, so it never changes.
func TestChecksumCoversEveryBlock(t *testing.T) {
	for name, p := range payloads() {
		var x blockindex.Builder
		x.Add(p)
		var sums []byte
		for rest := p; len(rest) > 0; {
			n := min(len(rest), block)
			sums = binary.LittleEndian.AppendUint32(sums, crc32.ChecksumIEEE(rest[:n]))
			rest = rest[n:]
		}
		if got, want := x.Checksum(), crc32.ChecksumIEEE(sums); got != want {
			t.Errorf("%s: %x, want %x", name, got, want)
		}
	}
}
