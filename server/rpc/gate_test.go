package rpc

import (
	"errors"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener of connections in memory, so that a test has a time of its own.
type pipes struct {
	net.Listener
	next chan net.Conn
}

func (p *pipes) Accept() (net.Conn, error) {
	c, ok := <-p.next
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

// knocking is a gate over pipes, with the connections that passed.
type knocking struct {
	*gate
	*testing.T
	pipes *pipes
	in    chan *gateConn
}

func newKnocking(t *testing.T, o GateOptions) *knocking {
	k := &knocking{T: t, pipes: &pipes{next: make(chan net.Conn)}, in: make(chan *gateConn, 64)}
	k.gate = NewGate(k.pipes, o)
	go func() {
		for {
			c, err := k.Accept()
			if err != nil {
				close(k.in)
				return
			}
			k.in <- c.(*gateConn)
		}
	}()
	t.Cleanup(func() { close(k.pipes.next) })
	return k
}

// knock connects, and returns the end of the client.
func (k *knocking) knock() net.Conn {
	client, server := net.Pipe()
	k.pipes.next <- server
	k.Cleanup(func() { _ = client.Close() })
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
		known := k.knock()
		admitted := <-k.in
		admitted.Admit()
		admitted.Admit()
		first, second := k.knock(), k.knock()
		<-k.in
		<-k.in
		third := k.knock()
		(<-k.in).Admit()
		if !isClosed(first) || isClosed(second) || isClosed(third) || isClosed(known) || k.Open() != 3 {
			t.Errorf("closed: %v %v %v %v, open %d", isClosed(first), isClosed(second), isClosed(third), isClosed(known), k.Open())
		}
		fourth := k.knock()
		last := <-k.in
		last.Admit()
		if !isClosed(second) || isClosed(fourth) || k.Open() != 3 {
			t.Errorf("closed: %v %v, open %d", isClosed(second), isClosed(fourth), k.Open())
		}
		if fifth := k.knock(); !isClosed(fifth) || isClosed(known) || k.Open() != 3 {
			t.Errorf("a connection finds a place where all are of known callers")
		}
		_ = last.Close()
		_ = last.Close()
		if sixth := k.knock(); isClosed(sixth) {
			t.Errorf("a connection that ended leaves no place")
		}
		if k.Open() != 3 {
			t.Errorf("%d are open", k.Open())
		}
	})
}

// TestGuestsHaveLittleTime: a guest is closed when its time is over, and nobody else.
func TestGuestsHaveLittleTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := newKnocking(t, GateOptions{Connections: 9, Time: 15 * time.Second})
		guest := k.knock()
		<-k.in
		time.Sleep(time.Second)
		known := k.knock()
		(<-k.in).Admit()
		time.Sleep(13 * time.Second)
		if isClosed(guest) {
			t.Error("too early")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if !isClosed(guest) || k.Open() != 1 {
			t.Errorf("a guest stays; %d are open", k.Open())
		}
		time.Sleep(time.Hour)
		if isClosed(known) {
			t.Error("a known caller is closed")
		}
	})
}

// TestGuestsSendLittle: what is read of a guest ends at the bound, and what a known caller sends does not.
func TestGuestsSendLittle(t *testing.T) {
	t.Parallel()
	for _, known := range []bool{false, true} {
		k := newKnocking(t, GateOptions{Connections: 9, Bytes: 1000})
		client := k.knock()
		server := <-k.in
		if known {
			server.Admit()
		}
		go func() {
			_, _ = client.Write(make([]byte, 3000))
			_ = client.Close()
		}()
		read := 0
		for buf := make([]byte, 700); ; {
			n, err := server.Read(buf)
			if read += n; err != nil {
				break
			}
		}
		if want := map[bool]int{false: 1000, true: 3000}[known]; read != want {
			t.Errorf("known %v: %d bytes are read, want %d", known, read, want)
		}
	}
}

// TestGateLendsSockets: the kernel can be asked for the peer of a socket that passed a gate, and of nothing else.
func TestGateLendsSockets(t *testing.T) {
	t.Parallel()
	inner, err := ListenTCP("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	l := NewGate(inner, GateOptions{Connections: 1})
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
	k.knock()
	if _, err := (<-k.in).SyscallConn(); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a pipe lends a socket: %v", err)
	}
}
