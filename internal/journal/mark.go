package journal

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
)

// markName is the file that says that the journal is open, with the name of this run of the machine. If it is there when the journal is
// opened, and the machine was started since, then what nobody synced may be torn or missing.
const markName = "OPEN"

// bootID returns the name of this run of the machine; empty: it is not known, and every start is another one.
var bootID = sync.OnceValue(func() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // elsewhere there is none
	return string(id)
})

// markOpen writes the mark, durably, and reports whether the machine was started while the journal was open.
func markOpen(dir string) (suspect bool, err error) {
	path := filepath.Join(dir, markName)
	before, err := os.ReadFile(path)
	switch {
	case err == nil && bootID() != "" && string(before) == bootID():
		return false, nil // the process before was killed, and what it wrote is there
	case err == nil:
		suspect = true
	case !errors.Is(err, os.ErrNotExist):
		return true, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, writeMode)
	if err != nil {
		return suspect, err
	}
	_, err = f.WriteString(bootID())
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return suspect, err
	}
	return suspect, syncFolder(dir)
}

// markClosed removes the mark, if everything is durable by itself.
func (j *Journal) markClosed() error {
	if j.o.Dir == "" || j.failure.Load() != nil {
		return nil
	}
	for _, g := range j.open {
		if len(g.places[Temporary]) > 0 {
			return nil
		}
	}
	if err := os.Remove(filepath.Join(j.o.Dir, markName)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Suspect reports whether the machine was started while the journal was open the last time: what was written beside it without a sync
// may be torn or missing.
func (j *Journal) Suspect() bool { return j.suspect }

// EachTemporary calls visit with the data of the temporary entries, in their order. Data is valid until visit returns.
func (j *Journal) EachTemporary(visit func(data []byte) error) error {
	j.mu.RLock()
	open := j.open
	j.mu.RUnlock()
	for _, g := range open {
		for _, p := range g.places[Temporary] {
			e, err := g.readFrame(p.offset)
			if errors.Is(err, ErrDamaged) {
				continue // nobody was answered, or the store has it
			}
			if err != nil {
				return err
			}
			if err := visit(e.Data); err != nil {
				return err
			}
		}
	}
	return nil
}
