package rpc

import (
	"container/list"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A connection is pending until the first call on it comes from a known caller. Pending connections are few, and get little time
// and few bytes, and gRPC does not see them: unknown callers cost next to nothing however many they are, and whatever they send.
// Each listener has limits of its own: nobody on one takes the connections of another.

// Bounds of pending connections. docs/reference/limits.md has them.
const (
	MaxPending   = 32                     // over TCP, at a time
	PendingBytes = 64 << 10               // that are read of one: more than the headers of a call have, or a handshake of TLS
	SlotTime     = 50 * time.Millisecond  // for which one keeps its slot, whatever it does: 32 slots take 640 connections a second
	SlotTimeTLS  = 200 * time.Millisecond // likewise, where a handshake is signed for each: 160 connections a second
)

// ListenerLimits bound the connections of a listener.
type ListenerLimits struct {
	Connections int           // at a time, pending and others
	Pending     int           // of them; 0: as many as there are connections
	SlotTime    time.Duration // for which a pending connection keeps its slot; a newer one waits for so long
	Bytes       int64         // that are read of a pending connection; 0: any number

	// Authenticate reads a connection until its caller is known, and returns one that begins with all that was read. An error
	// closes the connection. It returns when the connection is closed.
	Authenticate func(net.Conn) (net.Conn, error)
}

// limitListener is a listener whose connections begin as pending ones. It returns those whose caller is known.
type limitListener struct {
	net.Listener
	ListenerLimits
	start  sync.Once
	known  chan net.Conn
	failed chan error // errors of the listener
	left   chan struct{}
	closed chan struct{}
	close  sync.Once

	mu    sync.Mutex
	open  int       // connections, pending ones included
	slots list.List // of *slot, the oldest first
}

// slot is the place of a pending connection. It stays taken for SlotTime when the connection has ended before.
type slot struct {
	since time.Time
	conn  *limitConn // nil when it has ended
}

// NewLimitListener returns a listener that bounds its connections.
func NewLimitListener(l net.Listener, o ListenerLimits) *limitListener {
	if o.Pending == 0 {
		o.Pending = o.Connections
	}
	o.Pending = min(o.Pending, o.Connections)
	return &limitListener{
		Listener: l, ListenerLimits: o,
		known: make(chan net.Conn), failed: make(chan error), left: make(chan struct{}, 1), closed: make(chan struct{}),
	}
}

// Open returns the number of connections.
func (l *limitListener) Open() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open
}

// Accept returns the next connection of a known caller.
func (l *limitListener) Accept() (net.Conn, error) {
	l.start.Do(func() { go l.run() })
	select {
	case conn := <-l.known:
		return conn, nil
	case err := <-l.failed:
		return nil, err
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close closes the listener and all pending connections.
func (l *limitListener) Close() error {
	l.close.Do(func() { close(l.closed) })
	err := l.Listener.Close()
	for _, c := range l.pending() {
		_ = c.Close()
	}
	return err
}

// pending returns the pending connections.
func (l *limitListener) pending() (list []*limitConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for e := l.slots.Front(); e != nil; e = e.Next() {
		if p := e.Value.(*slot); p.conn != nil {
			list = append(list, p.conn)
		}
	}
	return list
}

// run takes connections until the listener is closed. Who waits for its error decides when it goes on.
func (l *limitListener) run() {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			select {
			case l.failed <- err:
				continue
			case <-l.closed:
				return
			}
		}
		if c := l.enter(conn); c != nil {
			go l.authenticate(c)
		} else {
			_ = conn.Close()
		}
	}
}

// authenticate passes a connection on when its caller is known.
func (l *limitListener) authenticate(c *limitConn) {
	conn, err := l.Authenticate(c)
	if err != nil {
		_ = c.Close()
		return
	}
	c.release()
	select {
	case l.known <- conn:
	case <-l.closed:
		_ = conn.Close()
	}
}

