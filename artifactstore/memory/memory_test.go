package memory_test

import (
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/integration/artifactstoretest"
)

func TestContract(t *testing.T) {
	artifactstoretest.Run(t, func(*testing.T) artifactstore.Store { return memory.New() })
}

func TestContractOfLogs(t *testing.T) {
	artifactstoretest.RunLogs(t, false, func(*testing.T) artifactstoretest.LogStore { return memory.New() })
}
