package identity

import (
	"container/list"
	"net/netip"
	"sync"
	"time"
)

// Bounds of wrong tokens. Who guesses a token of 16 random bytes never gets there; these slow down who guesses one
// that an operator thought up.
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

// attempt lets a peer try a token, unless it sent too many wrong ones: then nothing is tried, and it has to wait. The
// tries of all peers are one after the other, so that many at the same time are no way around.
func (b *backoff) attempt(address netip.Addr, try func() bool) (right bool, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now, peer := time.Now(), peerAt(address)
	e, known := b.peers[peer]
	if known {
		w := e.Value.(*wrongTokens)
		if wait := w.clear.Sub(now) - (maxWrongTokens-1)*wrongTokenFade; wait > 0 {
			return false, wait
		}
	}
	if try() {
		return true, 0
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
	return false, 0
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
