//go:build unix

package sidecar

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolresult/toolresult/internal/privatedir"
)

// Ensurer makes sure that a sidecar serves. All fields are required.
type Ensurer struct {
	// Names are where it is looked for, and where the one that is started has to serve.
	Names Names
	// Serves returns nil when a sidecar at an address serves. It returns when ctx is done.
	Serves func(ctx context.Context, address string) error
	// Start starts a sidecar that outlives this process. The channel gets the reason when it has ended.
	Start func() (ended <-chan error, err error)
	// IsBusy reports whether a sidecar ended because another one has its socket or its store. That one may be about to
	// end, or to serve, so that it is waited for.
	IsBusy func(error) bool
	// Patience bounds the wait for the answer of a sidecar that runs.
	Patience time.Duration
	// Wait bounds everything: until a sidecar that is starting serves.
	Wait time.Duration
}

// Times between two looks at a sidecar that is starting, and between two starts beside one that is about to end.
const (
	pause      = 10 * time.Millisecond
	look       = 2 * time.Millisecond // of the one process that has started it
	startPause = 100 * time.Millisecond
)

// Ensure returns the place of a sidecar that serves. If none does, it starts one and waits until it serves; of those who call it
// at once, in whatever process, one starts a sidecar and all return its place.
//
// Errors: [ErrSilent] for a sidecar that runs and does not answer within the patience, unless it is just being started. It has
// its socket and its store, so that no other can take its place.
func (e *Ensurer) Ensure(ctx context.Context) (Place, error) {
	ctx, cancel := context.WithTimeout(ctx, e.Wait)
	defer cancel()
	for {
		starting := e.Names.IsStarting()
		place, err := e.find(ctx)
		switch {
		case err == nil:
			return place, nil
		case errors.Is(err, ErrSilent) && (starting || e.Names.IsStarting()): // it may answer once it serves
		case !errors.Is(err, ErrNone):
			return Place{}, err
		default:
			lock, err := e.lock()
			if err != nil {
				return Place{}, err
			}
			if lock != nil {
				place, err = e.start(ctx)
				_ = lock.Close() // gives it back
				return place, err
			}
		}
		if sleep(ctx, pause) != nil {
			return Place{}, fmt.Errorf("another process has the lock %s and has started no sidecar within %s", e.Names.lockPath(), e.Wait)
		}
	}
}

// find returns the place of a sidecar that serves. One that says that it does not is asked again until the patience is over: it
// may be about to end.
func (e *Ensurer) find(ctx context.Context) (Place, error) {
	asking, cancel := context.WithTimeout(ctx, e.Patience)
	defer cancel()
	var said error
	for {
		place, err := e.Names.Find(asking)
		switch {
		case err == nil:
			if err = e.Serves(asking, place.Address); err == nil {
				return place, nil
			}
			if asking.Err() == nil {
				said = err
			}
		case asking.Err() == nil:
			return Place{}, err
		}
		if sleep(asking, pause) == nil {
			continue
		}
		if said != nil {
			return Place{}, fmt.Errorf("the sidecar at %s (%s) does not serve: %w", place.Address, place.From, said)
		}
		return Place{}, fmt.Errorf("the sidecar at %s (%s%s) %w within %s", place.Address, place.From, process(place), ErrSilent, e.Patience)
	}
}

// start starts a sidecar unless one serves. The caller has the lock, so that nobody else starts one this way.
func (e *Ensurer) start(ctx context.Context) (Place, error) {
	var busy error // why the sidecar before ended
	for {
		place, err := e.find(ctx)
		switch {
		case busy != nil && ctx.Err() != nil: // the time was too short for one more look, and says less
			return Place{}, busy
		case err == nil || !errors.Is(err, ErrNone):
			return place, err
		}
		ended, err := e.Start()
		if err != nil {
			return Place{}, fmt.Errorf("start a sidecar: %w", err)
		}
		place, err = e.await(ctx, ended)
		switch {
		case err == nil:
			return place, nil
		case e.IsBusy(err):
			busy = err
		case busy != nil && ctx.Err() != nil: // or for one more start
			return Place{}, busy
		default:
			return Place{}, err
		}
		if sleep(ctx, startPause) != nil {
			return Place{}, busy
		}
	}
}

// await waits until a sidecar serves, or until the one that was started has ended.
func (e *Ensurer) await(ctx context.Context, ended <-chan error) (Place, error) {
	why := ErrSilent
	for {
		place, err := e.Names.Find(ctx)
		if err == nil {
			if err = e.Serves(ctx, place.Address); err == nil {
				return place, nil
			}
		}
		if ctx.Err() == nil {
			why = err
		}
		select {
		case reason := <-ended:
			return Place{}, fmt.Errorf("the sidecar ended at once: %w", reason)
		case <-ctx.Done():
			return Place{}, fmt.Errorf("the sidecar was started, and does not serve after %s: %w", e.Wait, why)
		case <-time.After(look):
		}
	}
}

// lockPath returns the path of the file that whoever starts a sidecar has locked. It is beside the socket, and stays.
func (n Names) lockPath() string { return n.Socket + ".ensure" }

// IsStarting reports whether a process is starting the sidecar: it has the lock until that serves.
func (n Names) IsStarting() bool {
	f, err := os.OpenFile(n.lockPath(), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	return errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}

// lock takes the lock, and returns nil when another process has it. The kernel gives it back when the process ends.
func (e *Ensurer) lock() (*os.File, error) {
	path := e.Names.lockPath()
	if err := privatedir.Make(filepath.Dir(path)); err != nil {
		return nil, e.unusable(err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, e.unusable(err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, nil
		}
		return nil, e.unusable(err)
	}
	return f, nil
}

// unusable returns the error of a directory in which no sidecar can have its socket, with a way out.
func (e *Ensurer) unusable(err error) error {
	if e.Names.SocketNamed {
		return fmt.Errorf("directory of the socket %s: %w", e.Names.Socket, err)
	}
	return fmt.Errorf("runtime directory: %w; XDG_RUNTIME_DIR names another, or TOOLRESULT_SOCKET a socket elsewhere", err)
}

// sleep waits for a time. It returns an error when ctx is done before.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// process describes the process at a place, for a message; empty if it is not known.
func process(p Place) string {
	peer, err := p.peer()
	if err != nil || peer.PID == 0 {
		return ""
	}
	text := fmt.Sprintf(", process %d", peer.PID)
	if isStopped(peer.PID) {
		text += ", which is stopped"
	}
	return text
}