// enter gives a connection a slot. When there are too many pending ones, or too many connections and a pending one among them, the
// oldest is closed as soon as it has had its slot for SlotTime; until then the newer ones wait in the backlog of the kernel. It
// returns nil when all connections are of known callers: in the backlog a new one would wait without a reason.
func (l *limitListener) enter(conn net.Conn) *limitConn {
	for {
		c, oldest, wait := l.tryEnter(conn, time.Now())
		if oldest != nil {
			_ = oldest.Close()
		}
		if wait <= 0 {
			return c
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-l.left:
		case <-l.closed:
			return nil
		}
		timer.Stop()
	}
}

// tryEnter gives a connection a slot, and returns the one to close for it, or how long it has to wait.
func (l *limitListener) tryEnter(conn net.Conn, now time.Time) (c, oldest *limitConn, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear(now)
	if full := l.open >= l.Connections; full || l.slots.Len() >= l.Pending {
		first := l.slots.Front()
		if first == nil {
			return nil, nil, 0
		}
		p := first.Value.(*slot)
		if wait := l.SlotTime - now.Sub(p.since); wait > 0 {
			return nil, nil, wait
		}
		oldest = p.conn // which has not ended: clear left no other
		l.forget(oldest)
		l.slots.Remove(first)
	}
	c = &limitConn{Conn: conn, listener: l}
	c.pending.Store(true)
	c.slot = l.slots.PushBack(&slot{since: now, conn: c})
	l.open++
	return c, oldest, 0
}

// clear removes the slots whose connection has ended and whose time is over. The lock is taken.
func (l *limitListener) clear(now time.Time) {
	for e := l.slots.Front(); e != nil && now.Sub(e.Value.(*slot).since) >= l.SlotTime; {
		next := e.Next()
		if e.Value.(*slot).conn == nil {
			l.slots.Remove(e)
		}
		e = next
	}
}

// forget takes a connection out of the count. The lock is taken.
func (l *limitListener) forget(c *limitConn) {
	if c.gone {
		return
	}
	c.gone = true
	l.open--
	if c.slot != nil {
		c.slot.Value.(*slot).conn = nil
		c.slot = nil
	}
}

// limitConn is a connection of a limitListener.
type limitConn struct {
	net.Conn
	listener *limitListener
	pending  atomic.Bool
	read     atomic.Int64 // bytes, while it is pending

	// Guarded by the listener.
	slot *list.Element // while it is pending
	gone bool
}

// errPendingBytes means that a pending connection sent more than the headers of a call.
var errPendingBytes = errors.New("too many bytes before the first call of a known caller")

// Read reads, while the connection is pending at most as many bytes as it has left.
func (c *limitConn) Read(p []byte) (int, error) {
	if c.listener.Bytes == 0 || !c.pending.Load() {
		return c.Conn.Read(p)
	}
	left := c.listener.Bytes - c.read.Load()
	if left <= 0 {
		return 0, errPendingBytes
	}
	n, err := c.Conn.Read(p[:min(int64(len(p)), left)])
	c.read.Add(int64(n))
	return n, err
}

// release gives the slot to others.
func (c *limitConn) release() {
	l := c.listener
	l.mu.Lock()
	if c.slot != nil {
		l.slots.Remove(c.slot)
		c.slot = nil
	}
	l.mu.Unlock()
	c.pending.Store(false)
	select {
	case l.left <- struct{}{}:
	default:
	}
}

// Close closes the connection and takes it out of the count, once, however often that is.
func (c *limitConn) Close() error {
	c.listener.mu.Lock()
	c.listener.forget(c)
	c.listener.mu.Unlock()
	return c.Conn.Close()
}

// SyscallConn lends the socket, so that the kernel can be asked for its peer.
func (c *limitConn) SyscallConn() (syscall.RawConn, error) {
	if conn, ok := c.Conn.(syscall.Conn); ok {
		return conn.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}
