package objectstore

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
	// digestKey is the metadata of an object that has its digest, in hex.
	digestKey = "Blake3"
	// partSize is the size of the parts of a large object, and the largest that is sent in one piece, in bytes.
	partSize = 16 << 20
	// maxParts is how many parts S3 takes.
	maxParts = 10_000
	// attempts is how often one request is made before it has failed.
	attempts = 3
)

// How long requests may take. They are cut by the context of a call too, if that ends before.
const (
	dialTimeout  = 5 * time.Second
	shortTimeout = 10 * time.Second // of a request without a body to speak of
	blockTimeout = 30 * time.Second // of a few blocks
	// minRate is the rate below which a transfer is given up, in bytes a second; the first minute is free.
	minRate = 128 << 10
)

// transferTimeout is how long it may take to move so many bytes.
func transferTimeout(size int64) time.Duration {
	return time.Minute + time.Duration(size/minRate)*time.Second
}

// errExists says that there is an object of that name.
var errExists = errors.New("there is an object of that name")

// bucket is what is asked of the object store. Its errors are errExists, artifactstore.ErrUnknown, that of the
// context, and artifactstore.ErrUnavailable for all others, with a text that says why.
type bucket struct {
	core      *minio.Core
	sender    *minio.Core // makes no request twice: it would rewind a body that the transport may still read
	at        Location
	transport *http.Transport
}

// object is what the object store says of an object.
type object struct {
	size   int64
	digest string // 64 hex digits, or empty when whoever wrote the object did not say
}

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

// close gives idle connections back.
func (b *bucket) close() { b.transport.CloseIdleConnections() }

// failure says what an error of a request means. The chain of the error ends here: a timeout of ours in it is not
// the caller's.
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

// errTimeout is the cause of a context that ended by a timeout of ours.
var errTimeout = errors.New("the object store took too long")

func withTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, errTimeout)
}

// stat asks for an object without its bytes.
func (b *bucket) stat(ctx context.Context, name string) (object, error) {
	ctx, cancel := withTimeout(ctx, shortTimeout)
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
	_ = body.Close() // it came into being in between
	return newObject(info), nil
}

func newObject(info minio.ObjectInfo) object {
	o := object{size: info.Size}
	for key, value := range info.UserMetadata {
		if strings.EqualFold(key, digestKey) {
			o.digest = value
		}
	}
	return o
}

// get opens an object. ctx bounds the reading too.
func (b *bucket) get(ctx context.Context, name string) (io.ReadCloser, object, error) {
	body, info, _, err := b.core.GetObject(ctx, b.at.bucket, b.at.object(name), minio.GetObjectOptions{})
	if err != nil {
		return nil, object{}, failure(ctx, err)
	}
	return body, newObject(info), nil
}

// getSmall returns an object that has at most limit bytes.
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

// readAt fills p from an offset of an object that has size bytes.
func (b *bucket) readAt(ctx context.Context, name string, p []byte, offset, size int64) error {
	ctx, cancel := withTimeout(ctx, blockTimeout)
	defer cancel()
	var options minio.GetObjectOptions
	if err := options.SetRange(offset, offset+int64(len(p))-1); err != nil {
		return failure(ctx, err)
	}
	body, _, header, err := b.core.GetObject(ctx, b.at.bucket, b.at.object(name), options)
	if err != nil {
		return failure(ctx, err)
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

// create makes an object of size bytes from r, unless there is one: then it fails with errExists. The bytes must have
// the digest, or it fails with ErrDamaged and there is no object: who verified them before may have read others.
func (b *bucket) create(ctx context.Context, name, digest string, r io.ReaderAt, size int64) error {
	return b.createChecked(ctx, name, digest, r, size, &checksums{want: digest, whole: blake3.New()})
}

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

// createInParts does what minio-go's PutObject does with a large object, which drops the condition when it
// completes the object.
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

// createPart sends a part, and again when the object store did not answer.
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

// abort gives the parts of an upload back. What it cannot give back is for a rule of the bucket.
func (b *bucket) abort(ctx context.Context, key, id string) {
	ctx, cancel := withTimeout(context.WithoutCancel(ctx), shortTimeout)
	defer cancel()
	_ = b.core.AbortMultipartUpload(ctx, b.at.bucket, key, id)
}

// checksums are of the bytes that are sent: of each piece the one that the object store compares, and of all of them the
// digest that they must have.
type checksums struct {
	want  string // empty: any
	whole *blake3.Hasher
}

// piece reads a piece and goes back to its beginning.
func (s *checksums) piece(r *io.SectionReader) (string, error) {
	piece := md5.New()
	if _, err := io.Copy(io.MultiWriter(piece, s.whole), r); err != nil {
		return "", err
	}
	_, err := r.Seek(0, io.SeekStart)
	return base64.StdEncoding.EncodeToString(piece.Sum(nil)), err
}

// check fails with ErrDamaged if the pieces are not what they must be.
func (s *checksums) check() error {
	if got := hex.EncodeToString(s.whole.Sum(nil)); s.want != "" && got != s.want {
		return fmt.Errorf("the copy in the spool has the digest %s: %w", got, artifactstore.ErrDamaged)
	}
	return nil
}

// createSmall is create for bytes that are at hand, and that have another digest than the object is to say.
func (b *bucket) createSmall(ctx context.Context, name, digest string, content []byte) error {
	return b.createChecked(ctx, name, digest, bytes.NewReader(content), int64(len(content)), &checksums{whole: blake3.New()})
}

// hashObject reads an object to know its digest, where whoever wrote it did not say.
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

// remove deletes an object; that there is none is no failure.
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

// list visits all objects under the prefix, in the order of their names.
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
