// Package ingest receives payloads that are not inside of their message: streams and files.
//
// The bytes of a payload are redacted on their way, and go to a stage of the store and to a preview, so that nothing is in
// memory whole: a [Spool] holds one read buffer, the window of the redactor and the preview, whatever the size. Where a secret
// was replaced, the payload as the tool wrote it is kept in a second stage, for the audit log alone. An [Interleaver]
// remembers the order in which the chunks of several streams were received.
//
// The package knows no message of a call, no family and no receipt. It puts nothing into the store: a stage is temporary, and
// a projector puts its sealed blob.
package ingest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/redact"
)

// This file receives one payload. All bytes pass the redactor before anything else sees them; only the stage of the original has
// them as they were received, and only from the first secret on, so an output without secrets is stored once.

// Payload is a payload that was received as a stream or a file, with the excerpt that was made on its way.
type Payload struct {
	projectors.Stream
	Tokens   int                // budget that its excerpt was made for
	Found    []redact.Count     // secrets that were replaced in it; nil for none
	Original artifactstore.Blob // the payload as the tool wrote it; nil when nothing was replaced
}

// Spool receives the bytes of one payload. They are redacted first; the redacted bytes go to the stage and to the preview.
// From the first secret on the original bytes are kept too, in a stage of their own. Not safe for concurrent use.
type Spool struct {
	ctx      context.Context // of the stages
	stager   artifactstore.Stager
	redactor *redact.Redactor
	stage    artifactstore.Stage
	preview  *previewer
	Size     int64               // bytes received
	pending  []byte              // bytes that the redactor had kept back before the last write
	original artifactstore.Stage // nil while nothing was replaced
	sealed   Payload             // zero before the end

	options redact.Options
	budget  int // tokens that the preview is kept for
	rules   *linerule.Rules
}

// NewSpool returns a spool that writes to a new stage of a store. budget is in tokens, and sizes the preview; rules are those
// of the program that writes the payload, nil for none. The context is that of the stages: when it ends, writes fail.
func NewSpool(ctx context.Context, stager artifactstore.Stager, o redact.Options, budget int, rules *linerule.Rules) (*Spool, error) {
	stage, err := stager.Stage(ctx)
	if err != nil {
		return nil, err
	}
	t := &Spool{ctx: ctx, stager: stager, stage: stage, options: o, budget: budget, rules: rules}
	t.begin()
	return t, nil
}

// begin starts a redactor and a preview at the first byte.
func (t *Spool) begin() {
	t.redactor, t.preview = redact.New(t.options), newPreviewer(t.budget, t.rules)
}

// Write appends parts. see, if not nil, is called with the redacted bytes before the stage has them; an error of see ends the
// write. The redactor may keep back the end of the parts, see [Spool.Waiting]. Parts are not retained.
func (t *Spool) Write(parts [][]byte, see func([][]byte) error) error {
	t.pending = append(t.pending[:0], t.redactor.Pending()...)
	ready := t.redactor.Write(parts)
	t.Size += TotalSize(parts)
	return t.pass(ready, parts, see)
}

// Waiting returns the number of received bytes that the redactor keeps back, because a secret may begin in them.
func (t *Spool) Waiting() int64 { return t.redactor.Waiting() }

// Memory returns how much memory the preview of the payload takes so far, in bytes: that of the last write may be missing.
func (t *Spool) Memory() int64 { return t.preview.memory() }

// Flush writes the bytes that the redactor kept back: nothing follows them any more. After Seal it does nothing.
func (t *Spool) Flush(see func([][]byte) error) error {
	if t.sealed.Blob != nil {
		return nil
	}
	t.pending = append(t.pending[:0], t.redactor.Pending()...)
	return t.pass(t.redactor.Flush(), nil, see)
}

// pass writes redacted bytes to the stage and the preview, and the received bytes to the stage of the original. The original
// comes first: with the redacted bytes in the stage already, its prefix would not be the original any more.
func (t *Spool) pass(ready, received [][]byte, see func([][]byte) error) error {
	if err := t.keepOriginal(received); err != nil {
		return err
	}
	if see != nil {
		if err := see(ready); err != nil {
			return err
		}
	}
	newlines, err := t.stage.WriteParts(ready)
	if err != nil {
		return err
	}
	t.preview.write(ready, newlines)
	return nil
}

// keepOriginal writes received bytes to the stage of the original, which begins with the first secret: until then the
// redacted payload is the original. It begins with a copy of that, and with the bytes that the redactor had kept back.
func (t *Spool) keepOriginal(received [][]byte) (err error) {
	if t.original != nil {
		_, err = t.original.WriteParts(received)
		return err
	}
	if !t.redactor.Any() {
		return nil
	}
	if t.original, err = t.stager.Stage(t.ctx); err != nil {
		return err
	}
	if err := copyPrefix(t.ctx, t.original, t.stage); err != nil {
		return err
	}
	if _, err := t.original.Write(t.pending); err != nil {
		return err
	}
	_, err = t.original.WriteParts(received)
	return err
}

