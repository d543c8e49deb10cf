package admission_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/admission"
	"github.com/toolresult/toolresult/server/apierror"
)

const limit = 64 << 20

// mustReserve reserves the memory of a call.
func mustReserve(t *testing.T, m *admission.Memory, size int64) func() {
	t.Helper()
	release, err := m.Call(t.Context(), admission.Weight{Bytes: size})
	if err != nil {
		t.Fatalf("%d bytes: %v", size, err)
	}
	return release
}

// Whatever calls come and go, their memory is never more than the bounds of the lanes together, all of them are served, and
// nothing stays reserved.
func TestMemoryIsBoundedAndAllAreServed(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		sizes := rapid.SliceOfN(rapid.Int64Range(0, 5<<20), 1, 60).Draw(r, "sizes")
		kinds := rapid.SliceOfN(rapid.IntRange(0, 3), len(sizes), len(sizes)).Draw(r, "kinds")
		pauses := rapid.SliceOfN(rapid.IntRange(0, 5), len(sizes), len(sizes)).Draw(r, "pauses")
		synctest.Test(t, func(t *testing.T) {
			m := admission.NewMemory(limit)
			var served atomic.Int64
			for i, size := range sizes {
				go func() {
					ctx := context.Background()
					reserve := map[int]func() (func(), error){
						0: func() (func(), error) { return m.Call(ctx, admission.Weight{Bytes: size}) },
						1: func() (func(), error) { return m.Message(ctx, size) },
						2: func() (func(), error) { return m.Whole(ctx, size, admission.Weight{}) },
						3: func() (func(), error) { return m.Answer(ctx, size) },
					}[kinds[i]]
					release, err := reserve()
					if err != nil {
						t.Errorf("%d bytes: %v", size, err)
						return
					}
					if now := m.Reserved(); now > limit+limit/2 {
						t.Errorf("%d bytes are reserved", now)
					}
					time.Sleep(time.Duration(pauses[i]) * time.Millisecond)
					release()
					release() // more than once
					served.Add(1)
				}()
			}
			time.Sleep(time.Minute)
			if served.Load() != int64(len(sizes)) || m.Reserved() != 0 {
				t.Errorf("%d of %d calls were served, and %d bytes stay reserved", served.Load(), len(sizes), m.Reserved())
			}
		})
	})
}

// One that waits for much is not overtaken by those that come later, and those with little do not wait for it.
func TestFirstIsServedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := admission.NewMemory(limit)
		first := mustReserve(t, m, 5<<20)
		var order []string
		wait := func(name string, size int64) {
			go func() {
				release := mustReserve(t, m, size)
				order = append(order, name)
				time.Sleep(time.Second)
				release()
			}()
			synctest.Wait()
		}
		wait("all of it", limit)
		wait("a third", limit/3/8)
		little, err := m.Little(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		little()
		if len(order) > 0 {
			t.Fatalf("served while another had the memory: %v", order)
		}
		first()
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(order) != 2 || order[0] != "all of it" {
			t.Errorf("served in the order %v", order)
		}
	})
}

// A call waits for half of its deadline, and for ten seconds without one. It is rejected with a time to try again, and leaves no trace.
func TestWaitingEnds(t *testing.T) {
	for deadline, want := range map[time.Duration]time.Duration{0: 10 * time.Second, 4 * time.Second: 2 * time.Second, time.Hour: 10 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			m := admission.NewMemory(limit)
			release, ctx := mustReserve(t, m, limit), t.Context()
			if deadline > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, deadline)
				defer cancel()
			}
			began := time.Now()
			_, err := m.Call(ctx, admission.Weight{Bytes: 1 << 20})
			busy, ok := errors.AsType[*apierror.StatusError](err)
			if waited := time.Since(began); !ok || busy.Reason != pb.ErrorReason_ERROR_REASON_IN_FLIGHT_BYTES || waited != want {
				t.Errorf("with a deadline of %v it waited %v: %v", deadline, waited, err)
			}
			release()
			mustReserve(t, m, limit)()
			if m.Reserved() != 0 {
				t.Errorf("%d bytes stay reserved", m.Reserved())
			}
		})
	}
}

// The end of a context ends the waiting, and lets in those behind it.
func TestWaitingEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := admission.NewMemory(limit)
		release := mustReserve(t, m, limit/2/8)
		ctx, cancel := context.WithCancel(t.Context())
		var failed error
		go func() { _, failed = m.Call(ctx, admission.Weight{Bytes: limit}) }()
		synctest.Wait()
		served := false
		go func() {
			mustReserve(t, m, 1<<20)()
			served = true
		}()
		synctest.Wait()
		if served {
			t.Error("one overtook another")
		}
		cancel()
		synctest.Wait()
		if !errors.Is(failed, context.Canceled) || !served {
			t.Errorf("%v, and the next was served: %v", failed, served)
		}
		release()
	})
}

// Without a Memory nothing is bounded.
func TestNoMemoryBoundsNothing(t *testing.T) {
	var m *admission.Memory
	for range 3 {
		release, err := m.Call(t.Context(), admission.Weight{Bytes: 1 << 40})
		if err != nil {
			t.Fatal(err)
		}
		defer release()
	}
	if m.Reserved() != 0 {
		t.Errorf("%d bytes are reserved", m.Reserved())
	}
}
