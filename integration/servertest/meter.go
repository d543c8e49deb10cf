package servertest

import (
	"context"
	"sync"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/toolresult/toolresult/server/metrics"
)

// A Meter is a metrics.Reporter that keeps reports of results. Safe for concurrent use, but for Compactions.
type Meter struct {
	Compactions []metrics.Compacted

	mu        sync.Mutex
	projected []*metrics.Projected
}

// Projected keeps p.
func (m *Meter) Projected(_ context.Context, p *metrics.Projected) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.projected = append(m.projected, p)
}

// Compacted keeps c.
func (m *Meter) Compacted(c metrics.Compacted) { m.Compactions = append(m.Compactions, c) }

// Take returns the projections that were reported since the last Take.
func (m *Meter) Take() []*metrics.Projected {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.projected
	m.projected = nil
	return list
}

// Put implements metrics.Reporter.
func (*Meter) Put(context.Context, int64, time.Time, error) {}

// Call implements metrics.Reporter.
func (*Meter) Call(string, codes.Code, time.Duration) {}

// Read implements metrics.Reporter.
func (*Meter) Read(metrics.Read) {}

// Step implements metrics.Reporter.
func (*Meter) Step(context.Context, string, time.Time, error) {}

// Commits implements metrics.Reporter.
func (*Meter) Commits(string, int, time.Duration, time.Duration) {}
