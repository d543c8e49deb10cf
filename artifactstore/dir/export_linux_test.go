package dir

// FileSystemByMagic is fileSystemByMagic.
func FileSystemByMagic(magic uint32) FileSystem { return fileSystemByMagic(magic) }
