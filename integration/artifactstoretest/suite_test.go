package artifactstoretest_test

import (
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/integration/artifactstoretest"
)

// TestSuiteAcceptsAnotherStore runs the suite over a store that wraps another one, as users write them: it needs no type of
// this module beside the interfaces.
func TestSuiteAcceptsAnotherStore(t *testing.T) {
	t.Parallel()
	artifactstoretest.Run(t, func(*testing.T) artifactstore.Store { return &traced{Store: memory.New()} })
	artifactstoretest.RunLogs(t, false, func(*testing.T) artifactstoretest.LogStore { return &traced{Store: memory.New()} })
}
