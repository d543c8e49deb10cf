package objectstore

// Requests to the object store, through minio-go. Three things are done here that the client does not do:
//
//   - Objects are created only if there is none of that name (If-None-Match: *), also when they are sent in parts.
//   - Every request has a timeout of its own, so that a store that accepts connections and does not answer is unavailable.
//   - The bytes that are sent are hashed on the way and compared with the digest, because the spool may have changed
//     since they were verified.

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/zeebo/blake3"

	"github.com/toolresult/toolresult/artifactstore"
)

const (
	// digestKey is the metadata field of an object with its digest, in hex.
	digestKey = "Blake3"
	// partSize is the size of the parts of a large object in bytes, and the largest size that is sent in one piece.
	partSize = 16 << 20
	// maxParts is the largest number of parts that S3 accepts.
	maxParts = 10_000
	// attempts is the number of times that a request is made before it has failed.
	attempts = 3
)

// Timeouts of requests. The context of a call may end them before.
const (
	dialTimeout  = 5 * time.Second
	shortTimeout = 10 * time.Second // of a request without a body to speak of
	// answerTimeout is the time in which the object store must begin to answer a reader, and then go on: readers wait no longer for one that
	// takes connections and does not answer.
	answerTimeout = 4 * time.Second
	blockTimeout  = 30 * time.Second // of a few blocks
	// minRate is the rate in bytes per second below which a transfer is cancelled, after its first minute.
	minRate = 128 << 10
)

// transferTimeout returns the timeout for transferring size bytes.
func transferTimeout(size int64) time.Duration {
	return time.Minute + time.Duration(size/minRate)*time.Second
}

// errExists means that there is an object of that name.
var errExists = errors.New("there is an object of that name")

// bucket makes the requests to the object store. Its errors are errExists, artifactstore.ErrUnknown, ErrDamaged, that of
// the context, and artifactstore.ErrUnavailable for all others, with the reason in the text.
type bucket struct {
	core      *minio.Core
	sender    *minio.Core // does not retry: it would rewind a body that the transport may still read
	at        Location
	transport *http.Transport
}

// object has the properties of an object.
type object struct {
	size   int64
	digest string // 64 hex digits; empty if the writer of the object did not set it
}

// newBucket prepares requests to a bucket. It makes none: a bucket that is not there shows with the first request.
func newBucket(at Location, c Credentials) (*bucket, error) {
	transport, err := minio.DefaultTransport(at.secure)
	if err != nil {
		return nil, err
	}
	transport.DialContext = (&net.Dialer{Timeout: dialTimeout}).DialContext
	options := minio.Options{Creds: c.source, Secure: at.secure, Region: at.region, Transport: transport, MaxRetries: attempts}
	core, err := minio.NewCore(at.endpoint, &options)
	if err != nil {
		return nil, err
	}
	options.MaxRetries = 1
	sender, err := minio.NewCore(at.endpoint, &options)
	if err != nil {
		return nil, err
	}
	return &bucket{core: core, sender: sender, at: at, transport: transport}, nil
}

// close closes idle connections.
func (b *bucket) close() { b.transport.CloseIdleConnections() }

// failure classifies an error of a request. It drops the chain of the error, because a timeout of ours must not look like
// one of the caller.
func failure(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case cause == nil:
	case errors.Is(cause, errTimeout):
		return fmt.Errorf("%w: %w", artifactstore.ErrUnavailable, errTimeout)
	default:
		return ctx.Err()
	}
	if errors.Is(err, artifactstore.ErrDamaged) || errors.Is(err, artifactstore.ErrUnavailable) {
		return err
	}
	response := minio.ToErrorResponse(err)
	switch {
	case response.Code == minio.NoSuchKey:
		return artifactstore.ErrUnknown
	case response.Code == minio.PreconditionFailed || response.StatusCode == http.StatusPreconditionFailed:
		return errExists
	case response.Code == minio.InvalidRange || response.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return fmt.Errorf("shorter than it was: %w", artifactstore.ErrDamaged)
	case response.Code != "":
		return fmt.Errorf("%w: the object store says %s: %s", artifactstore.ErrUnavailable, response.Code, response.Error())
	}
	return fmt.Errorf("%w: %v", artifactstore.ErrUnavailable, err)
}

