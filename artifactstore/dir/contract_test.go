package dir_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/artifactstoretest"
	"github.com/toolresult/toolresult/artifactstore/dir"
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
	t.Run("compressing Dir", func(t *testing.T) {
		artifactstoretest.Run(t, func(t *testing.T) artifactstore.Store {
			return compressing{openStore(t, t.TempDir()+"/store", dir.Options{}), t}
		})
	})
}

// compressing is a store in which every artifact is compressed at once, but for one without any bytes.
type compressing struct {
	*dir.Store
	t *testing.T
}

func (c compressing) Put(ctx context.Context, b artifactstore.Blob) (artifactstore.Ref, error) {
	ref, err := c.Store.Put(ctx, b)
	if err != nil || ref.Size == 0 {
		return ref, err
	}
	if _, err := dir.CompressAny(c.Store, ref.Name); err != nil {
		c.t.Errorf("compress %s: %v", ref.Name, err)
	}
	if _, err := os.Lstat(ref.Path); !errors.Is(err, fs.ErrNotExist) {
		c.t.Errorf("%s is there after it was compressed: %v", ref.Path, err)
	}
	return ref, nil
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
