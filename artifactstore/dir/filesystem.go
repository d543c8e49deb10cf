package dir

// FileSystem is the kind of a file system.
type FileSystem struct {
	// Kind is its usual name, such as "ext4" or "apfs". On Linux it is the magic number, such as "0x1badface", if this
	// package does not know it.
	Kind string
	// Volatile means that its content is lost at power-off.
	Volatile bool
	// Network means that another machine or a program serves it, which decides what locks, links and fsync do. All
	// FUSE file systems count.
	Network bool
}

// networkNames are file systems of macOS that another machine or a program serves, by their names of statfs(2). Some of them count as
// local there.
var networkNames = map[string]string{
	"nfs": "nfs", "smbfs": "smb", "afpfs": "afp", "webdav": "webdav", "ftp": "ftp", "autofs": "autofs",
	"osxfuse": "fuse", "macfuse": "fuse", "fusefs": "fuse", "fuse": "fuse", "lifs": "lifs",
}

// fileSystemByName returns the file system of a name of statfs(2) of macOS, and of whether the system counts it as local. A disk in
// memory has the name of its format, such as apfs, and looks like any other.
func fileSystemByName(name string, local bool) FileSystem {
	if kind, ok := networkNames[name]; ok {
		return FileSystem{Kind: kind, Network: true}
	}
	return FileSystem{Kind: name, Volatile: name == "tmpfs", Network: !local}
}