// errTimeout is the cause of a context that ended by one of the timeouts above.
var errTimeout = errors.New("the object store took too long")

// withTimeout is context.WithTimeout with errTimeout as the cause.
func withTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, errTimeout)
}

// stat returns the properties of an object.
func (b *bucket) stat(ctx context.Context, name string) (object, error) {
	ctx, cancel := withTimeout(ctx, answerTimeout)
	defer cancel()
	info, err := b.core.StatObject(ctx, b.at.bucket, b.at.object(name), minio.StatObjectOptions{})
	if err == nil {
		return newObject(info), nil
	}
	err = failure(ctx, err)
	if !errors.Is(err, artifactstore.ErrUnknown) {
		return object{}, err
	}
	// The answer to HEAD has no body, so a bucket that does not exist looks like an object that does not.
	body, info, _, err := b.core.GetObject(ctx, b.at.bucket, b.at.object(name), minio.GetObjectOptions{})
	if err != nil {
		return object{}, failure(ctx, err)
	}
	_ = body.Close() // it was created in between
	return newObject(info), nil
}

// newObject returns the properties of an object as its headers have them.
func newObject(info minio.ObjectInfo) object {
	o := object{size: info.Size}
	for key, value := range info.UserMetadata {
		if strings.EqualFold(key, digestKey) {
			o.digest = value
		}
	}
	return o
}

// get opens an object. ctx also bounds the reading.
func (b *bucket) get(ctx context.Context, name string) (io.ReadCloser, object, error) {
	body, info, _, err := b.open(ctx, name, minio.GetObjectOptions{})
	return body, newObject(info), err
}

// open opens an object or a part of it, of which at least something is answered every answerTimeout.
func (b *bucket) open(ctx context.Context, name string, o minio.GetObjectOptions) (io.ReadCloser, minio.ObjectInfo, http.Header, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(answerTimeout, func() { cancel(errTimeout) })
	body, info, header, err := b.core.GetObject(ctx, b.at.bucket, b.at.object(name), o)
	if err != nil {
		err = failure(ctx, err)
		timer.Stop()
		cancel(nil)
		return nil, minio.ObjectInfo{}, nil, err
	}
	return &answer{body: body, ctx: ctx, cancel: cancel, timer: timer}, info, header, nil
}

// answer is the body of an answer that must go on.
type answer struct {
	body   io.ReadCloser
	ctx    context.Context // of the request
	cancel context.CancelCauseFunc
	timer  *time.Timer
}

// Read implements [io.Reader]. It fails with ErrUnavailable when nothing was answered for answerTimeout.
func (a *answer) Read(p []byte) (int, error) {
	a.timer.Reset(answerTimeout)
	n, err := a.body.Read(p)
	a.timer.Stop() // what the reader does with it takes its own time
	if err != nil && !errors.Is(err, io.EOF) && errors.Is(context.Cause(a.ctx), errTimeout) {
		err = failure(a.ctx, err)
	}
	return n, err
}

// Close implements [io.Closer].
func (a *answer) Close() error {
	a.timer.Stop()
	err := a.body.Close()
	a.cancel(nil)
	return err
}

// getSmall returns the content of an object of at most limit bytes.
func (b *bucket) getSmall(ctx context.Context, name string, limit int64) ([]byte, error) {
	ctx, cancel := withTimeout(ctx, blockTimeout)
	defer cancel()
	body, o, err := b.get(ctx, name)
	if err != nil {
		return nil, err
	}
	defer body.Close() // read-only
	if o.size > limit {
		return nil, fmt.Errorf("%d bytes long: %w", o.size, artifactstore.ErrDamaged)
	}
	content, err := io.ReadAll(io.LimitReader(body, limit))
	if err != nil {
		return nil, failure(ctx, err)
	}
	return content, nil
}

