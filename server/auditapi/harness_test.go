package auditapi_test

import (
	"testing"

	"github.com/toolresult/toolresult/integration/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// harness is a servertest.Harness with what the tests of this package do with it.
type harness struct{ *servertest.Harness }

func newHarness(t testing.TB) harness { return harness{servertest.New(t)} }

// newArchive returns a harness with an audit log.
func newArchive(t testing.TB) harness { return harness{servertest.NewArchive(t)} }
