package telemetry

import "go.opentelemetry.io/otel/trace"

// Tracer returns the tracer, which begins spans as that of a call is begun.
func (t *Telemetry) Tracer() trace.Tracer { return t.tracer }

// RereadTracker remembers truncated receipts.
type RereadTracker struct{ *rereadTracker }

// NewRereadTracker returns one that remembers some receipts.
func NewRereadTracker(size int) RereadTracker { return RereadTracker{newRereadTracker(size)} }

// Add adds a receipt.
func (r RereadTracker) Add(family string, names []string) { r.add(family, names) }

// Read reads an artifact.
func (r RereadTracker) Read(name string) (named bool, first string) { return r.read(name) }

// Names returns the number of names that are remembered.
func (r RereadTracker) Names() int { return len(r.latest) }

// MaxNames is how many artifacts of a receipt are remembered.
const MaxNames = maxNames
