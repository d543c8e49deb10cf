package dir

import (
	"strings"

	"github.com/toolresult/toolresult/artifactstore"
)

const (
	// shardBits is how many bits of a digest choose the directory: 512 directories, so that a million
	// artifacts are about 2,000 to a directory. More of them would cost more than they save: making a
	// directory takes ten times as long as making a file.
	shardBits = 9
	// shardCount is the number of different shards.
	shardCount = 1 << shardBits
	// sharedDigits is how many digits of a name its shard's name says already. The shard's name has one more:
	// "0" or "8", for the first bit of the third digit.
	sharedDigits = 2
)

// location returns where in a directory store the artifact called name is, relative to the root.
func location(name string) string {
	return shardName(name) + "/" + name[sharedDigits:]
}

// nameAt returns the name of the artifact at a location, as location makes it.
func nameAt(location string) (string, bool) {
	shard, rest, ok := strings.Cut(location, "/")
	if !ok || len(shard) != sharedDigits+1 {
		return "", false
	}
	name := shard[:sharedDigits] + rest
	return name, artifactstore.CheckName(name) == nil && shardName(name) == shard
}

// shardName returns the directory of the artifact called name.
func shardName(name string) string {
	if name[sharedDigits] < '8' {
		return name[:sharedDigits] + "0"
	}
	return name[:sharedDigits] + "8"
}

// ParseName returns the name that a text gives of an artifact: the name itself, or the end of a path as a directory store
// has it, such as "1f8/a0074a" of 1fa0074a. Whether there is such an artifact is for the reader to find out.
func ParseName(text string) (name string, ok bool) {
	if artifactstore.CheckName(text) == nil {
		return text, true
	}
	return nameAt(text)
}

// shardNumber returns the number of the shard of a name.
func shardNumber(name string) int {
	n := strings.IndexByte(hexDigits, name[0])<<5 | strings.IndexByte(hexDigits, name[1])<<1
	if name[sharedDigits] >= '8' {
		n |= 1
	}
	return n
}

const hexDigits = "0123456789abcdef"
