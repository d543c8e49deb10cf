package artifactstoretest_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/integration/artifactstoretest"
)

// traced is a store of somebody else: here one in memory that counts what is put.
type traced struct {
	*memory.Store
	puts atomic.Int64 // callers put at the same time
}

func (s *traced) Put(ctx context.Context, b artifactstore.Blob) (artifactstore.Ref, error) {
	s.puts.Add(1)
	ref, err := s.Store.Put(ctx, b)
	if err != nil {
		return ref, errors.Join(errors.New("traced store"), err) // the suite finds the cause in the chain
	}
	return ref, nil
}

// The tests of a store run both suites: `go test` runs these as TestContract(t) and TestContractOfLogs(t).
func ExampleRun() {
	TestContract := func(t *testing.T) {
		artifactstoretest.Run(t, func(*testing.T) artifactstore.Store { return &traced{Store: memory.New()} })
	}
	TestContractOfLogs := func(t *testing.T) {
		artifactstoretest.RunLogs(t, false, func(*testing.T) artifactstoretest.LogStore { return &traced{Store: memory.New()} })
	}
	_, _ = TestContract, TestContractOfLogs

	s := &traced{Store: memory.New()}
	ref, err := s.Put(context.Background(), artifactstore.BytesBlob([]byte("hello\n")))
	fmt.Println(ref.Path, s.puts.Load(), err)
	// Output: memory/8e4c7c1b 1 <nil>
}
