package transportapi_test

import (
	"testing"

	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/server/transportapi"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// maxAnswer bounds answers, in bytes.
const maxAnswer = 4 << 20

// harness is a servertest.Harness with a TransportService.
type harness struct {
	*servertest.Harness
	transport *transportapi.Service
}

func newHarness(t testing.TB) harness {
	h := servertest.New(t)
	return harness{h, serviceOf(h, maxAnswer)}
}

// serviceOf returns a TransportService whose answers have at most limit bytes.
func serviceOf(h *servertest.Harness, limit int) *transportapi.Service {
	return transportapi.New(transportapi.Options{
		Registry: h.Registry, Policies: h.Policies, Catalog: h.Catalog, Screen: h.Screen(), StreamIdle: servertest.Idle, MaxAnswer: limit,
	})
}
