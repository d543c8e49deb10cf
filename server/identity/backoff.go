package identity

import (
	"container/list"
	"net/netip"
	"sync"
	"time"
)

// Bounds of wrong tokens: a peer that sends more is asked to wait, and its calls are no record each. They slow no guessing
// down, because the right token is never kept waiting: a token must be random.
const (
	maxWrongTokens = 32          // of one peer, before it has to wait
	wrongTokenFade = time.Second // after which one of them is forgotten
	maxPeers       = 1024        // that are remembered
)

// backoff makes peers wait that send wrong tokens. A peer is an address or, of IPv6, the network of one machine;
// all addresses of loopback are one.
type backoff struct {
	mu     sync.Mutex
	peers  map[netip.Addr]*list.Element
	recent list.List // of *wrongTokens, the last one first
}

// wrongTokens is one peer. The wrong tokens that it sent are forgotten one after the other, all of them at clear.
type wrongTokens struct {
	peer  netip.Addr
	clear time.Time
}

func newBackoff() *backoff { return &backoff{peers: map[netip.Addr]*list.Element{}} }

// wrong notes that a peer sent a wrong token, and returns how long it has to wait, if it sent too many.
func (b *backoff) wrong(address netip.Addr) (wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now, peer := time.Now(), peerAt(address)
	e, known := b.peers[peer]
	if known {
		w := e.Value.(*wrongTokens)
		if wait := w.clear.Sub(now) - (maxWrongTokens-1)*wrongTokenFade; wait > 0 {
			return wait
		}
	}
	if !known {
		e = b.recent.PushFront(&wrongTokens{peer: peer})
		b.peers[peer] = e
	}
	w := e.Value.(*wrongTokens)
	if w.clear.Before(now) {
		w.clear = now
	}
	w.clear = w.clear.Add(wrongTokenFade)
	b.recent.MoveToFront(e)
	if b.recent.Len() > maxPeers {
		oldest := b.recent.Back()
		delete(b.peers, b.recent.Remove(oldest).(*wrongTokens).peer)
	}
	return 0
}

// peerAt is the peer that an address belongs to.
func peerAt(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	switch {
	case a.IsLoopback():
		return netip.IPv6Loopback()
	case a.Is6():
		if network, err := a.Prefix(64); err == nil {
			return network.Masked().Addr()
		}
	}
	return a
}