// readAt fills p from an offset of an object of size bytes.
func (b *bucket) readAt(ctx context.Context, name string, p []byte, offset, size int64) error {
	ctx, cancel := withTimeout(ctx, blockTimeout)
	defer cancel()
	var options minio.GetObjectOptions
	if err := options.SetRange(offset, offset+int64(len(p))-1); err != nil {
		return failure(ctx, err)
	}
	body, _, header, err := b.open(ctx, name, options)
	if err != nil {
		return err
	}
	defer body.Close() // read-only
	span, total, _ := strings.Cut(header.Get("Content-Range"), "/")
	switch {
	case !strings.HasPrefix(span, "bytes "+strconv.FormatInt(offset, 10)+"-"):
		return fmt.Errorf("%w: the object store does not read ranges", artifactstore.ErrUnavailable)
	case total != strconv.FormatInt(size, 10):
		return fmt.Errorf("%s bytes instead of %d: %w", total, size, artifactstore.ErrDamaged)
	}
	if _, err := io.ReadFull(body, p); err != nil {
		return failure(ctx, err)
	}
	return nil
}

// create creates an object of size bytes from r. It fails with errExists if there is one. It fails with ErrDamaged, and
// creates nothing, if the bytes do not have the digest: they may have changed since the caller verified them.
func (b *bucket) create(ctx context.Context, name, digest string, r io.ReaderAt, size int64) error {
	return b.createChecked(ctx, name, digest, r, size, &checksums{want: digest, whole: blake3.New()})
}

// createChecked is create with checksums of its own, which tests replace. A large object is sent in parts; any other in
// one request, after its bytes were hashed.
func (b *bucket) createChecked(ctx context.Context, name, digest string, r io.ReaderAt, size int64, check *checksums) error {
	ctx, cancel := withTimeout(ctx, transferTimeout(size))
	defer cancel()
	options := minio.PutObjectOptions{UserMetadata: map[string]string{digestKey: digest}, DisableContentSha256: true}
	options.SetMatchETagExcept("*")
	if size > partSize {
		return b.createInParts(ctx, name, r, size, options, check)
	}
	content := io.NewSectionReader(r, 0, size)
	sum, err := check.piece(content)
	if err == nil {
		err = check.check()
	}
	if err != nil {
		return err
	}
	_, err = b.sender.PutObject(ctx, b.at.bucket, b.at.object(name), content, size, sum, "", options)
	if err != nil {
		return failure(ctx, err)
	}
	return nil
}

// createInParts uploads a large object. PutObject of minio-go does the same, but drops the condition that there must be no
// object when it completes the upload.
func (b *bucket) createInParts(ctx context.Context, name string, r io.ReaderAt, size int64, options minio.PutObjectOptions, check *checksums) (err error) {
	key := b.at.object(name)
	id, err := b.core.NewMultipartUpload(ctx, b.at.bucket, key, options)
	if err != nil {
		return failure(ctx, err)
	}
	defer func() {
		if err != nil {
			b.abort(ctx, key, id)
		}
	}()
	var parts []minio.CompletePart
	each := max(partSize, (size+maxParts-1)/maxParts)
	for at := int64(0); at < size; at += each {
		content := io.NewSectionReader(r, at, min(each, size-at))
		sum, err := check.piece(content)
		if err != nil {
			return err
		}
		part, err := b.createPart(ctx, key, id, len(parts)+1, r, at, content.Size(), sum)
		if err != nil {
			return err
		}
		parts = append(parts, minio.CompletePart{PartNumber: len(parts) + 1, ETag: part.ETag})
	}
	if err := check.check(); err != nil {
		return err
	}
	var complete minio.PutObjectOptions
	complete.SetMatchETagExcept("*")
	if _, err := b.core.CompleteMultipartUpload(ctx, b.at.bucket, key, id, parts, complete); err != nil {
		return failure(ctx, err)
	}
	return nil
}

