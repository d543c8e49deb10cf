package groupcommit_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/toolresult/toolresult/internal/groupcommit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Orders that wait are one batch, up to the most that one has and to one that must be last.
func TestBatches(t *testing.T) {
	var batches [][]int
	began, goOn := make(chan struct{}), make(chan struct{})
	c := groupcommit.Start(groupcommit.Rules[int]{
		Do: func(batch []int) {
			if batches = append(batches, batch); len(batches) == 1 {
				close(began)
				<-goOn
			}
		},
		Most: 4,
		Last: func(o int) bool { return o < 0 },
	})
	if err := c.Give(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	<-began
	var callers sync.WaitGroup
	for _, o := range []int{1, 2, 3, 4, 5, 6, -1} {
		callers.Go(func() {
			if err := c.Give(context.Background(), o); err != nil {
				t.Error(err)
			}
		})
	}
	for c.Waiting() < 7 {
		time.Sleep(time.Millisecond)
	}
	close(goOn)
	callers.Wait()
	c.Close()
	done := 0
	for _, b := range batches {
		done += len(b)
		for i, o := range b {
			if len(b) > 4 || o < 0 && i < len(b)-1 {
				t.Errorf("batch %v", b)
			}
		}
	}
	if done != 8 || len(batches) > 5 || len(batches[0]) != 1 {
		t.Errorf("%v", batches)
	}
}

// Every order that was taken is done before Close returns, and none that was not.
func TestClose(t *testing.T) {
	var done, taken atomic.Int64
	c := groupcommit.Start(groupcommit.Rules[int]{Do: func(batch []int) { done.Add(int64(len(batch))) }, Most: 3})
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for {
				err := c.Give(context.Background(), 1)
				if errors.Is(err, groupcommit.ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				taken.Add(1)
			}
		})
	}
	for done.Load() < 100 {
		time.Sleep(time.Millisecond)
	}
	c.Close()
	c.Close()
	callers.Wait()
	if done.Load() != taken.Load() {
		t.Errorf("%d taken, %d done", taken.Load(), done.Load())
	}
}

// ctx bounds the wait until an order is taken.
func TestGiveUp(t *testing.T) {
	began, goOn := make(chan struct{}), make(chan struct{})
	c := groupcommit.Start(groupcommit.Rules[int]{Do: func([]int) { began <- struct{}{}; <-goOn }, Most: 3})
	if err := c.Give(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	<-began
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := c.Give(ctx, 2); !errors.Is(err, context.DeadlineExceeded) || c.Waiting() != 0 {
		t.Errorf("%v, %d wait", err, c.Waiting())
	}
	close(goOn)
	c.Close()
}
