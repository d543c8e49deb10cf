package idle_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/idle"
)

// limit is the time that a wait may take. Time is that of synctest: it passes when all goroutines wait.
const limit = time.Minute

// TestClientThatMovesIsNotIdle has waits that take nearly as long as they may, one after the other: each has the whole time.
func TestClientThatMovesIsNotIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := idle.NewLimit(limit)
		began := time.Now()
		err := b.Run(func() error {
			for range 5 {
				if err := b.Wait(func() error { time.Sleep(limit - 1); return nil }); err != nil {
					return err
				}
				time.Sleep(10 * limit) // work of the server has no limit
			}
			return io.ErrUnexpectedEOF
		})
		if !errors.Is(err, io.ErrUnexpectedEOF) || time.Since(began) != 5*(11*limit-1) {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// TestErrorOfAClientIsReturned has a Recv that fails in time.
func TestErrorOfAClientIsReturned(t *testing.T) {
	t.Parallel()
	b := idle.NewLimit(limit)
	if err := b.Run(func() error { return b.Wait(func() error { return io.EOF }) }); !errors.Is(err, io.EOF) {
		t.Errorf("%v", err)
	}
	if err := idle.Send(limit, func() error { return io.ErrClosedPipe }); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("send: %v", err)
	}
	if err := idle.Send(limit, func() error { return nil }); err != nil {
		t.Errorf("send: %v", err)
	}
}

// TestIdleClientEndsTheCall has a wait that takes too long, the first one or a later one: Run returns at the limit, and the
// wait fails when it ends, so that the work touches nothing of a call that is over.
func TestIdleClientEndsTheCall(t *testing.T) {
	t.Parallel()
	for _, before := range []int{0, 1, 3} {
		synctest.Test(t, func(t *testing.T) {
			ended, late := make(chan struct{}), make(chan error, 1)
			b := idle.NewLimit(limit)
			began := time.Now()
			err := b.Run(func() error {
				for range before {
					if err := b.Wait(func() error { return nil }); err != nil {
						return err
					}
				}
				err := b.Wait(func() error { <-ended; return nil })
				late <- err
				return err
			})
			if !errors.Is(err, apierror.ErrIdle) || time.Since(began) != limit {
				t.Errorf("after %d waits: %v after %v", before, err, time.Since(began))
			}
			close(ended) // gRPC ends the Recv with the call
			if err := <-late; !errors.Is(err, apierror.ErrIdle) {
				t.Errorf("after %d waits: the late wait returned %v", before, err)
			}
		})
	}
}

// TestWaitHasAnotherTimeWithin has waits that are shortened: each part has its time, and none more than that of the limit.
func TestWaitHasAnotherTimeWithin(t *testing.T) {
	t.Parallel()
	for _, within := range []time.Duration{time.Second, limit, 9 * limit} {
		synctest.Test(t, func(t *testing.T) {
			b, ended := idle.NewLimit(limit), make(chan struct{})
			began := time.Now()
			err := b.Run(func() error {
				return b.Wait(func() error {
					for range 3 {
						if err := b.Within(within); err != nil {
							return err
						}
						time.Sleep(min(within, limit) - 1)
					}
					_ = b.Within(within)
					<-ended
					if err := b.Within(within); !errors.Is(err, apierror.ErrIdle) {
						t.Errorf("after the end: %v", err)
					}
					return nil
				})
			})
			if want := 4*min(within, limit) - 3; !errors.Is(err, apierror.ErrIdle) || time.Since(began) != want {
				t.Errorf("%v after %v, not %v", err, time.Since(began), want)
			}
			close(ended)
		})
	}
	if err := idle.NewLimit(limit).Within(limit); !errors.Is(err, apierror.ErrIdle) {
		t.Errorf("outside of a wait: %v", err)
	}
}

// TestPanicIsPassedOn has work that panics: Run panics in its own goroutine with the place of it, where recovery finds it.
func TestPanicIsPassedOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		work func() error
		want string
	}{
		"of the runtime": {func() error { var list []int; return errors.New(string(rune(list[len(list)]))) }, "runtime error: index out of range [0] with length 0\n"},
		"of a value":     {func() error { panic("s3cret") }, "a value of type string\n"},
	} {
		got := func() (p any) {
			defer func() { p = recover() }()
			err := idle.NewLimit(limit).Run(c.work)
			return err
		}()
		text, ok := got.(idle.Panic)
		if !ok || !strings.HasPrefix(string(text), c.want) || strings.Contains(string(text), "s3cret") || !strings.Contains(string(text), "TestPanicIsPassedOn") {
			t.Errorf("%s: %v", name, got)
		}
		if again := idle.DescribePanic(text); again != string(text) {
			t.Errorf("%s: passed on it is %q", name, again)
		}
	}
}
