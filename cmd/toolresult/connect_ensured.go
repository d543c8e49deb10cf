package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc"

	"github.com/toolresult/toolresult/internal/sidecar"
)

// A host of an agent starts no sidecar, and its user should not have to. So the shell and the hooks that `toolresult install` puts
// there start one where none is: by `toolresult ensure`, a process of its own that goes on when the command of the host is over.
// It has nothing of the host's but the environment and the folder, as when the user calls it there.

// starting is a sidecar that is started at most once by this process.
type starting struct {
	apart bool // in a separate process, because this one may still start others, which would inherit its descriptors
	once  sync.Once
	done  chan struct{} // closed when `toolresult ensure` has ended
	said  string        // what it printed: an address
	err   error
}

// isAway reports whether there is no sidecar, and nothing against one. A sandbox that forbids connections is no reason to start one,
// because no command in it would reach that.
func isAway(err error) bool {
	return err == sidecar.ErrNone // and not one that wraps it, which says what was wrong with a place
}

// begin starts a sidecar, and does not wait for it.
func (s *starting) begin() {
	s.once.Do(func() {
		s.done = make(chan struct{})
		go func() {
			defer close(s.done)
			if s.apart {
				s.said, s.err = ensureApart()
				return
			}
			s.said, s.err = ensureHere()
		}()
	})
}

// address returns the address of the sidecar that was started.
func (s *starting) address(ctx context.Context) (string, error) {
	s.begin()
	select {
	case <-s.done:
		return s.said, s.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// ensureHere makes sure that a sidecar serves, as `toolresult ensure` does, and returns its address. Of several processes at once one
// starts it, and the others wait for it.
func ensureHere() (string, error) {
	e := ensure{patience: max(patienceOr(0, defaultPatience), startPatience), idleExit: defaultIdleExit, wait: defaultWait}
	place, err := e.run(context.Background())
	return place.Address, err
}

// awaitStart waits while a process is starting the sidecar that was found: it accepts connections before it serves.
func awaitStart(ctx context.Context) error {
	names, err := sidecarNames()
	if err != nil || names.Address != "" {
		return err
	}
	for names.IsStarting() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(startPause):
		}
	}
	return nil
}

// startPause is the time between two looks at a sidecar that is starting.
const startPause = 5 * time.Millisecond

// ensureApart runs `toolresult ensure` in a session of its own, so that no signal to the host's command ends it.
func ensureApart() (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	var stdout, stderr bytes.Buffer
	c := exec.Command(program, "ensure")
	c.Args[0] = "toolresult" // a copy of the program can have the name of a shell
	c.Stdout, c.Stderr = &stdout, &stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Run(); err != nil {
		return "", errors.Join(err, errors.New(strings.TrimSpace(stderr.String())))
	}
	return strings.TrimSpace(stdout.String()), nil
}

// reviving returns how a connection to the socket of a sidecar is made again when that has ended, as an unused one does: another one is
// started first. It returns nothing for other addresses.
func reviving(address string) []grpc.DialOption {
	path, ok := strings.CutPrefix(address, "unix://")
	if !ok {
		return nil
	}
	return []grpc.DialOption{grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		var d net.Dialer
		conn, err := d.DialContext(ctx, "unix", path)
		if err == nil {
			return conn, nil
		}
		if _, none := findSidecar(ctx); !isAway(none) {
			return nil, err
		}
		if _, again := ensureApart(); again != nil {
			return nil, errors.Join(err, again)
		}
		return d.DialContext(ctx, "unix", path)
	})}
}

// warm starts a sidecar if none is there, and does not wait for it: the commands of an agent have one soon, and mostly this one, too.
func (t *target) warm(ctx context.Context) {
	if t.address != "" || t.store != "" {
		return
	}
	if _, err := findSidecar(ctx); isAway(err) {
		t.ensured.begin()
	}
}
