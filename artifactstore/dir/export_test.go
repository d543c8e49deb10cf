package dir

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
)

// CheckRootPath is checkRootPath.
func CheckRootPath(root string) error {
	_, err := checkRootPath(root)
	return err
}

// IsTempName is isTempName.
func IsTempName(name string) bool { return isTempName(name) }
