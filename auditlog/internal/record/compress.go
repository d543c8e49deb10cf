package record

// Compression of payloads. Which of them are compressed is up to the program that appends; how they are read is not, so a
// stored payload says by itself which it is.

import (
	"bytes"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// minCompressed is the size from which payloads are compressed, in bytes. Below it zstd saves next to nothing.
const minCompressed = 512

// zstdMagic begins every zstd frame (RFC 8878, section 3.1.1), and no payload that is not compressed: its first byte would
// be the tag of field 5, which payloads do not have.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// codecs returns the encoder and the decoder of zstd, which are made when they are first needed. Safe for concurrent use.
var codecs = sync.OnceValues(func() (*zstd.Encoder, *zstd.Decoder) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(4), zstd.WithWindowSize(1<<20))
	if err != nil {
		panic(err) // the options are constants
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(4), zstd.WithDecoderMaxMemory(maxRecord))
	if err != nil {
		panic(err)
	}
	return e, d
})

// Compress returns a payload compressed if that makes it smaller, and nil if it is empty.
func Compress(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	if len(b) < minCompressed {
		return b
	}
	e, _ := codecs()
	if compressed := e.EncodeAll(b, nil); len(compressed) < len(b) {
		return compressed
	}
	return b
}

// decompress reverses Compress. It fails for more than maxRecord bytes.
func decompress(b []byte) ([]byte, error) {
	if !bytes.HasPrefix(b, zstdMagic) {
		return b, nil
	}
	_, d := codecs()
	return d.DecodeAll(b, nil)
}