// copyBytes is the size in bytes of the buffer that reads a blob: as large as a chunk of a stream.
const copyBytes = 256 << 10

// copyPrefix writes the bytes that one stage has so far into another.
func copyPrefix(ctx context.Context, into, from artifactstore.Stage) error {
	prefix, err := from.Prefix()
	if err != nil {
		return err
	}
	return ReadBlocks(ctx, prefix, func(p []byte) error {
		_, err := into.Write(p)
		return err
	})
}

// ReadBlocks reads a blob from its beginning and calls take with each block, the last of which may be empty. A block is valid
// until take returns. It ends with the first error of the context, of the blob or of take.
func ReadBlocks(ctx context.Context, blob artifactstore.Blob, take func([]byte) error) error {
	r, err := blob.Open()
	if err != nil {
		return err
	}
	defer r.Close() // read-only
	for buf := make([]byte, min(copyBytes, blob.Size()+1)); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf)
		if failed := take(buf[:n]); failed != nil {
			return failed
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// file receives a file of some size in bytes. A store can take a file without a copy through this process, so it is taken as
// it is, and only if that shows a secret is it redacted into a second stage. The redactor reads along in both passes; what it
// returns in the first one is not used.
func (t *Spool) file(file *os.File, size int64) error {
	one := make([][]byte, 1)
	err := artifactstore.TakeFile(t.stage, file, size, func(p []byte, newlines int) {
		one[0] = p
		t.preview.write(one, newlines)
		t.redactor.Write(one)
	})
	if t.redactor.Flush(); err != nil || !t.redactor.Any() {
		return err
	}
	original, err := t.stage.Prefix()
	if err != nil {
		return err
	}
	redacted, err := t.stager.Stage(t.ctx)
	if err != nil {
		return err
	}
	t.original, t.stage = t.stage, redacted
	t.preview.stop()
	t.begin()
	write := func(ready [][]byte) error {
		newlines, err := t.stage.WriteParts(ready)
		t.preview.write(ready, newlines)
		return err
	}
	if err := ReadBlocks(t.ctx, original, func(p []byte) error {
		one[0] = p
		return write(t.redactor.Write(one))
	}); err != nil {
		return err
	}
	return write(t.redactor.Flush())
}

// Snapshot returns the payload so far. Bytes that the redactor keeps back are in it as they would be if the payload ended
// here, so a snapshot never shows the beginning of a secret. The spool goes on.
func (t *Spool) Snapshot() (Payload, error) {
	blob, err := t.stage.Prefix()
	rest := t.redactor.Peek()
	if len(rest) > 0 {
		blob = &longer{blob, rest}
	}
	return Payload{Stream: projectors.Stream{Blob: blob, Excerpt: t.preview.done().Snapshot(rest...)}, Tokens: t.budget, Found: t.redactor.Found()}, err
}

// longer is a blob with further bytes after it.
type longer struct {
	blob artifactstore.Blob
	rest []byte
}

// Size returns the size of both.
func (l *longer) Size() int64 { return l.blob.Size() + int64(len(l.rest)) }

// Open opens the blob; the further bytes follow.
func (l *longer) Open() (io.ReadCloser, error) {
	r, err := l.blob.Open()
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(r, bytes.NewReader(l.rest)), r}, nil
}

// Seal ends the payload and returns it. Further calls return the same payload. Call Flush before.
func (t *Spool) Seal() (Payload, error) {
	if t.sealed.Blob != nil {
		return t.sealed, nil
	}
	blob, err := t.stage.Seal()
	if err != nil {
		return Payload{}, err
	}
	done := Payload{Stream: projectors.Stream{Blob: blob, Excerpt: t.preview.done().Finish()}, Tokens: t.budget, Found: t.redactor.Found()}
	if t.original != nil {
		if done.Original, err = t.original.Seal(); err != nil {
			return Payload{}, err
		}
	}
	t.sealed = done
	return done, nil
}

// Discard frees the stages. Artifacts that were put of them stay. It may be called at any time, more than once.
func (t *Spool) Discard() {
	t.preview.stop()
	_ = t.stage.Discard() // a file that stays is removed by the next start of the store
	if t.original != nil {
		_ = t.original.Discard()
	}
}

// TotalSize returns the size of all parts in bytes.
func TotalSize(parts [][]byte) (n int64) {
	for _, p := range parts {
		n += int64(len(p))
	}
	return n
}
