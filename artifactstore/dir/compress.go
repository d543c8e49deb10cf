package dir

// Compression replaces the file of an old artifact by a smaller one with the same content. The order of steps is:
//
//  1. Sample a few blocks of a large artifact, and give up if they do not get smaller.
//  2. Write the compressed form to a temporary file, verify it by decoding it, and sync it.
//  3. Link it beside the plain form, and sync the directory.
//  4. Remove the plain form, and sync the directory again.
//
// While both forms exist the plain one has precedence, so a crash between any two steps leaves an artifact that is read
// and verified as before. Steps 3 and 4 hold the lock of the shard, so no put sees a name without a form.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/internal/blockindex"
	"github.com/toolresult/toolresult/artifactstore/internal/content"
)

// compressedSuffix ends the name of the file with the compressed form of an artifact.
const compressedSuffix = ".zst"

// uncompressible is set in the mode of an artifact that did not get smaller, so that it is not tried again. It is the
// sticky bit, which has no meaning on a regular file: it costs neither a file nor a directory entry, and backups that
// keep modes keep it. It is not synced; if it is lost, the artifact is tried once more.
const uncompressible = os.ModeSticky

// compressPolicy selects the artifacts to compress.
type compressPolicy struct {
	size   int64 // at least, in bytes
	saving int64 // at least, in per cent of it
}

// defaultPolicy is the policy of Compress. A file occupies whole blocks of the disk anyway, and reading a compressed one
// costs time.
var defaultPolicy = compressPolicy{size: 64 << 10, saving: 20}

// maxSize returns the largest size in bytes of the compressed form of a content of size bytes.
func (w compressPolicy) maxSize(size int64) int64 { return size - size*w.saving/100 }

// samples is the number of blocks of a large artifact that are tried before all of it is.
const samples = 8

// Compress replaces an artifact by its compressed form. Readers of this package see no difference. The file at its path
// is gone, and beside it is one that `zstd -d` reads. saved is the number of bytes of disk that this frees. It reports
// false, without an error, for an artifact that stays as it is: one that is smaller than 64 KiB, would not become smaller
// by 20 %, or is compressed already.
//
// The compressed form is decoded and compared before it replaces the plain one. It is durable also in a volatile store:
// an old artifact has been written back by now, and must not become less durable. A crash leaves either form, or both.
// After an error the artifact is readable, unless the error is ErrUnknown or ErrDamaged.
//
// Errors: ErrNameInvalid, ErrUnknown, ErrDamaged, ErrFull, ErrReadOnly, ErrTooLarge, ErrTooManyFiles, ErrClosed; the
// error of ctx, which is checked before every block.
func (d *Store) Compress(ctx context.Context, name string) (saved int64, done bool, err error) {
	return d.compressWith(ctx, name, defaultPolicy)
}

// compressWith is Compress with a policy.
func (d *Store) compressWith(ctx context.Context, name string, w compressPolicy) (saved int64, done bool, err error) {
	if err := artifactstore.CheckName(name); err != nil {
		return 0, false, err
	}
	if err := d.enter(ctx); err != nil {
		return 0, false, fmt.Errorf("artifact %s: %w", name, err)
	}
	defer d.ops.Done()
	saved, done, err = d.compress(ctx, name, w)
	if err != nil {
		return 0, false, fmt.Errorf("artifact %s: compress: %w", name, err)
	}
	return saved, done, nil
}

// compress does it for a valid name, during a call that was entered.
func (d *Store) compress(ctx context.Context, name string, w compressPolicy) (saved int64, done bool, err error) {
	plain, err := d.openArtifact(name)
	if err != nil {
		return 0, false, err
	}
	defer plain.Close() // read-only
	if plain.compressed || plain.size < w.size || tableSize(blockindex.Count(plain.size)) > maxTable || plain.info.Mode()&uncompressible != 0 {
		return 0, false, nil
	}
	c, err := d.codec()
	if err != nil {
		return 0, false, err
	}
	k := &compression{dir: d, codec: c, plain: plain, worth: w}
	err = k.sample(ctx)
	if err == nil {
		done, err = k.run(ctx, name)
	}
	if errors.Is(err, errNoGain) {
		err = d.fault.do(stepMark, func() error { return plain.file.Chmod(artifactMode | uncompressible) })
	}
	if !done {
		return 0, false, err
	}
	return plain.size - k.size, true, err
}

// errNoGain means that an artifact would not become small enough.
var errNoGain = errors.New("not worth compressing")

// compression is the state of compressing one artifact.
type compression struct {
	dir     *Store
	codec   *codec
	plain   *opened
	temp    *temp // the compressed form
	worth   compressPolicy
	content content.ID // of both
	size    int64      // of the compressed form
}

// run writes the compressed form and puts it in its place.
func (k *compression) run(ctx context.Context, name string) (done bool, err error) {
	if k.temp, err = k.dir.newTemp(); err != nil {
		return false, err
	}
	defer k.temp.release() // as in putBytes
	if err := k.prepare(ctx, name); err != nil {
		return false, err
	}
	return k.replace(name)
}

// prepare writes the compressed form and makes it durable.
func (k *compression) prepare(ctx context.Context, name string) error {
	if err := k.write(ctx); err != nil {
		return err
	}
	if !strings.HasPrefix(k.content.Hex(), name) {
		return fmt.Errorf("content has digest %s: %w", k.content.Hex(), artifactstore.ErrDamaged)
	}
	if err := k.dir.fault.do(stepVerifyTemp, func() error { return k.verify(ctx) }); err != nil {
		return err
	}
	if err := k.temp.keepTime(k.plain.info.ModTime()); err != nil {
		return err
	}
	return k.temp.freezeDurably()
}

