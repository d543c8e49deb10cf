package content_test

import (
	"bytes"
	"encoding/hex"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/zeebo/blake3"

	"github.com/toolresult/toolresult/artifactstore/internal/content"
)

// The digest of the empty string is a test vector of BLAKE3.
const emptyHex = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"

func TestIDIsDigestAndSize(t *testing.T) {
	if id := content.Sum(nil); id.Hex() != emptyHex || id.String() != "blake3:"+emptyHex || id.Size != 0 {
		t.Errorf("%s, %s, %d bytes", id.Hex(), id, id.Size)
	}
	payload := []byte("some bytes")
	hash := blake3.New()
	for _, b := range payload {
		_, _ = hash.Write([]byte{b}) // a hash never fails
	}
	if a, b := content.Sum(payload), content.FromHash(hash, int64(len(payload))); a != b {
		t.Errorf("%v at once, %v byte by byte", a, b)
	}
	if content.Sum(payload) == content.Sum(payload[1:]) {
		t.Error("other bytes have the same ID")
	}
}

// The names of a payload are beginnings of its digest, each longer than the one before, up to the whole digest.
func TestNamesGrowToTheWholeDigest(t *testing.T) {
	id := content.Sum(nil)
	for _, c := range []struct {
		least int
		want  []int
	}{
		{content.MinDigits, []int{8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64}},
		{60, []int{60, 64}},
		{61, []int{61, 64}},
		{content.MaxDigits, []int{64}},
	} {
		names := id.Names(c.least)
		for range 2 { // the sequence can be ranged over again
			var lengths []int
			for name := range names {
				if !strings.HasPrefix(emptyHex, name) {
					t.Errorf("%s is not a beginning of the digest", name)
				}
				lengths = append(lengths, len(name))
			}
			if !slices.Equal(lengths, c.want) {
				t.Errorf("from %d digits: %v, want %v", c.least, lengths, c.want)
			}
		}
	}
	for name := range id.Names(content.MinDigits) {
		if len(name) != content.MinDigits {
			t.Errorf("the first name is %s", name)
		}
		break
	}
}

func TestBytesReadFromTheBeginningEachTime(t *testing.T) {
	b := content.Bytes("payload")
	for range 2 {
		r, err := b.Open()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, b) || int64(len(got)) != b.Size() || r.Close() != nil {
			t.Errorf("%q, %v, of %d bytes", got, err, b.Size())
		}
		if s, ok := r.(io.ReadSeeker); !ok {
			t.Error("a reader in memory does not seek")
		} else if at, err := s.Seek(0, io.SeekEnd); at != b.Size() || err != nil {
			t.Errorf("%d, %v", at, err)
		}
	}
	if _, err := hex.DecodeString(content.Sum(b).Hex()); err != nil {
		t.Error(err)
	}
}
