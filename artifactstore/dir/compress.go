package dir

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

// uncompressible is set in the mode of an artifact that did not get smaller, so that it is not tried again. It
// is the sticky bit, which means nothing on a regular file: it costs neither a file nor a directory entry, and
// is kept by whatever keeps modes. It is not synced; if it is lost, the artifact is tried once more.
const uncompressible = os.ModeSticky

// compressPolicy says which artifacts to compress.
type compressPolicy struct {
	size   int64 // at least, in bytes
	saving int64 // at least, in per cent of it
}

// defaultPolicy is what Compress goes by. A file takes whole blocks of the disk anyway, and reading a compressed
// one costs time.
var defaultPolicy = compressPolicy{size: 64 << 10, saving: 20}

// maxSize is how many bytes the compressed form of a content may have.
func (w compressPolicy) maxSize(size int64) int64 { return size - size*w.saving/100 }

// samples is how many blocks of a large artifact are tried before all of it is.
const samples = 8

// Compress puts the compressed form of an artifact in its place. Readers of this package see no difference;
// the file at its path is gone, and beside it is one that `zstd -d` reads. saved is how many bytes of disk that
// gives back. It reports false, and no error, for an artifact that stays as it is: one that is smaller than
// 64 KiB, would not become smaller by 20 %, or is compressed already.
//
// What takes the place was decoded and compared before, and is durable also in a volatile store: an artifact
// that is old has been written back by now, and must not become less durable. A crash leaves either form, or
// both. An error leaves a readable artifact, too, unless it is that the artifact is not.
//
// Errors: ErrNameInvalid, ErrUnknown, ErrDamaged, ErrFull, ErrReadOnly, ErrTooLarge, ErrTooManyFiles,
// ErrClosed; the error of ctx, which is looked at before every block.
func (d *Store) Compress(ctx context.Context, name string) (saved int64, done bool, err error) {
	return d.compressWith(ctx, name, defaultPolicy)
}

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

func (d *Store) compress(ctx context.Context, name string, w compressPolicy) (saved int64, done bool, err error) {
	if d.outdated {
		return 0, false, errOutdated
	}
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

// errNoGain says that an artifact would not become small enough.
var errNoGain = errors.New("not worth compressing")

// compression is one artifact on its way into the compressed form.
type compression struct {
	dir     *Store
	codec   *codec
	plain   *opened
	temp    *temp // what will take its place
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

// sample compresses some blocks from all over a large artifact, which is a cheap way to find out that the
// whole is not worth it.
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

// write writes a frame for each block, and the table, and finds out what the content is.
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

// verify decodes what was written and compares it with the content.
func (k *compression) verify(ctx context.Context) error {
	r, err := newFrameReader(k.temp.file, k.size, k.codec)
	if err != nil {
		return fmt.Errorf("%w: %v", errNotTheSame, err) //nolint:errorlint // the artifact is not damaged
	}
	digest, err := k.dir.digestOf(ctx, r, k.plain.size)
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

// errNotTheSame says that a compressed form is of no use.
var errNotTheSame = errors.New("the compressed form does not decode to the artifact")

// replace gives the compressed form the place of the plain one. Whoever stores the same content meanwhile
// waits, and then finds it. It reports false if the plain form is gone or another file by now.
func (k *compression) replace(name string) (bool, error) {
	d, sh := k.dir, &k.dir.shards[shardNumber(name)]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if _, doubtful := sh.doubtful[name]; doubtful {
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

// removeLeftover removes the compressed form that a crash left beside the plain one, which was read just now
// and is what counts as long as it is there. The caller holds the lock of the shard.
func (d *Store) removeLeftover(name string) error {
	there, err := d.hasCompressed(name)
	if err != nil || !there {
		return err
	}
	return d.fault.do(stepRemoveLeftover, func() error { return d.root.Remove(location(name) + compressedSuffix) })
}

// hasCompressed reports whether something is stored as the compressed form of an artifact.
func (d *Store) hasCompressed(name string) (bool, error) {
	_, err := d.root.Lstat(location(name) + compressedSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// opened is an artifact that is open: its file, and its content whichever form that has.
type opened struct {
	io.ReaderAt // of the content
	file        *os.File
	info        os.FileInfo
	size        int64 // of the content
	compressed  bool
}

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
