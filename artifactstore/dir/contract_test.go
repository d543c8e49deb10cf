package dir_test

import (
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/integration/artifactstoretest"
)

func TestContract(t *testing.T) {
	t.Run("Dir", func(t *testing.T) {
		artifactstoretest.Run(t, func(t *testing.T) artifactstore.Store {
			return openStore(t, t.TempDir()+"/store", dir.Options{})
		})
	})
	t.Run("volatile Dir", func(t *testing.T) {
		artifactstoretest.Run(t, func(t *testing.T) artifactstore.Store {
			return openStore(t, t.TempDir()+"/store", dir.Options{Volatile: true})
		})
	})
}

func TestContractOfLogs(t *testing.T) {
	for name, opts := range map[string]dir.Options{"Dir": {}, "volatile Dir": {Volatile: true}} {
		t.Run(name, func(t *testing.T) {
			artifactstoretest.RunLogs(t, !opts.Volatile, func(t *testing.T) artifactstoretest.LogStore {
				return openStore(t, t.TempDir()+"/store", opts)
			})
		})
	}
}
