package sidecar

import (
	"context"
	"os"
	"time"
)

// FreshEvery is how often files in a runtime directory are to be accessed, so that no clean-up takes them for forgotten ones (XDG Base
// Directory Specification). macOS removes from its temporary directories what nobody accessed for three days.
const FreshEvery = 6 * time.Hour

// KeepFresh sets the time of access of files to the present one, again and again after some time, until ctx is done. Empty paths
// and files that are not there are passed over.
func KeepFresh(ctx context.Context, every time.Duration, paths ...string) {
	again := time.NewTicker(every)
	defer again.Stop()
	for {
		for _, path := range paths {
			_ = os.Chtimes(path, time.Now(), time.Time{}) // the time of the content stays
		}
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
	}
}
