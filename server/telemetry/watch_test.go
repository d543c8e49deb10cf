package telemetry

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolresult/toolresult/server"
)

// TestHealthIsScraped has a server that is well, one that has failed, and one that ends in order, which is no fault.
func TestHealthIsScraped(t *testing.T) {
	made := scraped(t)
	var fault error
	if err := made.Watch(func() server.State { return server.State{Artifacts: 7} }, func(context.Context) error { return fault }); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		fault error
		want  string
	}{{nil, "1"}, {errors.New("the store is gone"), "0"}, {nil, "1"}, {fmt.Errorf("it is idle: %w", server.ErrEnding), ""}} {
		fault = c.fault
		if got := samples(t, made); got["toolresult_healthy"] != c.want || got["toolresult_store_artifacts"] != "7" {
			t.Errorf("%v: healthy %q, want %q, of %q", c.fault, got["toolresult_healthy"], c.want, got)
		}
	}
}

// TestScrapesDoNotWaitForALock has a server that keeps a lock: it is not healthy, scrapes are answered all the same, and there is one
// goroutine that waits for it, until it goes on.
func TestScrapesDoNotWaitForALock(t *testing.T) {
	t.Parallel()
	made := scraped(t)
	lock, asked := make(chan struct{}), atomic.Int64{}
	if err := made.Watch(func() server.State { return server.State{Artifacts: 7} }, func(context.Context) error {
		asked.Add(1)
		<-lock
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := samples(t, made); got["toolresult_healthy"] != "0" || got["toolresult_store_artifacts"] != "" {
			t.Errorf("with the lock: %q", got)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("it was asked %d times", n)
	}
	close(lock)
	for got := samples(t, made); got["toolresult_healthy"] != "1" || got["toolresult_store_artifacts"] != "7"; {
		got = samples(t, made)
	}
}

// TestLooksShareAnAnswer looks at a server at the same time from several goroutines, as a scrape and an export do, and with a context
// that ends.
func TestLooksShareAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, lock := 0, make(chan struct{})
		w := &watch{ask: func() view {
			asked++
			<-lock
			return view{state: server.State{Artifacts: int64(asked)}}
		}}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, ok := w.look(ctx, time.Hour); ok {
			t.Error("there is an answer")
		}
		for range 3 {
			go func() {
				if now, ok := w.look(t.Context(), time.Minute); !ok || now.state.Artifacts != 1 {
					t.Errorf("%+v, %v", now, ok)
				}
			}()
		}
		synctest.Wait()
		close(lock)
		synctest.Wait()
		if now, ok := w.look(t.Context(), time.Minute); !ok || now.state.Artifacts != 2 {
			t.Errorf("the next look: %+v, %v", now, ok)
		}
	})
}
