package dir

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Magic numbers that x/sys/unix does not name.
const (
	magicZFS    = 0x2fc12fc1
	magicLustre = 0x0bd00bd0
	magicGPFS   = 0x47504653
	magicVBox   = 0x786f4256
)

// DetectFileSystem returns the file system of an existing path. The error is that of statfs(2), such as fs.ErrNotExist.
func DetectFileSystem(path string) (FileSystem, error) {
	var stat unix.Statfs_t
	for {
		err := unix.Statfs(path, &stat)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return FileSystem{}, fmt.Errorf("file system of %s: %w", path, err)
		}
		return fileSystemByMagic(uint32(stat.Type)), nil
	}
}

// fileSystemByMagic returns the file system of a magic number of statfs(2).
func fileSystemByMagic(magic uint32) FileSystem {
	switch magic {
	case unix.EXT4_SUPER_MAGIC:
		return FileSystem{Kind: "ext4"}
	case unix.XFS_SUPER_MAGIC:
		return FileSystem{Kind: "xfs"}
	case unix.BTRFS_SUPER_MAGIC:
		return FileSystem{Kind: "btrfs"}
	case unix.F2FS_SUPER_MAGIC:
		return FileSystem{Kind: "f2fs"}
	case magicZFS:
		return FileSystem{Kind: "zfs"}
	case unix.OVERLAYFS_SUPER_MAGIC:
		return FileSystem{Kind: "overlay"}
	case unix.TMPFS_MAGIC:
		return FileSystem{Kind: "tmpfs", Volatile: true}
	case unix.RAMFS_MAGIC:
		return FileSystem{Kind: "ramfs", Volatile: true}
	case unix.HUGETLBFS_MAGIC:
		return FileSystem{Kind: "hugetlbfs", Volatile: true}
	case unix.NFS_SUPER_MAGIC:
		return FileSystem{Kind: "nfs", Network: true}
	case unix.CIFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC:
		return FileSystem{Kind: "smb", Network: true}
	case unix.V9FS_MAGIC:
		return FileSystem{Kind: "9p", Network: true}
	case unix.FUSE_SUPER_MAGIC:
		return FileSystem{Kind: "fuse", Network: true}
	case unix.CEPH_SUPER_MAGIC:
		return FileSystem{Kind: "ceph", Network: true}
	case unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC:
		return FileSystem{Kind: "afs", Network: true}
	case magicLustre:
		return FileSystem{Kind: "lustre", Network: true}
	case magicGPFS:
		return FileSystem{Kind: "gpfs", Network: true}
	case magicVBox:
		return FileSystem{Kind: "vboxsf", Network: true}
	default:
		return FileSystem{Kind: fmt.Sprintf("%#x", magic)}
	}
}