// sample compresses a few blocks from all over a large artifact. It fails with errNoGain if they become too little
// smaller, which is cheaper to find out than by compressing all of it.
func (k *compression) sample(ctx context.Context) error {
	n := blockindex.Count(k.plain.size)
	if n <= 2*samples {
		return nil
	}
	var before, after int64
	block, frame := make([]byte, blockindex.BlockSize), make([]byte, 0, maxFrame)
	for i := range samples {
		if err := k.read(ctx, block, int64(n-1)*int64(i)/samples); err != nil {
			return err
		}
		frame = k.codec.encode(frame[:0], block)
		before, after = before+blockindex.BlockSize, after+int64(len(frame))
	}
	if after > k.worth.maxSize(before) {
		return errNoGain
	}
	return nil
}

// read fills b with the beginning of a block.
func (k *compression) read(ctx context.Context, b []byte, block int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if n, err := k.plain.ReadAt(b, block*blockindex.BlockSize); n < len(b) {
		return artifactstore.ReadError(err)
	}
	return nil
}

// write writes a frame for each block, and the table of frames, and computes the digest of the content.
func (k *compression) write(ctx context.Context) error {
	s := k.dir.getScratch()
	defer k.dir.scratch.Put(s)
	var table frameTable
	block, frame := make([]byte, blockindex.BlockSize), make([]byte, 0, maxFrame)
	most := k.worth.maxSize(k.plain.size)
	for n := range blockindex.Count(k.plain.size) {
		block = block[:min(blockindex.BlockSize, k.plain.size-int64(n)*blockindex.BlockSize)]
		if err := k.read(ctx, block, int64(n)); err != nil {
			return err
		}
		s.hash.Write(block) // a hash never fails
		frame = k.codec.encode(frame[:0], block)
		if err := k.temp.write(frame); err != nil {
			return err
		}
		if table.add(len(frame), len(block)); table.written() > most {
			return errNoGain
		}
	}
	end := table.encode()
	if k.size = table.written() + int64(len(end)); k.size > most {
		return errNoGain
	}
	k.content = content.FromHash(s.hash, k.plain.size)
	return k.temp.write(end)
}

// verify decodes the temporary file and compares its digest with that of the content.
func (k *compression) verify(ctx context.Context) error {
	r, err := newFrameReader(k.temp.file, k.size, k.codec)
	if err != nil {
		return fmt.Errorf("%w: %v", errNotTheSame, err) //nolint:errorlint // the artifact is not damaged
	}
	digest, err := k.dir.hashFile(ctx, r, k.plain.size)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%w: %v", errNotTheSame, err) //nolint:errorlint // as above
	case digest != k.content.Digest:
		return errNotTheSame
	}
	return nil
}

// errNotTheSame means that a compressed form does not decode to its content.
var errNotTheSame = errors.New("the compressed form does not decode to the artifact")

// replace puts the compressed form in the place of the plain one, under the lock of the shard: a concurrent Put of the
// same content waits and then finds it. It reports false if the plain form is gone or another file by now.
func (k *compression) replace(name string) (bool, error) {
	d, sh := k.dir, &k.dir.shards[shardNumber(name)]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if _, doubtful := sh.failed[name]; doubtful {
		return false, nil
	}
	there, err := d.root.Lstat(location(name))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(there, k.plain.info) {
		return false, nil
	}
	if err != nil {
		return false, artifactstore.ReadError(err)
	}
	if err := d.removeLeftover(name); err != nil {
		return false, err
	}
	compressed := location(name) + compressedSuffix
	if err := d.fault.do(stepLinkCompressed, func() error { return d.root.Link(k.temp.path(), compressed) }); err != nil {
		return false, err
	}
	if err := d.syncDirDurably(stepSyncShard, shardName(name)); err != nil {
		return false, errors.Join(err, d.fault.do(stepWithdraw, func() error { return d.root.Remove(compressed) }))
	}
	if err := d.fault.do(stepRemovePlain, func() error { return d.root.Remove(location(name)) }); err != nil {
		return false, err
	}
	return true, d.syncDirDurably(stepSyncShard, shardName(name))
}

// removeLeftover removes the compressed form that a crash left beside the plain one. The plain form has precedence, and
// was read and verified just now. The caller holds the lock of the shard.
func (d *Store) removeLeftover(name string) error {
	there, err := d.hasCompressed(name)
	if err != nil || !there {
		return err
	}
	return d.fault.do(stepRemoveLeftover, func() error { return d.root.Remove(location(name) + compressedSuffix) })
}

// hasCompressed reports whether there is a file with the name of the compressed form of an artifact.
func (d *Store) hasCompressed(name string) (bool, error) {
	_, err := d.root.Lstat(location(name) + compressedSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// opened is an open artifact in either form.
type opened struct {
	io.ReaderAt // of the content
	file        *os.File
	info        os.FileInfo
	size        int64 // of the content
	compressed  bool
}

// Close closes the file. Nothing was written to it.
func (o *opened) Close() error { return o.file.Close() }

// openCompressed opens the compressed form of an artifact.
func (d *Store) openCompressed(name string) (*opened, error) {
	f, info, err := d.openPlain(location(name) + compressedSuffix)
	if err != nil {
		return nil, artifactstore.ReadError(err)
	}
	c, err := d.codec()
	var r *frameReader
	if err == nil {
		r, err = newFrameReader(f, info.Size(), c)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &opened{ReaderAt: r, file: f, info: info, size: r.table.size, compressed: true}, nil
}
