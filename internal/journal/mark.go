package journal

import (
	"errors"
	"os"
	"path/filepath"
)

// markName is the file that says that the journal is open. If it is there when the journal is opened, then the process before ended
// without closing it, maybe because the machine did, and what nobody synced may be torn or missing.
const markName = "OPEN"

// markOpen makes the mark durable, and reports whether it was there.
func markOpen(dir string) (suspect bool, err error) {
	f, err := os.OpenFile(filepath.Join(dir, markName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, readMode)
	if errors.Is(err, os.ErrExist) {
		return true, nil
	} else if err != nil {
		return true, err
	}
	if err := errors.Join(f.Chmod(readMode), f.Close()); err != nil { // whatever the umask
		return false, err
	}
	return false, syncFolder(dir)
}

// Suspect reports whether the journal was not closed the last time: what was written beside it without a sync may be torn or missing.
func (j *Journal) Suspect() bool { return j.suspect }

// markClosed removes the mark, if everything is durable by itself.
func (j *Journal) markClosed() error {
	if j.o.Dir == "" || j.failure.Load() != nil {
		return nil
	}
	for _, g := range j.open {
		if len(g.places[Temporary]) > g.settled {
			return nil
		}
	}
	if err := os.Remove(filepath.Join(j.o.Dir, markName)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Unsettled returns the number of temporary entries that were appended since Settled was called.
func (j *Journal) Unsettled() (n int) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	for _, g := range j.open {
		n += len(g.places[Temporary]) - g.settled
	}
	return n
}

// Settled says that what all temporary entries have is durable elsewhere. A journal that is closed then is not suspect.
func (j *Journal) Settled() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, g := range j.open {
		g.settled = len(g.places[Temporary])
	}
}

// EachTemporary calls visit with the data of the temporary entries, in their order. Data is valid until visit returns.
func (j *Journal) EachTemporary(visit func(data []byte) error) error {
	j.mu.RLock()
	open := j.open
	j.mu.RUnlock()
	for _, g := range open {
		g.reading.RLock()
		err := g.eachTemporary(visit)
		g.reading.RUnlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// eachTemporary is EachTemporary for one segment.
func (g *segment) eachTemporary(visit func(data []byte) error) error {
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
	return nil
}
