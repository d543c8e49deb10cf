package sqlitedb

import "golang.org/x/sys/unix"

// mountReadOnly is the flag of statfs(2) of a file system that is read-only.
const mountReadOnly = unix.MNT_RDONLY

// syncPragmas are what SQLite needs to make a sync one: without them it calls fsync(2), which leaves the data in the cache of the disk
// (sqlite.org/pragma.html#pragma_fullfsync).
var syncPragmas = []string{"fullfsync = ON", "checkpoint_fullfsync = ON"}
