package rpc

import (
	"errors"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// pipes is a listener of connections in memory, so that a test has a time of its own.
type pipes struct {
	net.Listener
	next chan net.Conn
}

func (p *pipes) Close() error { return nil }

func (p *pipes) Accept() (net.Conn, error) {
	c, ok := <-p.next
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

// testListener is a limitListener over pipes, with its pending connections and those of known callers.
type testListener struct {
	*limitListener
	*testing.T
	pipes *pipes
	in    chan *pendingConn
	known chan net.Conn
}

// pendingConn is one that a test authenticates.
type pendingConn struct {
	*limitConn
	end chan error
}

// finish ends the authentication; nil when the caller is known.
func (c *pendingConn) finish(err error) { c.end <- err }

func newTestListener(t *testing.T, o ListenerLimits) *testListener {
	k := &testListener{T: t, pipes: &pipes{next: make(chan net.Conn)}, in: make(chan *pendingConn, 64), known: make(chan net.Conn, 64)}
	o.Authenticate = func(conn net.Conn) (net.Conn, error) {
		c := &pendingConn{conn.(*limitConn), make(chan error, 1)}
		k.in <- c
		return conn, <-c.end
	}
	k.limitListener = NewLimitListener(k.pipes, o)
	go func() {
		for {
			c, err := k.Accept()
			if err != nil {
				return
			}
			k.known <- c
		}
	}()
	t.Cleanup(func() {
		close(k.pipes.next)
		_ = k.Close()
		for len(k.in) > 0 {
			(<-k.in).finish(errUnknownCaller)
		}
	})
	return k
}

// knock connects, and returns the end of the client.
func (k *testListener) knock() net.Conn {
	client, server := net.Pipe()
	k.pipes.next <- server
	k.Cleanup(func() { _ = client.Close() })
	return client
}

// enter connects, and returns both ends once the connection is pending.
func (k *testListener) enter() (net.Conn, *pendingConn) {
	client := k.knock()
	c := <-k.in
	k.Cleanup(func() { // one that the test did not finish
		select {
		case c.end <- errUnknownCaller:
		default:
		}
	})
	return client, c
}

// admit connects a known caller.
func (k *testListener) admit() net.Conn {
	client, c := k.enter()
	c.finish(nil)
	<-k.known
	return client
}

// isClosed reports whether the other end closed a connection.
func isClosed(c net.Conn) bool {
	_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := c.Read(make([]byte, 1))
	return err != nil && !errors.Is(err, os.ErrDeadlineExceeded)
}

// TestPendingConnectionsGiveWay fills a listener: pending connections make place for newer ones, known callers for nobody.
func TestPendingConnectionsGiveWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := newTestListener(t, ListenerLimits{Connections: 3, Pending: 2})
		known := k.admit()
		first, _ := k.enter()
		second, _ := k.enter()
		third := k.admit()
		if !isClosed(first) || isClosed(second) || isClosed(third) || isClosed(known) || k.Open() != 3 {
			t.Errorf("closed: %v %v %v %v, open %d", isClosed(first), isClosed(second), isClosed(third), isClosed(known), k.Open())
		}
		fourth, last := k.enter()
		last.finish(nil)
		end := <-k.known
		if !isClosed(second) || isClosed(fourth) || k.Open() != 3 {
			t.Errorf("closed: %v %v, open %d", isClosed(second), isClosed(fourth), k.Open())
		}
		if fifth := k.knock(); !isClosed(fifth) || isClosed(known) || k.Open() != 3 {
			t.Errorf("a connection finds a slot where all are of known callers")
		}
		_ = end.Close()
		_ = end.Close()
		sixth, c := k.enter()
		if isClosed(sixth) || k.Open() != 3 {
			t.Errorf("a connection that ended leaves no slot; %d are open", k.Open())
		}
		c.finish(errUnknownCaller)
		synctest.Wait()
		if !isClosed(sixth) || k.Open() != 2 {
			t.Errorf("an unknown caller stays; %d are open", k.Open())
		}
	})
}

