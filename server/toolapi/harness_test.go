package toolapi_test

import (
	"testing"

	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/server/toolapi"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// desk is a servertest.Harness with the tool that a model is given.
type desk struct {
	*servertest.Harness
	tools *toolapi.Service
}

func newDesk(t testing.TB) desk { return deskOf(servertest.New(t)) }

func deskOf(h *servertest.Harness) desk {
	return desk{h, toolapi.New(toolapi.Options{
		Registry: h.Registry, Policies: h.Policies, Catalog: h.Catalog, Sink: h.Catalog.SinkFor, Secrets: h.Options.Secrets,
		Patterns: h.Options.Patterns, Recorder: h.Options.Recorder, Metrics: h.Options.Metrics,
	})}
}
