// Package ingest receives payloads that are not inside of their message: streams and files. The bytes are redacted as they come,
// and go to the store and to a preview, so that nothing is in memory whole.
package ingest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/redact"
)

// Payload is a payload that came as a stream or a file.
type Payload struct {
	projectors.Stream
	Tokens   int                // budget that its excerpt was kept for
	Found    []redact.Count     // that was replaced in it
	Original artifactstore.Blob // the payload as the tool wrote it; nil when nothing was replaced
}

// Spool takes the bytes of one payload as they come. They are redacted first, and what
// comes out goes to the stage and to the preview. From the first secret on the bytes are
// kept as they came too, in a stage of their own.
type Spool struct {
	ctx      context.Context //nolint:containedctx // of the stages
	stager   artifactstore.Stager
	redactor *redact.Redactor
	stage    artifactstore.Stage
	preview  *preview.Writer
	Size     int64               // bytes that came
	held     []byte              // what the redactor held back before it was given more
	original artifactstore.Stage // nil while nothing was replaced
	sealed   Payload             // zero before the end

	options redact.Options
	budget  int // tokens that the preview is kept for
	rules   *linerule.Rules
}

func NewSpool(ctx context.Context, stager artifactstore.Stager, o redact.Options, budget int, rules *linerule.Rules) (*Spool, error) {
	stage, err := stager.Stage(ctx)
	if err != nil {
		return nil, err
	}
	t := &Spool{ctx: ctx, stager: stager, stage: stage, options: o, budget: budget, rules: rules}
	t.begin()
	return t, nil
}

// begin begins with the first byte.
func (t *Spool) begin() {
	t.redactor, t.preview = redact.New(t.options), preview.NewWriter(t.budget)
	t.preview.Watch(t.rules)
}

// Write takes what comes next. Who wants to see what comes out sees it before the stage
// has it.
func (t *Spool) Write(parts [][]byte, see func([][]byte) error) error {
	t.held = append(t.held[:0], t.redactor.Pending()...)
	ready := t.redactor.Write(parts)
	t.Size += TotalSize(parts)
	return t.pass(ready, parts, see)
}

// Held is how many bytes are held back, of those that came.
func (t *Spool) Held() int64 { return t.redactor.Waiting() }

// Flush takes what is held back, at the end.
func (t *Spool) Flush(see func([][]byte) error) error {
	if t.sealed.Blob != nil {
		return nil
	}
	t.held = append(t.held[:0], t.redactor.Pending()...)
	return t.pass(t.redactor.Flush(), nil, see)
}

// pass writes what is ready, and what came where that is another.
func (t *Spool) pass(ready, came [][]byte, see func([][]byte) error) error {
	if err := t.keepOriginal(came); err != nil {
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
	t.preview.WriteParts(ready, newlines)
	return nil
}

// keepOriginal writes what came into the stage of the original, which begins with the
// first secret: until then the redacted payload is the original.
func (t *Spool) keepOriginal(came [][]byte) (err error) {
	if t.original != nil {
		_, err = t.original.WriteParts(came)
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
	if _, err := t.original.Write(t.held); err != nil {
		return err
	}
	_, err = t.original.WriteParts(came)
	return err
}

// copyBytes is how much of a stage is copied at a time.
const copyBytes = 256 << 10

// copyPrefix writes into a stage what another has so far.
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

// ReadBlocks reads a blob.
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

// file takes a file. The store has better ways to take one than to be written its bytes,
// so it is taken as it is, and only if that shows a secret is it redacted into a second stage.
func (t *Spool) file(file *os.File, size int64) error {
	one := make([][]byte, 1)
	err := artifactstore.TakeFile(t.stage, file, size, func(p []byte, newlines int) {
		one[0] = p
		t.preview.WriteParts(one, newlines)
		t.redactor.Write(one)
	})
	if t.redactor.Flush(); err != nil || !t.redactor.Any() {
		return err
	}
	t.original = t.stage
	came, err := t.original.Prefix()
	if err != nil {
		return err
	}
	if t.stage, err = t.stager.Stage(t.ctx); err != nil {
		return err
	}
	t.begin()
	write := func(ready [][]byte) error {
		newlines, err := t.stage.WriteParts(ready)
		t.preview.WriteParts(ready, newlines)
		return err
	}
	if err := ReadBlocks(t.ctx, came, func(p []byte) error {
		one[0] = p
		return write(t.redactor.Write(one))
	}); err != nil {
		return err
	}
	return write(t.redactor.Flush())
}

// Snapshot is what has come so far, with what is held back as it were if nothing came any more.
func (t *Spool) Snapshot() (Payload, error) {
	blob, err := t.stage.Prefix()
	rest := t.redactor.Peek()
	if len(rest) > 0 {
		blob = &longer{blob, rest}
	}
	return Payload{Stream: projectors.Stream{Blob: blob, Excerpt: t.preview.Snapshot(rest...)}, Tokens: t.budget, Found: t.redactor.Found()}, err
}

// longer is a blob with bytes after it.
type longer struct {
	blob artifactstore.Blob
	rest []byte
}

func (l *longer) Size() int64 { return l.blob.Size() + int64(len(l.rest)) }

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

// Seal ends the payload, once.
func (t *Spool) Seal() (Payload, error) {
	if t.sealed.Blob != nil {
		return t.sealed, nil
	}
	blob, err := t.stage.Seal()
	if err != nil {
		return Payload{}, err
	}
	done := Payload{Stream: projectors.Stream{Blob: blob, Excerpt: t.preview.Finish()}, Tokens: t.budget, Found: t.redactor.Found()}
	if t.original != nil {
		if done.Original, err = t.original.Seal(); err != nil {
			return Payload{}, err
		}
	}
	t.sealed = done
	return done, nil
}

// Discard gives back what the payload holds; what was put stays.
func (t *Spool) Discard() {
	_ = t.stage.Discard() // what it leaves behind, the next start removes
	if t.original != nil {
		_ = t.original.Discard()
	}
}

// TotalSize is how many bytes parts have.
func TotalSize(parts [][]byte) (n int64) {
	for _, p := range parts {
		n += int64(len(p))
	}
	return n
}
