package auditapi_test

import (
	"testing"

	"github.com/toolresult/toolresult/integration/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// harness adds the helpers of this package to a servertest.Harness.
type harness struct{ *servertest.Harness }

func newHarness(t testing.TB) harness { return harness{servertest.New(t)} }

// newArchive returns a harness with an audit log.
func newArchive(t testing.TB) harness { return harness{servertest.NewArchive(t)} }
