package dir_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/toolresult/toolresult/artifactstore/dir"
)

func TestFileSystemsByMagic(t *testing.T) {
	cases := map[uint32]dir.FileSystem{
		0xef53:     {Kind: "ext4"},
		0x58465342: {Kind: "xfs"},
		0x794c7630: {Kind: "overlay"},
		0x01021994: {Kind: "tmpfs", Volatile: true},
		0x858458f6: {Kind: "ramfs", Volatile: true},
		0x6969:     {Kind: "nfs", Network: true},
		0xff534d42: {Kind: "smb", Network: true},
		0xfe534d42: {Kind: "smb", Network: true},
		0x01021997: {Kind: "9p", Network: true},
		0x65735546: {Kind: "fuse", Network: true},
		0x1badface: {Kind: "0x1badface"},
	}
	for magic, want := range cases {
		if got := dir.FileSystemByMagic(magic); got != want {
			t.Errorf("file system %#x is %+v, want %+v", magic, got, want)
		}
	}
	if _, err := dir.DetectFileSystem(t.TempDir() + "/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("file system of a missing path: %v", err)
	}
}
