package rpc

import (
	"strings"
	"sync"
	"time"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"
)

// checkGrace is for how long a check of the health puts the end of an unused server off: whoever has just been answered that it
// serves has that long to call it.
const checkGrace = time.Minute

// use has the last times at which a server was used. Calls are use while they are in flight, and their begin and their end are.
// Calls of the health service are none; a check puts the end off by checkGrace, and all of them together by as long as the server
// may be unused, so that who checks for ever does not keep it for ever. Connections are no use. Safe for concurrent use.
type use struct {
	mu            sync.Mutex
	open          int       // calls in flight
	last, checked time.Time // the last use, and the last check; both have the monotonic clock, which a sleeping machine stops
}

// newUse returns the use of a server that starts now.
func newUse() *use { return &use{last: time.Now(), checked: time.Now()} }

// isCheck reports whether a method is one of the health service.
func isCheck(method string) bool {
	return strings.HasPrefix(method, "/"+healthpb.Health_ServiceDesc.ServiceName+"/")
}

// touch notes that the headers of a call were received. Its message may take long.
func (u *use) touch(method string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if isCheck(method) {
		u.checked = time.Now()
		return
	}
	u.last = time.Now()
}

// count notes that a call begins (+1) or ends (-1).
func (u *use) count(method string, n int) {
	if isCheck(method) {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.open += n
	u.last = time.Now()
}

// left returns how long a server that ends after a time without use has at least from now on; 0 when it is to end.
func (u *use) left(idle time.Duration) time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.open > 0 {
		return idle
	}
	end := u.last.Add(idle)
	if checked := u.checked.Add(min(idle, checkGrace)); checked.After(end) {
		end = checked
	}
	if latest := u.last.Add(2 * idle); end.After(latest) {
		end = latest
	}
	return max(0, time.Until(end))
}

// start notes that the server serves from now on.
func (u *use) start() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.last = time.Now()
}

// UnusedFor returns when the server, which serves from now on, has been unused for a time, or when stop is closed; it then returns
// false. It is called once.
func (c *Interceptors) UnusedFor(idle time.Duration, stop <-chan struct{}) bool {
	c.use.start()
	for {
		left := c.use.left(idle)
		if left == 0 {
			return true
		}
		select {
		case <-stop:
			return false
		case <-time.After(left):
		}
	}
}
