package telemetry

import "go.opentelemetry.io/otel/trace"

// Tracer begins spans as that of a call is begun.
func (t *Telemetry) Tracer() trace.Tracer { return t.tracer }

// Regrets remembers truncated receipts.
type Regrets struct{ *regrets }

// NewRegrets returns one that remembers some receipts.
func NewRegrets(size int) Regrets { return Regrets{newRegrets(size)} }

// Add adds a receipt, and Read reads an artifact.
func (r Regrets) Add(family string, names []string) { r.add(family, names) }

// Read reads an artifact.
func (r Regrets) Read(name string) (named bool, first string) { return r.read(name) }

// Held is how many names are remembered.
func (r Regrets) Held() int { return len(r.latest) }

// MaxNames is how many artifacts of a receipt are remembered.
const MaxNames = maxNames
