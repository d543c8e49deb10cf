package groupcommit_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/toolresult/toolresult/internal/groupcommit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What waits is one batch, up to the largest size.
func TestWaitingOperationsShareABatch(t *testing.T) {
	synctest.Test(t, testWaitingOperationsShareABatch)
}

func testWaitingOperationsShareABatch(t *testing.T) {
	var batches [][]int
	began, goOn := make(chan struct{}), make(chan struct{})
	w := groupcommit.Start(groupcommit.Options[int]{
		Commit: func(batch []int) {
			if batches = append(batches, batch); len(batches) == 1 {
				close(began)
				<-goOn
			}
		},
		MaxBatch: 4,
	})
	if err := w.Submit(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	<-began
	var callers sync.WaitGroup
	for _, o := range []int{1, 2, 3, 4, 5, 6, 7} {
		callers.Go(func() {
			if err := w.Submit(context.Background(), o); err != nil {
				t.Error(err)
			}
		})
	}
	synctest.Wait()
	close(goOn)
	callers.Wait()
	w.Close()
	done := 0
	for _, b := range batches {
		done += len(b)
		if len(b) > 4 {
			t.Errorf("batch %v", b)
		}
	}
	if done != 8 || len(batches) > 5 || len(batches[0]) != 1 {
		t.Errorf("%v", batches)
	}
}

// Close returns once everything that was taken is committed. What was not taken is not run.
func TestCloseCommitsWhatWasTaken(t *testing.T) {
	var done, taken atomic.Int64
	enough := make(chan struct{})
	w := groupcommit.Start(groupcommit.Options[int]{
		Commit: func(batch []int) {
			before := done.Load()
			if after := done.Add(int64(len(batch))); before < 100 && after >= 100 {
				close(enough)
			}
		},
		MaxBatch: 3,
	})
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for {
				err := w.Submit(context.Background(), 1)
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
	<-enough
	w.Close()
	w.Close()
	callers.Wait()
	if done.Load() != taken.Load() {
		t.Errorf("%d taken, %d done", taken.Load(), done.Load())
	}
}

// ctx bounds the wait until an operation is taken.
func TestSubmitEndsWithItsContext(t *testing.T) {
	synctest.Test(t, testSubmitEndsWithItsContext)
}

func testSubmitEndsWithItsContext(t *testing.T) {
	began, goOn := make(chan struct{}), make(chan struct{})
	w := groupcommit.Start(groupcommit.Options[int]{Commit: func([]int) { began <- struct{}{}; <-goOn }, MaxBatch: 3})
	if err := w.Submit(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	<-began
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := w.Submit(ctx, 2); !errors.Is(err, context.DeadlineExceeded) || w.Waiting() != 0 {
		t.Errorf("%v, %d wait", err, w.Waiting())
	}
	close(goOn)
	w.Close()
}
