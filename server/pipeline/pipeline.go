// Package pipeline makes a canonical result and its receipt of the complete output of a tool: it decodes, identifies,
// validates, ingests, redacts, projects, renders, records and answers, each in one place. project.go follows one request
// through all of that; turn.go does the same for outputs that share a budget, stream.go for one that arrives in chunks.
package pipeline

import (
	"log/slog"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/compactor"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/server/admission"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/ingest"
	"github.com/toolresult/toolresult/server/metrics"
	"github.com/toolresult/toolresult/server/policy"
	"github.com/toolresult/toolresult/server/recorder"
	"github.com/toolresult/toolresult/server/redaction"
)

// Store is what a Pipeline needs of the catalog of artifacts.
type Store interface {
	artifactstore.Stager
	// SinkFor returns a sink whose puts are durable when they return.
	SinkFor(catalog.Owner) artifactstore.Sink
	// Begin begins what one call puts.
	Begin() Transaction
	Resolve(path string) (name string, err error)
}

// Transaction is what one call puts. It is durable when it is committed.
type Transaction interface {
	recorder.Transaction
	SinkFor(catalog.Owner) artifactstore.Sink
	// Discard ends the transaction. What was not committed is not kept.
	Discard()
}

// Options are what a Pipeline is made of.
type Options struct {
	Registry   *families.Registry
	Policies   *policy.Resolver
	Compactor  *compactor.Compactor // says which results of a turn are failures
	Store      Store
	Roots      []ingest.Root      // whose files may be payloads
	Durability pb.StoreDurability // that answers promise
	Secrets    *redaction.Secrets
	Patterns   *redact.Patterns   // of what looks like a secret; nil: off
	Recorder   *recorder.Recorder // nil: no audit log is kept
	Metrics    metrics.Reporter   // nil: nothing is measured
	Memory     *admission.Memory  // that calls may take at once; nil: it is not bounded
	StreamIdle time.Duration      // that a stream may be without a message
	Logger     *slog.Logger
}

// Pipeline implements the methods of ToolResultService that make results. It returns the errors of the packages that it
// uses; package rpc makes statuses of them. Safe for concurrent use.
type Pipeline struct {
	Options
	requests *recorder.Requests
	shown    *shownOutputs
	focuses  *sessionFocuses
	rules    map[string]bool // of Patterns, by which redactions are counted
}

// New returns a Pipeline.
func New(o Options) *Pipeline {
	p := &Pipeline{Options: o, requests: recorder.NewRequests(o.Recorder), shown: newShownOutputs(), focuses: newSessionFocuses(), rules: map[string]bool{}}
	if o.Patterns != nil {
		for _, kind := range o.Patterns.Kinds() {
			p.rules[kind] = true
		}
	}
	return p
}

// Forget makes outputs that calls of a session show unknown: their results were compacted, so that no later receipt can
// say that its output is the same as theirs.
func (p *Pipeline) Forget(session string, calls []string) { p.shown.forget(session, calls) }

// Owner returns whom the artifacts of a call belong to.
func Owner(c *pb.CallReference) catalog.Owner {
	return catalog.Owner{Session: c.GetSessionId(), Call: c.GetCallId()}
}
