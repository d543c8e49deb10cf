package telemetry

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/toolresult/toolresult/server"
)

// watchLimit bounds the time in which a server says how it is. While its index is made again it takes half a second; one that keeps a
// lock never does, and must not make a scrape wait.
const watchLimit = 2 * time.Second

// Watch calls state and healthy whenever metrics are collected, and reports what they return as gauges. An error of healthy is a
// server that is not healthy, but [server.ErrEnding], of which nothing is reported: an end that was asked for needs nobody. A server
// that does not answer in 2 s is not healthy either, and its other gauges are absent. Watch is called once, and state and healthy may
// be called from several goroutines.
func (t *Telemetry) Watch(state func() server.State, healthy func(context.Context) error) error {
	all := make([]metric.Observable, 0, len(t.gauges)) // one callback for all, so that they are of one moment
	for _, g := range t.gauges {
		all = append(all, g)
	}
	w := &watch{ask: func() view { return view{healthy(context.Background()), state()} }}
	_, err := t.meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		now, ok := w.look(ctx, watchLimit)
		switch {
		case !ok:
			o.ObserveInt64(t.gauges[serverHealthy], 0)
			return nil
		case now.fault == nil:
			o.ObserveInt64(t.gauges[serverHealthy], 1)
		case !errors.Is(now.fault, server.ErrEnding):
			o.ObserveInt64(t.gauges[serverHealthy], 0)
		}
		t.observe(o, now.state)
		return nil
	}, all...)
	return err
}

// observe reports a state.
func (t *Telemetry) observe(o metric.Observer, now server.State) {
	for name, n := range map[string]int64{
		storeArtifacts: now.Artifacts, storeSize: now.ArtifactBytes, storeQuota: now.QuotaBytes,
		inFlightSize: now.InFlightBytes, inFlightLimit: now.MaxInFlight,
		openConnections: now.Connections, connectionsLimits: now.MaxConnections,
	} {
		o.ObserveInt64(t.gauges[name], n)
	}
	o.ObserveInt64(t.gauges[openCalls], now.OpenUnary, t.attributes(labels{labelKind, "unary"}))
	o.ObserveInt64(t.gauges[openCalls], now.OpenStreams, t.attributes(labels{labelKind, "stream"}))
	for store, n := range now.Waiting {
		o.ObserveInt64(t.gauges[queueLength], n, t.attributes(labels{labelStore, store}))
	}
	if now.ObjectStore {
		o.ObserveInt64(t.gauges[pendingArtifacts], now.PendingArtifacts)
		o.ObserveInt64(t.gauges[pendingSize], now.PendingBytes)
	}
}

// view is what a server says of itself at one moment.
type view struct {
	fault error // why it is not healthy; nil: it is
	state server.State
}

// watch asks a server how it is, once at a time: one that does not answer keeps one goroutine, however often it is scraped. Safe for
// concurrent use.
type watch struct {
	ask func() view

	mu   sync.Mutex
	open *answer // the one that is waited for; nil for none
}

// answer is a view that may be on its way.
type answer struct {
	done chan struct{} // closed when view is there
	view view
}

// look returns how the server is, or false if it does not say so within a limit, or before ctx is done. Calls at the same time share
// one answer.
func (w *watch) look(ctx context.Context, limit time.Duration) (view, bool) {
	patience := time.NewTimer(limit)
	defer patience.Stop()
	a := w.begin()
	select {
	case <-a.done:
		return a.view, true
	case <-patience.C:
	case <-ctx.Done():
	}
	return view{}, false
}

// begin asks, unless an earlier question is open, and returns the answer to be.
func (w *watch) begin() *answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil {
		a := &answer{done: make(chan struct{})}
		w.open = a
		go func() {
			a.view = w.ask()
			w.mu.Lock()
			defer w.mu.Unlock()
			w.open = nil
			close(a.done)
		}()
	}
	return w.open
}
