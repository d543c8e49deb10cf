package artifactstore

import (
	"encoding/hex"
	"fmt"
	"iter"
	"strings"

	"github.com/zeebo/blake3"
)

const (
	// minNameDigits is the length of nearly every name. Names are printed in receipts, where each digit
	// costs tokens; 32 bits keep a store of 10,000 artifacts free of longer names 99 times in 100.
	minNameDigits = 8
	// nameStepDigits is by how much a name grows while other content has it.
	nameStepDigits = 4
	// maxNameDigits is the whole digest.
	maxNameDigits = 2 * digestSize
	// shardBits is how many bits of a digest choose the directory: 512 directories, so that a million
	// artifacts are about 2,000 to a directory. More of them would cost more than they save: making a
	// directory takes ten times as long as making a file.
	shardBits = 9
	// shardCount is the number of different shards.
	shardCount = 1 << shardBits
	// sharedDigits is how many digits of a name its shard's name says already. The shard's name has one more:
	// "0" or "8", for the first bit of the third digit.
	sharedDigits = 2
	// digestSize is the length of a BLAKE3 digest in bytes.
	digestSize = 32
	// digestPrefix says in Ref.Digest which function made it.
	digestPrefix = "blake3:"
)

// content identifies a payload: two payloads with equal content are the same artifact.
type content struct {
	digest [digestSize]byte
	size   int64
}

// contentOf identifies b.
func contentOf(b []byte) content {
	return content{digest: blake3.Sum256(b), size: int64(len(b))}
}

// contentFrom identifies what was written to hash.
func contentFrom(hash *blake3.Hasher, size int64) content {
	c := content{size: size}
	hash.Sum(c.digest[:0])
	return c
}

// hex returns all 64 digits of the digest.
func (c content) hex() string { return hex.EncodeToString(c.digest[:]) }

// names yields the names of at least so many digits that c may have, the preferred one first.
func (c content) names(least int) iter.Seq[string] {
	return func(yield func(string) bool) {
		digits := c.hex()
		for n := least; n < maxNameDigits; n += nameStepDigits {
			if !yield(digits[:n]) {
				return
			}
		}
		yield(digits)
	}
}

// ref returns the Ref of c under name at path.
func (c content) ref(name, path string) Ref {
	return Ref{Name: name, Path: path, Size: c.size, Digest: digestPrefix + c.hex()}
}

// noNameLeft is the failure to store c because every one of its names is taken. Only damage can do that:
// the last name is the whole digest.
func (c content) noNameLeft() error {
	return fmt.Errorf("artifact %s: every name for it is taken: %w", c.hex(), ErrDamaged)
}

// shard returns the number of the directory that all names of c share.
func (c content) shard() int {
	return int(c.digest[0])<<(shardBits-8) | int(c.digest[1])>>(16-shardBits)
}

// maxNameEcho bounds how much of a refused name an error repeats, in bytes.
const maxNameEcho = 80

// checkName fails with ErrNameInvalid unless name matches ^[0-9a-f]{8,64}$. The pattern is what keeps
// paths, links and foreign names out: a name that passes is safe in a path and in a text.
func checkName(name string) error {
	if len(name) >= minNameDigits && len(name) <= maxNameDigits && strings.Trim(name, "0123456789abcdef") == "" {
		return nil
	}
	return fmt.Errorf("artifact %q: %w", name[:min(len(name), maxNameEcho)], ErrNameInvalid)
}

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
	return name, checkName(name) == nil && shardName(name) == shard
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
	if checkName(text) == nil {
		return text, true
	}
	return nameAt(text)
}
