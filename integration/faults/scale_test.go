//go:build linux

package faults_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// TestManyArtifacts is J15: a store with a million artifacts opens in less than 2 s, and no directory has more
// than 4,096 entries. The short form has as many as the machine makes in some seconds, and holds the directories
// to as much less.
func TestManyArtifacts(t *testing.T) {
	leg(t)
	const million, most = 1_000_000, 4096
	artifacts := count(t, artifactsVar, 50_000)
	root := filepath.Join(shortDir(t), "store")
	began := time.Now()
	d, err := dir.Open(root, dir.Options{Volatile: true})
	must(t, err)
	var writers sync.WaitGroup
	for writer := range 4 {
		writers.Go(func() {
			for i := writer; i < artifacts; i += 4 {
				if _, err := d.Put(context.Background(), artifactstore.BytesBlob(fmt.Appendf(nil, "artifact %d", i))); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	writers.Wait()
	must(t, d.Close())
	made := time.Since(began)
	largest, seen := 0, 0
	directories, err := os.ReadDir(root)
	must(t, err)
	for _, directory := range directories {
		if directory.IsDir() {
			entries, err := os.ReadDir(filepath.Join(root, directory.Name()))
			must(t, err)
			largest, seen = max(largest, len(entries)), seen+len(entries)
		}
	}
	if seen != artifacts {
		t.Errorf("%d files of %d artifacts", seen, artifacts)
	}
	if bound := max(200, most*artifacts/million); largest > bound {
		t.Errorf("a directory has %d entries, %d at most are allowed of %d artifacts", largest, bound, artifacts)
	}
	sidecarBinary(t)
	startSidecar(t, launch{Store: root}).Terminate() // it finds artifacts without a catalog, and enters them all
	began = time.Now()
	s := startSidecar(t, launch{Store: root})
	started := time.Since(began)
	if started > 2*time.Second {
		t.Errorf("the start took %v", started)
	}
	answer, err := s.inOneMessage(t.Context(), numbered(2000))
	must(t, err)
	s.wantWhole(t, artifactOf(answer), numbered(2000))
	remark(t, "%d artifacts made in %v; the start took %v, the largest directory has %d entries",
		artifacts, made.Round(time.Second), started.Round(time.Millisecond), largest)
}
