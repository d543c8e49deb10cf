package dir

import (
	"bytes"
	"context"
	"io"
)

// What the external tests need to see.

// OpenFaulty is OpenDir with a function that is asked before every step and may fail it.
func OpenFaulty(root string, opts Options, fault func(step string) error) (*Store, error) {
	return open(root, opts, func(s step) error { return fault(string(s)) })
}

// The steps that tests treat differently from others.
const (
	StepCreateTemp = string(stepCreateTemp)
	StepWriteTemp  = string(stepWriteTemp)
	StepSyncTemp   = string(stepSyncTemp)
	StepLink       = string(stepLink)
	StepSyncShard  = string(stepSyncShard)
	StepSyncRoot   = string(stepSyncRoot)
	StepSyncStored = string(stepSyncStored)
	StepWithdraw   = string(stepWithdraw)
	StepRemoveTemp = string(stepRemoveTemp)
	StepOpenLock   = string(stepOpenLock)
	StepTakeLock   = string(stepTakeLock)
	StepWriteHint  = string(stepWriteHint)
	StepMark       = string(stepMark)
	StepVerifyTemp = string(stepVerifyTemp)
	StepLinkZstd   = string(stepLinkCompressed)
	StepDropPlain  = string(stepRemovePlain)
)

// CheckRootPath is checkRootPath.
func CheckRootPath(root string) error {
	_, err := checkRootPath(root)
	return err
}

// IsTempName is isTempName.
func IsTempName(name string) bool { return isTempName(name) }

// CompressAny is Compress, whatever the size of an artifact and of its compressed form are; but one without any
// bytes stays as it is.
func CompressAny(d *Store, name string) (done bool, err error) {
	_, done, err = d.compressWith(context.Background(), name, compressPolicy{saving: -1 << 20})
	return done, err
}

// ReadFrames returns the content of a compressed form.
func ReadFrames(file []byte) ([]byte, error) {
	c, err := newCodec()
	if err != nil {
		return nil, err
	}
	r, err := newFrameReader(bytes.NewReader(file), int64(len(file)), c)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(r, 0, r.table.size))
}
