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

// knocking is a gate over pipes, with the guests that passed and the connections that became known.
type knocking struct {
	*gate
	*testing.T
	pipes *pipes
	in    chan *guest
	known chan net.Conn
}

// guest is one whose greeting a test ends.
type guest struct {
	*gateConn
	end chan error
}

// finish ends the greeting; nil when the guest is known.
func (g *guest) finish(err error) { g.end <- err }

func newKnocking(t *testing.T, o GateOptions) *knocking {
	k := &knocking{T: t, pipes: &pipes{next: make(chan net.Conn)}, in: make(chan *guest, 64), known: make(chan net.Conn, 64)}
	o.Greet = func(conn net.Conn) (net.Conn, error) {
		g := &guest{conn.(*gateConn), make(chan error, 1)}
		k.in <- g
		return conn, <-g.end
	}
	k.gate = NewGate(k.pipes, o)
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
			(<-k.in).finish(errStranger)
		}
	})
	return k
}

// knock connects, and returns the end of the client.
func (k *knocking) knock() net.Conn {
	client, server := net.Pipe()
	k.pipes.next <- server
	k.Cleanup(func() { _ = client.Close() })
	return client
}

// enter connects, and returns both ends once the guest is in.
func (k *knocking) enter() (net.Conn, *guest) {
	client := k.knock()
	g := <-k.in
	k.Cleanup(func() { // a greeting that the test did not end
		select {
		case g.end <- errStranger:
		default:
		}
	})
	return client, g
}

// admit connects a known caller.
func (k *knocking) admit() net.Conn {
	client, g := k.enter()
	g.finish(nil)
	<-k.known
	return client
}

// isClosed reports whether the other end closed a connection.
func isClosed(c net.Conn) bool {
	_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := c.Read(make([]byte, 1))
	return err != nil && !errors.Is(err, os.ErrDeadlineExceeded)
}

// TestGuestsGiveWay fills a gate: guests make place for newer ones, known callers for nobody.
func TestGuestsGiveWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := newKnocking(t, GateOptions{Connections: 3, Guests: 2})
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
			t.Errorf("a connection finds a place where all are of known callers")
		}
		_ = end.Close()
		_ = end.Close()
		sixth, g := k.enter()
		if isClosed(sixth) || k.Open() != 3 {
			t.Errorf("a connection that ended leaves no place; %d are open", k.Open())
		}
		g.finish(errStranger)
		synctest.Wait()
		if !isClosed(sixth) || k.Open() != 2 {
			t.Errorf("a stranger stays; %d are open", k.Open())
		}
	})
}

// TestStrangersAreTakenSlowly: a guest keeps its place for Stay, however early it leaves, so strangers come in at Guests a Stay at
// most. A place that a known caller had is free at once, and no guest gives way before it had the time.
func TestStrangersAreTakenSlowly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		guests, stay := rapid.IntRange(1, 5).Draw(r, "guests"), 20*time.Millisecond
		strangers := rapid.SliceOfN(rapid.Bool(), 1, 40).Draw(r, "strangers leave at once")
		knownEvery := rapid.IntRange(2, 9).Draw(r, "known every")
		synctest.Test(t, func(t *testing.T) {
			k := newKnocking(t, GateOptions{Connections: 1000, Guests: guests, Stay: stay})
			began, taken := time.Now(), 0
			for i, leaves := range strangers {
				if i%knownEvery == 0 { // waits for a place as others do, and takes none
					k.admit()
				}
				client, g := k.enter()
				if taken++; leaves {
					_ = client.Close()
					g.finish(errStranger)
				}
				if allowed := guests * (1 + int(time.Since(began)/stay)); taken > allowed {
					r.Fatalf("%d strangers were taken within %v, and %d may be", taken, time.Since(began), allowed)
				}
				if !leaves && isClosed(client) {
					r.Fatalf("a guest is closed when it comes in")
				}
			}
			if limit := time.Duration(len(strangers)+1) * (stay + 2*time.Millisecond); time.Since(began) > limit {
				r.Fatalf("%d strangers took %v", len(strangers), time.Since(began))
			}
			if open := k.Open(); open > guests+len(strangers) {
				r.Fatalf("%d are open", open)
			}
		})
	})
}

// TestGuestsSendLittle: what is read of a guest ends at the bound, and what a known caller sends does not.
func TestGuestsSendLittle(t *testing.T) {
	t.Parallel()
	for _, known := range []bool{false, true} {
		k := newKnocking(t, GateOptions{Connections: 9, Bytes: 1000})
		client, g := k.enter()
		if known {
			g.finish(nil)
			<-k.known
		}
		go func() {
			_, _ = client.Write(make([]byte, 3000))
			_ = client.Close()
		}()
		read := 0
		var err error
		for buf, n := make([]byte, 700), 0; err == nil; {
			n, err = g.Read(buf)
			read += n
		}
		if want := map[bool]int{false: 1000, true: 3000}[known]; read != want {
			t.Errorf("known %v: %d bytes are read, want %d", known, read, want)
		}
		_ = g.Close() // so that the client's write ends
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
	g := NewGate(f, GateOptions{Connections: 1})
	for _, want := range []error{syscall.EMFILE, syscall.ENFILE, net.ErrClosed} {
		if _, err := g.Accept(); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	if err := errors.Join(g.Close(), g.Close()); err != nil {
		t.Error(err)
	}
	if _, err := g.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("after it was closed: %v", err)
	}
}

// TestGuestsEndWithTheGate: when a gate is closed, so are its guests, and one that becomes known at this moment.
func TestGuestsEndWithTheGate(t *testing.T) {
	t.Parallel()
	k := newKnocking(t, GateOptions{Connections: 9})
	known := k.admit()
	guest, g := k.enter()
	_ = k.Close()
	if !isClosed(guest) || isClosed(known) {
		t.Errorf("closed: the guest %v, a known caller %v", isClosed(guest), isClosed(known))
	}
	g.finish(nil)
}

// TestGateLendsSockets: the kernel can be asked for the peer of a socket that passed a gate, and of nothing else.
func TestGateLendsSockets(t *testing.T) {
	t.Parallel()
	inner, err := ListenTCP("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	l := NewGate(inner, GateOptions{Connections: 1, Greet: func(c net.Conn) (net.Conn, error) { return c, nil }})
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
	k := newKnocking(t, GateOptions{Connections: 1})
	_, pipe := k.enter()
	if _, err := pipe.SyscallConn(); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a pipe lends a socket: %v", err)
	}
}
