package sidecar_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/toolresult/toolresult/internal/sidecar"
)

// TestKeepFresh has a socket that a clean-up would soon remove, twice, beside paths that are none.
func TestKeepFresh(t *testing.T) {
	t.Parallel()
	path := filepath.Join(shortDir(t), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		sidecar.KeepFresh(ctx, time.Millisecond, "", filepath.Join(path, "none"), path)
	}()
	long := time.Now().Add(-80 * time.Hour).Truncate(time.Second)
	for range 2 {
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			accessed, modified := timesOf(t, path)
			if time.Since(accessed) < time.Hour {
				if !modified.Equal(long) {
					t.Errorf("the content is of %v, not of %v", modified, long)
				}
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("last accessed at %v", accessed)
			}
		}
	}
	stop()
	<-ended
}
