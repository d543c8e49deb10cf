package dir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/toolresult/toolresult/artifactstore"
)

// step is the name of one operation on the file system. Errors begin with it, and tests make chosen ones fail.
type step string

// Every step of a directory store, in the order in which opening one and putting into it takes them.
const (
	stepMakeRoot     step = "create store directory"
	stepProtectRoot  step = "protect store directory"
	stepOpenLock     step = "open lock file"
	stepTakeLock     step = "take lock"
	stepWriteHint    step = "write lock file"
	stepMakeTempDir  step = "create temporary directory"
	stepSweep        step = "remove leftover temporary file"
	stepSyncParents  step = "sync parent directories"
	stepMakeShard    step = "create shard directory"
	stepProtectShard step = "protect shard directory"
	stepSyncRoot     step = "sync store directory"
	stepCreateTemp   step = "create temporary file"
	stepProtectTemp  step = "protect temporary file"
	stepWriteTemp    step = "write temporary file"
	stepFreezeTemp   step = "make temporary file read-only"
	stepSyncTemp     step = "sync temporary file"
	stepLink         step = "link artifact"
	stepLinkFormat   step = "link format file"
	stepLinkIndex    step = "name index"
	stepSyncShard    step = "sync shard directory"
	stepSyncStored   step = "sync stored artifact"
	stepWithdraw     step = "withdraw artifact"
	stepRemoveTemp   step = "remove temporary file"

	stepRemoveArtifact step = "remove artifact"
	stepSettle         step = "sync file system"
)

// The steps of a log, in the order in which a new one takes them.
const (
	stepMakeLive    step = "create directory of logs"
	stepClearMarks  step = "remove leftover marks of log"
	stepCreateMarks step = "create marks of log"
	stepWriteMarks  step = "write marks of log"
	stepSyncMarks   step = "sync marks of log"
	stepCreateLog   step = "create log"
	stepProtectLog  step = "protect log"
	stepSyncLog     step = "sync log"
	stepSyncLive    step = "sync directory of logs"
	stepOpenLog     step = "open log"
	stepCutLog      step = "cut log"
	stepWriteLog    step = "write log"
	stepMarkLog     step = "mark log"
	stepFreezeLog   step = "make log read-only"
	stepPointLog    step = "create pointer to artifact"
	stepReplaceLog  step = "replace log by pointer"
	stepRemoveMarks step = "remove marks of log"
)

// stepError wraps an error with the step that failed and the sentinel of its errno. It drops the path that package os
// adds: a temporary name is random, and error texts must not be.
func stepError(s step, err error) error {
	var pathErr *fs.PathError
	var linkErr *os.LinkError
	switch {
	case errors.As(err, &pathErr):
		err = pathErr.Err
	case errors.As(err, &linkErr):
		err = linkErr.Err
	}
	sentinel := artifactstore.Sentinel(err)
	if sentinel == nil && errors.Is(err, syscall.EIO) && s != stepSyncLog && s != stepSyncMarks { // after those a log takes nothing more
		sentinel = artifactstore.ErrDisk
	}
	if sentinel != nil {
		return fmt.Errorf("%s: %w: %w", s, sentinel, err)
	}
	return fmt.Errorf("%s: %w", s, err)
}

// faultFunc is called before every step. If it returns an error, the step fails with that and is not run. It is nil outside
// of tests.
type faultFunc func(step) error

// do runs one step, again if a signal interrupted it: Go repeats interrupted system calls except for link and rename.
func (f faultFunc) do(s step, op func() error) error {
	for {
		switch err := f.try(s, op); {
		case err == nil:
			return nil
		case !errors.Is(err, syscall.EINTR):
			return stepError(s, err)
		}
	}
}

// try runs one step once, unless a test makes it fail.
func (f faultFunc) try(s step, op func() error) error {
	if f != nil {
		if err := f(s); err != nil {
			return err
		}
	}
	return op()
}
