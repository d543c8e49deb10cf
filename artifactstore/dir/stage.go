package dir

// Stages: payloads that are written while they arrive. Their bytes are written once, because the temporary file becomes the
// artifact.

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/internal/blockindex"
	"github.com/toolresult/toolresult/artifactstore/internal/content"
	"github.com/zeebo/blake3"
)

// Stage implements [artifactstore.Stager]. A stage is a temporary file, open until Discard. Bytes are hashed while they
// are written, and Put of the sealed blob links the file to its name: they are written once.
func (d *Store) Stage(ctx context.Context) (artifactstore.Stage, error) {
	s, err := d.newStage(ctx)
	if err != nil {
		return nil, fmt.Errorf("artifact store %s: stage: %w", d.path, err)
	}
	return s, nil
}

// newStage creates the temporary file of a stage, and registers the stage so that Close can end it.
func (d *Store) newStage(ctx context.Context) (*stage, error) {
	if err := d.enter(ctx); err != nil {
		return nil, err
	}
	defer d.ops.Done()
	t, err := d.newTemp()
	if err != nil {
		return nil, err
	}
	s := &stage{store: d, ctx: ctx, temp: t, hash: blake3.New(), index: &blockindex.Builder{}}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stages[s] = struct{}{} // also if Close has begun, since it waits for this call first
	return s, nil
}

// stage implements [artifactstore.Stage].
type stage struct {
	store *Store
	ctx   context.Context // of the whole stage, see Stager

	mu     sync.Mutex
	temp   *temp
	hash   *blake3.Hasher
	index  *blockindex.Builder
	size   int64
	sealed bool
	failed error // why the stage has ended; the temporary file is gone then
}

// Write implements io.Writer. It appends all of p or ends the stage.
func (s *stage) Write(p []byte) (int, error) {
	if _, err := s.WriteParts([][]byte{p}); err != nil {
		return 0, err
	}
	return len(p), nil
}

// WriteParts implements [artifactstore.Stage]. The parts go to the file in as few system calls as possible, and only then
// are they hashed and indexed: the hash covers what is in the file, and no more.
func (s *stage) WriteParts(parts [][]byte) (newlines int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err = s.usable(); err != nil {
		return 0, err
	}
	if err = s.ctx.Err(); err == nil {
		err = s.temp.writeParts(parts)
	}
	if err != nil {
		s.fail(err) // an error of releasing the file is of no use to a writer
		return 0, s.failed
	}
	for _, p := range parts {
		newlines += s.take(p)
	}
	return newlines, nil
}

// take hashes and indexes bytes that are in the file, and returns the number of newlines in them. The caller holds s.mu.
func (s *stage) take(p []byte) (newlines int) {
	s.hash.Write(p) // a hash never fails
	s.size += int64(len(p))
	return s.index.Add(p)
}

// Seal implements [artifactstore.Stage]. It computes the digest of the bytes so far and leaves the file as it is.
func (s *stage) Seal() (artifactstore.Blob, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return nil, err
	}
	s.sealed = true
	return &sealedBlob{stage: s, content: content.FromHash(s.hash, s.size)}, nil
}

// Prefix implements [artifactstore.Stage]. The blob reads the file of the stage up to its present size.
func (s *stage) Prefix() (artifactstore.Blob, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return nil, s.failed
	}
	return &prefixBlob{stage: s, size: s.size}, nil
}

// prefixBlob is the beginning of a stage. Its bytes are written and never change.
type prefixBlob struct {
	stage *stage
	size  int64
}

// Size implements [artifactstore.Blob].
func (b *prefixBlob) Size() int64 { return b.size }

// Open implements [artifactstore.Blob]. The reader has an offset of its own, so several may read while the stage is
// written.
func (b *prefixBlob) Open() (io.ReadCloser, error) {
	if err := b.stage.ended(); err != nil {
		return nil, err
	}
	return content.NopCloser{ReadSeeker: io.NewSectionReader(b.stage.temp.file, 0, b.size)}, nil
}

// usable returns the reason why the stage takes no more bytes, or nil. The caller holds s.mu.
func (s *stage) usable() error {
	if s.failed == nil && s.sealed {
		return fmt.Errorf("stage: %w", artifactstore.ErrSealed)
	}
	return s.failed
}

// Discard implements [artifactstore.Stage]. It may race with Close of the store: either of them ends the stage.
func (s *stage) Discard() error {
	s.store.mu.Lock()
	if !s.store.closed { // otherwise Close owns the set, and ends this stage too
		delete(s.store.stages, s)
	}
	s.store.mu.Unlock()
	return s.end()
}

// ended returns the reason why the stage has ended, or nil if it has not.
func (s *stage) ended() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// end discards the temporary file. Only the first call has an effect.
func (s *stage) end() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fail(artifactstore.ErrClosed)
}

// fail ends the stage because of err, unless it has ended before. The caller holds s.mu.
func (s *stage) fail(err error) error {
	if s.failed != nil {
		return nil
	}
	s.failed = fmt.Errorf("stage: %w", err)
	return s.temp.release()
}

// sealedBlob is the payload of a sealed stage.
type sealedBlob struct {
	stage   *stage
	content content.ID
}

// Size implements [artifactstore.Blob].
func (b *sealedBlob) Size() int64 { return b.content.Size }

// Digest returns the digest of the payload, which was hashed while it was written.
func (b *sealedBlob) Digest() string { return b.content.String() }

// Open implements [artifactstore.Blob]. It works also after the file has become an artifact, since the file stays open.
func (b *sealedBlob) Open() (io.ReadCloser, error) {
	if err := b.stage.ended(); err != nil {
		return nil, err
	}
	return content.NopCloser{ReadSeeker: io.NewSectionReader(b.stage.temp.file, 0, b.content.Size)}, nil
}

// putSealed stores a blob of this store without a copy, while its temporary file has a name, which it loses when it is
// stored. If the artifact is gone or damaged when the same blob is put again, the bytes are copied from the open file.
func (d *Store) putSealed(ctx context.Context, b *sealedBlob) (artifactstore.Ref, error) {
	if err := b.stage.ended(); err != nil {
		return artifactstore.Ref{}, err
	}
	ref, found, err := d.find(ctx, b.content)
	if found || err != nil {
		return ref, err
	}
	ref, linked, err := b.stage.link(ctx, b.content)
	if linked || err != nil {
		return ref, err
	}
	return d.putStream(ctx, b)
}

// link commits the stage's file, and reports false if it has been committed before.
func (s *stage) link(ctx context.Context, c content.ID) (ref artifactstore.Ref, linked bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return artifactstore.Ref{}, false, s.failed
	}
	if s.temp.name == "" { // it was linked by an earlier put of the blob
		return artifactstore.Ref{}, false, nil
	}
	if err := s.temp.freeze(); err != nil {
		s.fail(err) // a failed fsync is final
		return artifactstore.Ref{}, false, err
	}
	ref, err = s.store.commit(ctx, s.temp, c)
	if err != nil {
		return artifactstore.Ref{}, false, err
	}
	s.store.keepIndex(ref.Name, s.index.Finish(c))
	s.temp.unname() // if that fails there is a name to sweep, no more
	return ref, true, nil
}
