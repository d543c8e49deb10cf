package groupcommit_test

import (
	"context"
	"fmt"

	"github.com/toolresult/toolresult/internal/groupcommit"
)

// A caller submits an operation and waits for its own answer.
func Example() {
	type write struct {
		line string
		done chan error
	}
	var log []string
	w := groupcommit.Start(groupcommit.Options[write]{
		MaxBatch: 100,
		Commit: func(batch []write) {
			for _, op := range batch {
				log = append(log, op.line)
			}
			// One sync for all of them belongs here.
			for _, op := range batch {
				op.done <- nil
			}
		},
	})
	op := write{"hello", make(chan error, 1)}
	if err := w.Submit(context.Background(), op); err != nil {
		fmt.Println(err)
	}
	fmt.Println(<-op.done)
	w.Close()
	fmt.Println(log)
	// Output:
	// <nil>
	// [hello]
}
