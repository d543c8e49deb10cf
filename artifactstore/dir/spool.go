package dir

import (
	"context"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
)

// Touch notes that the artifact called name is in use: [Held].Stored is then. It is a hint, which a power cut may take
// back, and a failure is of no account. A store that uses a directory as its spool knows by it what to keep there.
func (d *Store) Touch(name string) {
	if artifactstore.CheckName(name) != nil || d.enter(context.Background()) != nil {
		return
	}
	defer d.ops.Done()
	now := time.Now()
	_ = d.root.Chtimes(location(name), now, now)
}
