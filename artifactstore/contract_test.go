package artifactstore_test

import (
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/artifactstoretest"
)

func TestContract(t *testing.T) {
	t.Run("Memory", func(t *testing.T) {
		artifactstoretest.Run(t, func(*testing.T) artifactstore.Store { return artifactstore.NewMemory() })
	})
	t.Run("Dir", func(t *testing.T) {
		artifactstoretest.Run(t, func(t *testing.T) artifactstore.Store {
			return openStore(t, t.TempDir()+"/store", artifactstore.DirOptions{})
		})
	})
	t.Run("volatile Dir", func(t *testing.T) {
		artifactstoretest.Run(t, func(t *testing.T) artifactstore.Store {
			return openStore(t, t.TempDir()+"/store", artifactstore.DirOptions{Volatile: true})
		})
	})
}

func TestContractOfLogs(t *testing.T) {
	t.Run("Memory", func(t *testing.T) {
		artifactstoretest.RunLogs(t, false, func(*testing.T) artifactstoretest.LogStore { return artifactstore.NewMemory() })
	})
	for name, opts := range map[string]artifactstore.DirOptions{"Dir": {}, "volatile Dir": {Volatile: true}} {
		t.Run(name, func(t *testing.T) {
			artifactstoretest.RunLogs(t, !opts.Volatile, func(t *testing.T) artifactstoretest.LogStore {
				return openStore(t, t.TempDir()+"/store", opts)
			})
		})
	}
}
