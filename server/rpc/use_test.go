package rpc

import (
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

const (
	aCall  = "/toolresult.v1.ToolResultService/Project"
	aCheck = "/grpc.health.v1.Health/Check"
)

// TestUnusedServerEnds makes calls and checks at random times. The server ends after the time without calls, not before, and at
// most once as long later, however often its health is checked.
func TestUnusedServerEnds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		idle := time.Duration(rapid.Int64Range(int64(time.Second), int64(3*time.Hour)).Draw(rt, "idle"))
		steps := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 20).Draw(rt, "steps")
		waits := rapid.SliceOfN(rapid.Float64Range(0, 0.9), len(steps), len(steps)).Draw(rt, "waits")
		synctest.Test(t, func(t *testing.T) {
			c := &Interceptors{use: newUse()}
			stop, ended := make(chan struct{}), make(chan time.Time, 1)
			go func() {
				if c.UnusedFor(idle, stop) {
					ended <- time.Now()
				}
			}()
			last, checked, open := time.Now(), time.Now(), 0
			for i, step := range steps {
				switch step {
				case 0: // begins
					c.use.touch(aCall)
					c.use.count(aCall, +1)
					open, last = open+1, time.Now()
				case 1: // ends
					if open > 0 {
						c.use.count(aCall, -1)
						open, last = open-1, time.Now()
					}
				case 2: // a check
					c.use.touch(aCheck)
					c.use.count(aCheck, +1)
					c.use.count(aCheck, -1)
					checked = time.Now()
				}
				time.Sleep(time.Duration(waits[i] * float64(idle)))
				synctest.Wait()
				due := !time.Now().Before(endOf(idle, last, checked))
				if open == 0 && due != (len(ended) > 0) {
					t.Fatalf("after step %d: ended %d, due %v", i, len(ended), due)
				}
				if len(ended) > 0 {
					return
				}
			}
			if open > 0 {
				time.Sleep(100 * idle)
				synctest.Wait()
				if len(ended) > 0 {
					t.Fatal("ended with a call in flight")
				}
				for range open {
					c.use.count(aCall, -1)
				}
				last = time.Now()
			}
			if got, want := <-ended, endOf(idle, last, checked); !got.Equal(want) {
				t.Fatalf("ended at %v, want %v", got, want)
			}
		})
	})
}

// endOf is when a server ends that was used and checked last at these times.
func endOf(idle time.Duration, last, checked time.Time) time.Time {
	end := last.Add(idle)
	if grace := checked.Add(min(idle, time.Minute)); grace.After(end) {
		end = grace
	}
	if latest := last.Add(2 * idle); end.After(latest) {
		return latest
	}
	return end
}

// TestChecksKeepNoServerForEver checks the health every second.
func TestChecksKeepNoServerForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &Interceptors{use: newUse()}
		began, stop := time.Now(), make(chan struct{})
		go func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Second):
					c.use.touch(aCheck)
				}
			}
		}()
		if !c.UnusedFor(10*time.Minute, nil) || time.Since(began) != 20*time.Minute {
			t.Errorf("ended after %v", time.Since(began))
		}
		close(stop)
	})
}

// TestUseEndsWithItsServer stops the wait.
func TestUseEndsWithItsServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan struct{})
		time.AfterFunc(time.Minute, func() { close(stop) })
		if (&Interceptors{use: newUse()}).UnusedFor(time.Hour, stop) {
			t.Error("it was unused for an hour in a minute")
		}
	})
}
