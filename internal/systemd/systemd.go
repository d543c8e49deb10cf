// Package systemd speaks with the service manager that started this process: it takes the socket that the manager has bound
// (sd_listen_fds(3)), and says when the process is ready, reads its configuration again or ends (sd_notify(3)). Without a manager
// nothing is taken, and nothing is said. What is sent are datagrams of a documented form, which other managers read too.
package systemd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
)

// Variables are the variables with which a manager describes itself to a process. They are for that process alone: one that it starts must
// not have them.
func Variables() []string {
	return []string{"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"}
}

// ErrSockets means that a manager passed something else than one Unix socket that accepts connections.
var ErrSockets = errors.New("socket activation takes one socket, ListenStream= with the path of a Unix socket")

// Listener returns the Unix socket that the manager has bound, and removes the variables that named it. It returns nil if there is none.
// Closing it leaves its file, which is the manager's. The error is ErrSockets for anything else, which is closed.
func Listener() (net.Listener, error) {
	files := activation.Files(true)
	if len(files) == 0 {
		return nil, nil
	}
	var l net.Listener
	err := error(nil)
	if len(files) == 1 {
		l, err = net.FileListener(files[0])
	}
	for _, f := range files {
		_ = f.Close() // the listener has a descriptor of its own
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w (%w)", ErrSockets, err)
	case l == nil:
		return nil, fmt.Errorf("%w, and there are %d", ErrSockets, len(files))
	case l.Addr().Network() != "unix" || !strings.HasPrefix(l.Addr().String(), "/"):
		return nil, errors.Join(fmt.Errorf("%w, and this is %s %q", ErrSockets, l.Addr().Network(), l.Addr()), l.Close())
	}
	return l, nil
}

// Ready says that the process serves, or has read its configuration again, with a line for people.
func Ready(status string) error { return notify(daemon.SdNotifyReady + "\nSTATUS=" + status) }

// Reloading says that the process reads its configuration again. Ready has to follow.
func Reloading() error {
	return notify(daemon.SdNotifyReloading + "\n" + strings.TrimSuffix(daemon.SdNotifyMonotonicUsec(), "\n"))
}

// Stopping says that the process ends, and that it may take so long: the manager waits at least that time, whatever its unit says.
func Stopping(within time.Duration) error {
	return notify(fmt.Sprintf("%s\nSTATUS=Ending\nEXTEND_TIMEOUT_USEC=%d", daemon.SdNotifyStopping, within.Microseconds()))
}

// patience is how long a manager may take nothing: a process that serves, or ends, waits no longer.
const patience = time.Second

// notify sends a state to the manager, if there is one. It is daemon.SdNotify, which would wait for ever.
func notify(state string) error {
	name := os.Getenv("NOTIFY_SOCKET")
	if name == "" {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err == nil {
		err = conn.SetWriteDeadline(time.Now().Add(patience))
		if err == nil {
			_, err = conn.Write([]byte(state))
		}
		_ = conn.Close() // a datagram is sent, or it is not
	}
	if err != nil {
		return fmt.Errorf("NOTIFY_SOCKET %s: %w", name, err)
	}
	return nil
}

// WatchdogInterval returns the time within which the manager expects a sign of life; 0 if it expects none. The error is a variable that
// is no time.
func WatchdogInterval() (time.Duration, error) { return daemon.SdWatchdogEnabled(false) }

// KeepAlive gives a sign of life in each quarter of an interval, until ctx is done, as long as healthy returns nil within a quarter of it.
// Otherwise there is none: after one that is missing the next is in time, and after several the manager does what its unit says. Changes,
// from healthy to not and back, are given to report: the reason, or nil.
func KeepAlive(ctx context.Context, interval time.Duration, healthy func(context.Context) error, report func(error)) {
	well := true
	tick := time.NewTicker(interval / 4)
	defer tick.Stop()
	for {
		err := within(ctx, interval/4, healthy)
		if err == nil {
			err = notify(daemon.SdNotifyWatchdog)
		}
		if ctx.Err() == nil && well != (err == nil) {
			well = err == nil
			report(err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// within returns what healthy returns, or the error of a context that ends after a time: also when healthy hangs, as it does with a
// lock that nobody gives back.
func within(ctx context.Context, limit time.Duration, healthy func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	answer := make(chan error, 1)
	go func() { answer <- healthy(ctx) }()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return fmt.Errorf("no answer in %s: %w", limit, ctx.Err())
	}
}