// createPart sends a part, again if the object store did not answer.
func (b *bucket) createPart(ctx context.Context, key, id string, number int, r io.ReaderAt, at, size int64, sum string) (part minio.ObjectPart, err error) {
	for range attempts {
		part, err = b.sender.PutObjectPart(ctx, b.at.bucket, key, id, number, io.NewSectionReader(r, at, size), size,
			minio.PutObjectPartOptions{Md5Base64: sum, DisableContentSha256: true})
		if err == nil {
			return part, nil
		}
		if err = failure(ctx, err); !errors.Is(err, artifactstore.ErrUnavailable) {
			return part, err
		}
	}
	return part, err
}

// abort deletes the parts of an upload. Parts that it cannot delete are left to a lifecycle rule of the bucket.
func (b *bucket) abort(ctx context.Context, key, id string) {
	ctx, cancel := withTimeout(context.WithoutCancel(ctx), shortTimeout)
	defer cancel()
	_ = b.core.AbortMultipartUpload(ctx, b.at.bucket, key, id)
}

// checksums computes the MD5 of each piece, which the object store compares, and the digest of the whole object.
type checksums struct {
	want  string // the digest in hex; empty for any
	whole *blake3.Hasher
}

// piece reads a piece, seeks back to its beginning, and returns its MD5 in base64.
func (s *checksums) piece(r *io.SectionReader) (string, error) {
	piece := md5.New()
	if _, err := io.Copy(io.MultiWriter(piece, s.whole), r); err != nil {
		return "", err
	}
	_, err := r.Seek(0, io.SeekStart)
	return base64.StdEncoding.EncodeToString(piece.Sum(nil)), err
}

// check fails with ErrDamaged if the whole object does not have the wanted digest.
func (s *checksums) check() error {
	if got := hex.EncodeToString(s.whole.Sum(nil)); s.want != "" && got != s.want {
		return fmt.Errorf("the copy in the spool has the digest %s: %w", got, artifactstore.ErrDamaged)
	}
	return nil
}

// createSmall creates an object of bytes in memory. digest is only its metadata: the bytes have another one.
func (b *bucket) createSmall(ctx context.Context, name, digest string, content []byte) error {
	return b.createChecked(ctx, name, digest, bytes.NewReader(content), int64(len(content)), &checksums{whole: blake3.New()})
}

// hashObject reads an object whose metadata has no digest and returns its digest in hex.
func (b *bucket) hashObject(ctx context.Context, name string, size int64) (string, error) {
	ctx, cancel := withTimeout(ctx, transferTimeout(size))
	defer cancel()
	body, _, err := b.get(ctx, name)
	if err != nil {
		return "", err
	}
	defer body.Close() // read-only
	hash := blake3.New()
	if _, err := io.Copy(hash, body); err != nil {
		return "", failure(ctx, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// remove deletes an object. It succeeds if there is none.
func (b *bucket) remove(ctx context.Context, name string) error {
	ctx, cancel := withTimeout(ctx, shortTimeout)
	defer cancel()
	err := b.core.RemoveObject(ctx, b.at.bucket, b.at.object(name), minio.RemoveObjectOptions{})
	if err == nil {
		return nil
	}
	if err := failure(ctx, err); !errors.Is(err, artifactstore.ErrUnknown) {
		return err
	}
	return nil
}

// list visits all objects under the prefix in the order of their names.
func (b *bucket) list(ctx context.Context, visit func(artifactstore.StoredArtifact) error) error {
	for o := range b.core.ListObjectsIter(ctx, b.at.bucket, minio.ListObjectsOptions{Prefix: b.at.prefix, Recursive: true}) {
		if o.Err != nil {
			return failure(ctx, o.Err)
		}
		h := artifactstore.StoredArtifact{Name: strings.TrimPrefix(o.Key, b.at.prefix), Size: o.Size, Stored: o.LastModified}
		if err := visit(h); err != nil {
			return err
		}
	}
	return ctx.Err()
}
