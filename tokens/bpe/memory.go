package bpe

// A memory is the state of one count, 230 KB: the tokens of pieces, so that
// those that come again are neither looked up nor merged. A piece that has the place
// of another takes it.
type memory struct {
	short  [1 << shortBits]shortPiece
	long   [1 << longBits]longPiece
	merger merger
}

const (
	shortBits = 13
	longBits  = 8
	longBytes = 126 // more than the longest rule of most terminals
)

// A shortPiece has up to 16 bytes, as two numbers. The last of them is not zero, since
// that piece would equal a shorter one.
type shortPiece struct {
	low, high uint64
	tokens    int
}

// A longPiece that comes again is a rule, a progress bar or indentation.
type longPiece struct {
	tokens, size uint8
	text         [longBytes]byte
}

func (m *memory) shortPiece(low, high uint64) *shortPiece {
	return &m.short[((low^high*factor)*factor)>>(64-shortBits)]
}

func (m *memory) longPiece(hash uint64) *longPiece { return &m.long[hash>>(64-longBits)] }
