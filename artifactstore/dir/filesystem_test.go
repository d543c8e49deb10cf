package dir

import "testing"

// TestFileSystemsByName has the names of macOS, on any system.
func TestFileSystemsByName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		local bool
		want  FileSystem
	}{
		{"apfs", true, FileSystem{Kind: "apfs"}},
		{"hfs", true, FileSystem{Kind: "hfs"}},
		{"tmpfs", true, FileSystem{Kind: "tmpfs", Volatile: true}},
		{"smbfs", false, FileSystem{Kind: "smb", Network: true}},
		{"nfs", false, FileSystem{Kind: "nfs", Network: true}},
		{"macfuse", true, FileSystem{Kind: "fuse", Network: true}}, // whatever it says of itself
		{"later", false, FileSystem{Kind: "later", Network: true}},
		{"later", true, FileSystem{Kind: "later"}},
	} {
		if got := fileSystemByName(c.name, c.local); got != c.want {
			t.Errorf("%s, local %v: %+v, want %+v", c.name, c.local, got, c.want)
		}
	}
}
