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

// A connection is a guest until the first call on it comes from a caller who is known. Guests are few, and get little time and
// few bytes, and gRPC does not see them: strangers cost next to nothing however many they are, and whatever they send. Each
// listener has a gate of its own: nobody on one takes the connections of another.

// Bounds of guests. docs/reference/limits.md has them.
const (
	MaxGuests    = 32                     // over TCP, at a time
	GuestBytes   = 64 << 10               // that are read of one: more than the headers of a call have, or a handshake of TLS
	GuestStay    = 50 * time.Millisecond  // for which one keeps its place, whatever it does: 32 places take 640 strangers a second
	GuestStayTLS = 200 * time.Millisecond // likewise, where a handshake is signed for each: 160 strangers a second
)

// GateOptions bound the connections of a listener.
type GateOptions struct {
	Connections int           // at a time, of guests and others
	Guests      int           // of them; 0: as many as there are connections
	Stay        time.Duration // for which a guest keeps its place, if it does not become known; a newer one waits for so long
	Bytes       int64         // that are read of a guest; 0: any number

	// Greet reads what a guest sends until it is known, and returns a connection that begins with all that was read. An error
	// ends the guest. It ends when the connection is closed.
	Greet func(net.Conn) (net.Conn, error)
}

// gate is a listener whose connections begin as guests. It returns those that have become known.
type gate struct {
	net.Listener
	GateOptions
	start  sync.Once
	known  chan net.Conn
	failed chan error // errors of the listener
	left   chan struct{}
	closed chan struct{}
	close  sync.Once

	mu     sync.Mutex
	open   int       // connections, guests included
	places list.List // of *place, the oldest first
}

// place is one of a guest. It is kept for Stay when the guest has left before.
type place struct {
	since time.Time
	guest *gateConn // nil when it has left
}

// NewGate returns a listener that lets connections in by the options.
func NewGate(l net.Listener, o GateOptions) *gate {
	if o.Guests == 0 {
		o.Guests = o.Connections
	}
	o.Guests = min(o.Guests, o.Connections)
	return &gate{
		Listener: l, GateOptions: o,
		known: make(chan net.Conn), failed: make(chan error), left: make(chan struct{}, 1), closed: make(chan struct{}),
	}
}

// Open returns the number of connections.
func (g *gate) Open() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open
}

// Accept returns the next connection of a known caller.
func (g *gate) Accept() (net.Conn, error) {
	g.start.Do(func() { go g.run() })
	select {
	case conn := <-g.known:
		return conn, nil
	case err := <-g.failed:
		return nil, err
	case <-g.closed:
		return nil, net.ErrClosed
	}
}

// Close closes the listener and all guests.
func (g *gate) Close() error {
	g.close.Do(func() { close(g.closed) })
	err := g.Listener.Close()
	for _, guest := range g.guests() {
		_ = guest.Close()
	}
	return err
}

// guests returns those who are there.
func (g *gate) guests() (list []*gateConn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for e := g.places.Front(); e != nil; e = e.Next() {
		if p := e.Value.(*place); p.guest != nil {
			list = append(list, p.guest)
		}
	}
	return list
}

// run takes connections until the listener is closed. Who waits for its error decides when it goes on.
func (g *gate) run() {
	for {
		conn, err := g.Listener.Accept()
		if err != nil {
			select {
			case g.failed <- err:
				continue
			case <-g.closed:
				return
			}
		}
		if c := g.enter(conn); c != nil {
			go g.greet(c)
		} else {
			_ = conn.Close()
		}
	}
}

// greet has a guest greeted, and passes it on if it has become known.
func (g *gate) greet(c *gateConn) {
	conn, err := g.Greet(c)
	if err != nil {
		_ = c.Close()
		return
	}
	c.admit()
	select {
	case g.known <- conn:
	case <-g.closed:
		_ = conn.Close()
	}
}

// enter makes a connection a guest. When there are too many guests, or too many connections and a guest among them, the oldest
// one gives way as soon as it has had its place for Stay; until then the newer ones wait in the backlog of the kernel. It
// returns nil when all connections are of known callers: in the backlog a new one would wait without a reason.
func (g *gate) enter(conn net.Conn) *gateConn {
	for {
		c, leaving, wait := g.tryEnter(conn, time.Now())
		if leaving != nil {
			_ = leaving.Close()
		}
		if wait <= 0 {
			return c
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-g.left:
		case <-g.closed:
			return nil
		}
		timer.Stop()
	}
}

// tryEnter makes a connection a guest, and returns who has to leave for it, or how long it has to wait.
func (g *gate) tryEnter(conn net.Conn, now time.Time) (c, leaving *gateConn, wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.clear(now)
	if full := g.open >= g.Connections; full || g.places.Len() >= g.Guests {
		oldest := g.places.Front()
		if oldest == nil {
			return nil, nil, 0
		}
		p := oldest.Value.(*place)
		if wait := g.Stay - now.Sub(p.since); wait > 0 {
			return nil, nil, wait
		}
		leaving = p.guest // that is there: clear left no other
		g.forget(leaving)
		g.places.Remove(oldest)
	}
	c = &gateConn{Conn: conn, gate: g}
	c.guest.Store(true)
	c.place = g.places.PushBack(&place{since: now, guest: c})
	g.open++
	return c, leaving, 0
}

// clear removes the places that were kept long enough for guests who have left. The lock is taken.
func (g *gate) clear(now time.Time) {
	for e := g.places.Front(); e != nil && now.Sub(e.Value.(*place).since) >= g.Stay; {
		next := e.Next()
		if e.Value.(*place).guest == nil {
			g.places.Remove(e)
		}
		e = next
	}
}

// forget takes a connection out of the count. The lock is taken.
func (g *gate) forget(c *gateConn) {
	if c.gone {
		return
	}
	c.gone = true
	g.open--
	if c.place != nil {
		c.place.Value.(*place).guest = nil
		c.place = nil
	}
}

// gateConn is a connection that passes a gate.
type gateConn struct {
	net.Conn
	gate  *gate
	guest atomic.Bool
	read  atomic.Int64 // bytes, while it is a guest

	// Guarded by the gate.
	place *list.Element // among the guests
	gone  bool
}

// errGuestBytes means that a guest sent more than the headers of a call.
var errGuestBytes = errors.New("too many bytes before the first call of a known caller")

// Read reads, of a guest at most as many bytes as it has left.
func (c *gateConn) Read(p []byte) (int, error) {
	if c.gate.Bytes == 0 || !c.guest.Load() {
		return c.Conn.Read(p)
	}
	left := c.gate.Bytes - c.read.Load()
	if left <= 0 {
		return 0, errGuestBytes
	}
	n, err := c.Conn.Read(p[:min(int64(len(p)), left)])
	c.read.Add(int64(n))
	return n, err
}

// admit gives the place among the guests to others.
func (c *gateConn) admit() {
	g := c.gate
	g.mu.Lock()
	if c.place != nil {
		g.places.Remove(c.place)
		c.place = nil
	}
	g.mu.Unlock()
	c.guest.Store(false)
	select {
	case g.left <- struct{}{}:
	default:
	}
}

// Close closes the connection and takes it out of the count, once, however often that is.
func (c *gateConn) Close() error {
	c.gate.mu.Lock()
	c.gate.forget(c)
	c.gate.mu.Unlock()
	return c.Conn.Close()
}

// SyscallConn lends the socket, so that the kernel can be asked for its peer.
func (c *gateConn) SyscallConn() (syscall.RawConn, error) {
	if conn, ok := c.Conn.(syscall.Conn); ok {
		return conn.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}