// TestPendingConnectionsAreBoundedInRate: a connection keeps its slot for SlotTime, however early it ends, so unknown callers get Pending
// slots in a SlotTime at most. The slot of a known caller is free at once, and no pending connection is closed before its time.
func TestPendingConnectionsAreBoundedInRate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		pending, stay := rapid.IntRange(1, 5).Draw(r, "pending"), 20*time.Millisecond
		unknown := rapid.SliceOfN(rapid.Bool(), 1, 40).Draw(r, "unknown callers leave at once")
		knownEvery := rapid.IntRange(2, 9).Draw(r, "known every")
		synctest.Test(t, func(t *testing.T) {
			k := newTestListener(t, ListenerLimits{Connections: 1000, Pending: pending, SlotTime: stay})
			began, taken := time.Now(), 0
			for i, leaves := range unknown {
				if i%knownEvery == 0 { // waits for a slot as others do, and gives it back
					k.admit()
				}
				client, c := k.enter()
				if taken++; leaves {
					_ = client.Close()
					c.finish(errUnknownCaller)
				}
				if allowed := pending * (1 + int(time.Since(began)/stay)); taken > allowed {
					r.Fatalf("%d unknown callers got a slot within %v, and %d may be", taken, time.Since(began), allowed)
				}
				if !leaves && isClosed(client) {
					r.Fatalf("a connection is closed when it gets a slot")
				}
			}
			if limit := time.Duration(len(unknown)+1) * (stay + 2*time.Millisecond); time.Since(began) > limit {
				r.Fatalf("%d unknown callers took %v", len(unknown), time.Since(began))
			}
			if open := k.Open(); open > pending+len(unknown) {
				r.Fatalf("%d are open", open)
			}
		})
	})
}

// TestPendingConnectionsSendLittle: what is read of a pending connection ends at the bound, and what a known caller sends does not.
func TestPendingConnectionsSendLittle(t *testing.T) {
	t.Parallel()
	for _, known := range []bool{false, true} {
		k := newTestListener(t, ListenerLimits{Connections: 9, Bytes: 1000})
		client, c := k.enter()
		if known {
			c.finish(nil)
			<-k.known
		}
		go func() {
			_, _ = client.Write(make([]byte, 3000))
			_ = client.Close()
		}()
		read := 0
		var err error
		for buf, n := make([]byte, 700), 0; err == nil; {
			n, err = c.Read(buf)
			read += n
		}
		if want := map[bool]int{false: 1000, true: 3000}[known]; read != want {
			t.Errorf("known %v: %d bytes are read, want %d", known, read, want)
		}
		_ = c.Close() // so that the client's write ends
	}
}

// failing is a listener with errors before its first connection.
type failing struct {
	net.Listener
	errors chan error
}

func (f *failing) Accept() (net.Conn, error) {
	if err, ok := <-f.errors; ok {
		return nil, err
	}
	return nil, net.ErrClosed
}

func (f *failing) Close() error { return nil }

// TestErrorsOfTheListenerArePassedOn, one for each Accept, so that gRPC can wait when there is no descriptor left.
func TestErrorsOfTheListenerArePassedOn(t *testing.T) {
	t.Parallel()
	f := &failing{errors: make(chan error, 2)}
	f.errors <- syscall.EMFILE
	f.errors <- syscall.ENFILE
	close(f.errors)
	c := NewLimitListener(f, ListenerLimits{Connections: 1})
	for _, want := range []error{syscall.EMFILE, syscall.ENFILE, net.ErrClosed} {
		if _, err := c.Accept(); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Error(err)
	}
	if _, err := c.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("after it was closed: %v", err)
	}
}

// TestPendingConnectionsEndWithTheListener: when a listener is closed, so are its pending connections, and one whose caller becomes known at this moment.
func TestPendingConnectionsEndWithTheListener(t *testing.T) {
	t.Parallel()
	k := newTestListener(t, ListenerLimits{Connections: 9})
	known := k.admit()
	pending, c := k.enter()
	_ = k.Close()
	if !isClosed(pending) || isClosed(known) {
		t.Errorf("closed: a pending one %v, a known caller %v", isClosed(pending), isClosed(known))
	}
	c.finish(nil)
}

// TestLimitListenerLendsSockets: the kernel can be asked for the peer of its socket, and of nothing else.
func TestLimitListenerLendsSockets(t *testing.T) {
	t.Parallel()
	inner, err := ListenTCP("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	l := NewLimitListener(inner, ListenerLimits{Connections: 1, Authenticate: func(c net.Conn) (net.Conn, error) { return c, nil }})
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if raw, err := conn.(syscall.Conn).SyscallConn(); err != nil || raw.Control(func(uintptr) {}) != nil {
		t.Errorf("the socket is not lent: %v", err)
	}
	k := newTestListener(t, ListenerLimits{Connections: 1})
	_, pipe := k.enter()
	if _, err := pipe.SyscallConn(); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a pipe lends a socket: %v", err)
	}
}
