package artifactstore

// What the external tests need to see.

// OpenDirFaulty is OpenDir with a function that is asked before every step and may fail it.
func OpenDirFaulty(root string, opts DirOptions, fault func(step string) error) (*Dir, error) {
	return openDir(root, opts, func(s step) error { return fault(string(s)) })
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
)

// CheckName is checkName.
func CheckName(name string) error { return checkName(name) }

// CheckRootPath is checkRootPath.
func CheckRootPath(root string) error {
	_, err := checkRootPath(root)
	return err
}

// IsTempName is isTempName.
func IsTempName(name string) bool { return isTempName(name) }

// FileSystemByMagic is fileSystemByMagic.
func FileSystemByMagic(magic uint32) FileSystem { return fileSystemByMagic(magic) }
