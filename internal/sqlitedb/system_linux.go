package sqlitedb

import "golang.org/x/sys/unix"

// mountReadOnly is the flag of statfs(2) of a file system that is read-only.
const mountReadOnly = unix.ST_RDONLY

// syncPragmas are what SQLite needs to make a sync one: nothing here.
var syncPragmas []string
