package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync"
)

// smallEvery is how many appends have one with a small artifact, and smallSize its size in bytes.
const (
	smallEvery = 8
	smallSize  = 64 << 10
)

// vocabulary is what logs of builds and tests are made of, so that records compress as those do.
var vocabulary = bytes.Fields([]byte(`=== RUN PASS FAIL ok error: warning: note: expected got in at line file undefined reference to symbol
github.com/example/service/internal/handler.go server_test.go main.rs src/lib.rs node_modules/react/index.js Compiling Downloaded Finished
goroutine running panic: runtime error: index out of range nil pointer dereference timeout connection refused 127.0.0.1 INFO WARN DEBUG
request id status duration bytes path method GET POST user session token cache hit miss retry after seconds elapsed total of tests passed`))

// text returns the bytes of a size that belong to a seed: lines of words and numbers. The first 8 bytes are the seed.
func text(seed uint64, size int) []byte {
	r := rand.New(rand.NewPCG(seed, uint64(size)))
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, size+64), seed)
	for n := 1; len(b) < size; n++ {
		switch {
		case n%12 == 0:
			b = append(b, '\n')
		case r.IntN(5) == 0:
			b = fmt.Appendf(b, "%d ", r.Uint32())
		default:
			b = append(append(b, vocabulary[r.IntN(len(vocabulary))]...), ' ')
		}
	}
	return b[:size]
}

// seedOf returns the seed of a text; false: it is not as it was made.
func seedOf(b []byte) (seed uint64, ok bool) {
	if len(b) < 8 {
		return 0, false
	}
	seed = binary.LittleEndian.Uint64(b)
	return seed, bytes.Equal(b, text(seed, len(b)))
}

// callers append records in parallel, in all n of a size, with seeds from first on, some with small artifacts, and call done with each seed after its append.
func callers(l Log, count, n, size int, first uint64, artifacts bool, done func(seed uint64)) error {
	seeds := make(chan uint64)
	failed := make(chan error, count)
	var wait sync.WaitGroup
	for range count {
		wait.Go(func() {
			for seed := range seeds {
				var small []byte
				if artifacts && seed%smallEvery == 0 {
					small = text(seed, smallSize)
				}
				if err := l.Append(text(seed, size), small); err != nil {
					failed <- err
					return
				}
				done(seed)
			}
		})
	}
	defer wait.Wait()
	defer close(seeds)
	for i := range n {
		select {
		case seeds <- first + uint64(i):
		case err := <-failed:
			return err
		}
	}
	return nil
}
