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

// A connection is a guest until a call on it comes from a caller who is known. Guests are few, and get little time and few
// bytes, so that strangers cost next to nothing however many they are, and whatever they send. Each listener has a gate
// of its own: nobody on one takes the connections of another.

// Bounds of strangers over TCP. docs/reference/limits.md has them.
const (
	MaxGuests  = 24               // connections at a time
	GuestTime  = 15 * time.Second // from the accept to the first call of a known caller
	GuestBytes = 64 << 10         // that are read until then: more than the headers of a call have
	GuestCalls = 64               // that are rejected, before the connection ends: wrong tokens are answered with TOKEN_BACKOFF earlier
)

// GateOptions bound the connections of a listener.
type GateOptions struct {
	Connections int           // at a time, of guests and others
	Guests      int           // of them; 0: as many as there are connections
	Time        time.Duration // for which a guest may stay; 0: for ever, but see Accept
	Bytes       int64         // that are read of a guest; 0: any number
	Calls       int64         // of a guest that are rejected; 0: any number
}

// gate is a listener whose connections begin as guests.
type gate struct {
	net.Listener
	GateOptions

	mu     sync.Mutex
	open   int       // connections, guests included
	guests list.List // of *gateConn, the oldest first
}

// NewGate returns a listener that lets connections in by the options.
func NewGate(l net.Listener, o GateOptions) *gate {
	if o.Guests == 0 {
		o.Guests = o.Connections
	}
	o.Guests = min(o.Guests, o.Connections)
	return &gate{Listener: l, GateOptions: o}
}

// Open returns the number of connections.
func (g *gate) Open() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open
}

// Accept returns the next connection. When there are too many guests, or too many connections and a guest among them, the
// oldest guest gives way. When all connections are of known callers, a new one is closed at once: left in the backlog of
// the kernel it would wait without a reason.
func (g *gate) Accept() (net.Conn, error) {
	for {
		conn, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c, leaving := g.enter(conn)
		if leaving != nil {
			_ = leaving.Close()
		}
		if c != nil {
			return c, nil
		}
		_ = conn.Close()
	}
}

// enter makes a connection a guest, and returns the guest that has to leave; nil for a connection that finds no place.
func (g *gate) enter(conn net.Conn) (c, leaving *gateConn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if oldest := g.guests.Front(); oldest != nil && (g.open >= g.Connections || g.guests.Len() >= g.Guests) {
		leaving = oldest.Value.(*gateConn)
		g.forget(leaving)
	}
	if g.open >= g.Connections {
		return nil, leaving
	}
	c = &gateConn{Conn: conn, gate: g}
	c.guest.Store(true)
	c.place = g.guests.PushBack(c)
	g.open++
	if g.Time > 0 {
		c.timer = time.AfterFunc(g.Time, c.expire)
	}
	return c, leaving
}

// forget gives the place of a connection back. The lock is taken.
func (g *gate) forget(c *gateConn) {
	if c.gone {
		return
	}
	c.gone = true
	g.open--
	g.admit(c)
}

// admit ends that a connection is a guest. The lock is taken.
func (g *gate) admit(c *gateConn) {
	if c.place == nil {
		return
	}
	g.guests.Remove(c.place)
	c.place = nil
	c.guest.Store(false)
	if c.timer != nil {
		c.timer.Stop()
	}
}

// gateConn is a connection that passed a gate.
type gateConn struct {
	net.Conn
	gate  *gate
	guest atomic.Bool
	read  atomic.Int64 // bytes, while it is a guest
	calls atomic.Int64 // that were rejected

	// Guarded by the gate.
	place *list.Element // among the guests
	timer *time.Timer
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
		_ = c.Close()
		return 0, errGuestBytes
	}
	n, err := c.Conn.Read(p[:min(int64(len(p)), left)])
	c.read.Add(int64(n))
	return n, err
}

// Admit says that a known caller uses the connection.
func (c *gateConn) Admit() {
	if !c.guest.Load() {
		return
	}
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	c.gate.admit(c)
}

// Reject says that a call on the connection was rejected, and closes one of a guest that made too many.
func (c *gateConn) Reject() {
	if c.gate.Calls > 0 && c.guest.Load() && c.calls.Add(1) > c.gate.Calls {
		_ = c.Close()
	}
}

// expire closes a connection that is still a guest.
func (c *gateConn) expire() {
	if c.guest.Load() {
		_ = c.Close()
	}
}

// Close closes the connection and gives its place back, once, however often that is.
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
