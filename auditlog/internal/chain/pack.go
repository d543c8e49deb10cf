package chain

import (
	"bytes"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// packFrom is how many bytes a payload must have to be compressed.
const packFrom = 512

// zstdMagic begins a compressed payload. No message of a payload begins like it: its first byte would be field 5.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// codecs make and read zstd. They are made once, when first needed, and are never changed.
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

// pack compresses a payload if that makes it smaller; of an empty one it makes nil.
func pack(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	if len(b) < packFrom {
		return b
	}
	e, _ := codecs()
	if packed := e.EncodeAll(b, nil); len(packed) < len(b) {
		return packed
	}
	return b
}

func unpack(b []byte) ([]byte, error) {
	if !bytes.HasPrefix(b, zstdMagic) {
		return b, nil
	}
	_, d := codecs()
	return d.DecodeAll(b, nil)
}
