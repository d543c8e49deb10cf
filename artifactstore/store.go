// Package artifactstore defines the interfaces of bytes, durable paths and slices of artifacts.
//
// An artifact is stored once and never changes. Its name is the beginning of the BLAKE3 digest of its content in
// lower-case hex, so the same bytes always have the same name and the same path: no part of a name comes from a clock, a
// process id or a random source.
//
// This package has the interfaces and the values that all stores share, and opens no store. Package dir keeps artifacts
// in a local directory and is durable: when Put returns, the artifact survives a power cut. Package memory keeps them in
// memory, for tests and dry runs. Package objectstore keeps them in S3-compatible storage behind a directory. All pass
// the one suite in package artifactstoretest; a bug found in a store becomes a case there first. Package catalog adds
// owners, leases and quotas, and package slice reads parts.
//
// The interfaces are split by verb, so that a function asks for exactly what it needs: a projector gets a [Sink] and can
// neither read the store nor open a stage. Failures are the sentinel errors of this package, wrapped with the artifact
// or store that they are about, and with the system's own error where there is one: errors.Is finds both.
//
// The platform is Linux: locks are flock(2), owners are user ids and file systems are identified by statfs(2).
package artifactstore

import (
	"context"
	"io"
	"time"

	"github.com/toolresult/toolresult/artifactstore/internal/content"
)

// Ref names a stored artifact. It is a plain value: the same content in the same store always has the
// same Ref.
type Ref struct {
	// Name is the argument of [Source.Open]: 8 to 64 lower-case hex digits, the beginning of the digest.
	Name string
	// Path is the path for readers outside this process: an absolute path, a URL, or in memory a mere label.
	Path string
	// Size is the length of the content in bytes.
	Size int64
	// Digest is "blake3:" followed by the 64 hex digits of the content's digest.
	Digest string
}

// NewRef returns the Ref of a content under a name and at a path. It is for implementations of [Store].
func NewRef(c content.ID, name, path string) Ref {
	return Ref{Name: name, Path: path, Size: c.Size, Digest: c.String()}
}

// Sink stores payloads.
type Sink interface {
	// Put stores the whole of b and returns its Ref. When it returns without an error the artifact is as
	// durable as the store can make it. The same content put again, also concurrently, gives the same
	// Ref and writes nothing. When it returns an error nothing of b can be seen in the store.
	//
	// Errors: ErrSizeMismatch if b yields more or fewer bytes than b.Size(); ErrFull, ErrReadOnly, ErrTooLarge,
	// ErrTooManyFiles, by the error of the file system; ErrClosed after the store, or the stage of b, was
	// closed; the error of ctx; those of opening and reading b.
	Put(ctx context.Context, b Blob) (Ref, error)
}

// Source reads artifacts back.
type Source interface {
	// Open returns the artifact called name, positioned at its first byte. It reads the whole artifact once
	// to verify it before it returns, so no reader ever sees bytes that differ from those that were put. The
	// cost is one pass over the content, at the speed of memory if it is cached and else of the disk.
	//
	// Errors: ErrNameInvalid if name is not 8 to 64 lower-case hex digits; ErrUnknown if there is no such
	// artifact; ErrDamaged if it is not what was stored; ErrTooManyFiles; ErrClosed; the error of ctx.
	Open(ctx context.Context, name string) (*Reader, error)
	// Pages opens the artifact called name for reading at any place. Unlike Open it does not read the artifact
	// first: each block is verified when it is read. The [LiveName] of a log gives the log as it is now.
	//
	// Errors: those of Open. Damage of a block is an error of the Pages.
	Pages(ctx context.Context, name string) (*Pages, error)
}

// Stager opens stages, which receive payloads that are still arriving.
type Stager interface {
	// Stage opens an empty stage. ctx bounds the life of the whole stage, not of this call only: once it is
	// done every Write fails.
	//
	// Errors: those of [Sink.Put], except for those about a blob.
	Stage(ctx context.Context) (Stage, error)
}

// Inventory lists and deletes the artifacts of a store. Logs that are not finished count, under their [LiveName].
type Inventory interface {
	// Has reports whether there is an artifact of that name. It does not read the artifact.
	//
	// Errors: ErrNameInvalid; ErrClosed; the error of ctx; those of the file system.
	Has(ctx context.Context, name string) (bool, error)
	// Remove deletes the artifact of that name, damaged or not. Open readers go on. When it returns without an error,
	// the artifact does not come back after a power cut.
	//
	// Errors: those of Has; ErrUnknown; ErrReadOnly; ErrBusy for a log that is open for appending.
	Remove(ctx context.Context, name string) error
	// Walk calls visit for every artifact, in no order, and stops at the first error of visit. Artifacts that are put
	// or removed meanwhile may be visited or not.
	Walk(ctx context.Context, visit func(StoredArtifact) error) error
}

// Namer translates between the names, paths and contents of a store's artifacts. Whether an artifact exists does not
// matter.
type Namer interface {
	// PathFor returns the path of the artifact of a name, which must be valid, as Ref.Path has it.
	PathFor(name string) string
	// Resolve returns the name of the artifact at a path, as Ref.Path or Log.Path have it. For a finished log it is the
	// name of its artifact. It fails with ErrOutsideStore.
	Resolve(path string) (name string, err error)
	// LogAt returns the [LiveName] of the log at a path, whether it is finished or not. It is false for any other path.
	LogAt(path string) (live string, ok bool)
	// RefFor returns the Ref that Put returns for a content, unless other content has its name. It stores nothing.
	RefFor(content []byte) Ref
}

// StoredArtifact is an artifact as [Inventory.Walk] finds it.
type StoredArtifact struct {
	Name   string
	Size   int64     // of the content, in bytes
	Stored time.Time // when it was put; zero if the store does not know
}

// Logs keeps payloads that grow for as long as a task runs. They can be read meanwhile, and survive their writer.
type Logs interface {
	// OpenLog opens the log called name for appending and creates it if there is none; see [LogName]. A new log is
	// durable when it returns. A finished log opens too, and rejects appends.
	//
	// Errors: ErrNameInvalid; ErrBusy if it is open; ErrFinished if its artifact is gone; ErrDamaged if durable bytes
	// are missing or altered; those of [Sink.Put], except for those about a blob.
	OpenLog(ctx context.Context, name string) (Log, error)
}

// Store has every method. The server owns one and gives each part of the program the smallest interface that it needs.
type Store interface {
	Sink
	Source
	Stager
	Logs
	Inventory
	Namer
}

// Stage is one payload that is still arriving. Safe for concurrent use; the order of concurrent writes is up to the
// caller.
//
// The way to use it is to defer Discard, write, Seal, and Put the blob into the same store, which then takes the bytes
// over without a copy. After a failed Write the stage has given back its space, and every further call returns the
// first error.
type Stage interface {
	// Write appends p. It fails with ErrSealed after Seal, with the error of the stage's context, or as Put does for the
	// file system and for a closed store.
	io.Writer
	// WriteParts appends all parts, in their order, like one Write of their concatenation, and retains none of them. It
	// returns the number of newlines in them, which a store counts for its index anyway. It fails like Write.
	WriteParts(parts [][]byte) (newlines int, err error)
	// Prefix returns what has been written so far as a blob, without ending the payload. The blob stays the same while
	// more is written, until Discard. Put copies it. It fails like Write, but also works after Seal.
	Prefix() (Blob, error)
	// Seal ends the payload and returns it. The blob can be read and put any number of times until Discard, which ends
	// its readers too. A second Seal fails with ErrSealed.
	Seal() (Blob, error)
	// Discard frees what the stage holds. It never removes an artifact that was put. It may be called at any time; only
	// the first call has an effect. After it every other method, and every use of the blob, fails with ErrClosed or with
	// the error that ended the stage before. An error means that a temporary file is left, which the next start of the
	// store removes.
	Discard() error
}

// LogState reports the progress of a log.
type LogState interface {
	// Path returns the path for readers outside this process. It never changes: once the log is finished, it leads to
	// the artifact.
	Path() string
	// Received returns the size of the log in bytes.
	Received() int64
	// Durable returns the number of bytes, from the first one on, that survive a power cut. In a store that is not
	// durable it is 0.
	Durable() int64
	// Dropped returns the number of bytes that OpenLog cut off the end, because after a crash no checksum covered them.
	Dropped() int64
}

// Log is a log that is open for appending. Safe for concurrent use; the order of concurrent appends is up to the caller.
//
// Appended bytes can be read immediately and survive a crash of this process. Synced bytes survive a power cut. Both
// stay when the Log is closed.
type Log interface {
	LogState
	// Append writes all of p at the end, or nothing and returns an error, after which it may be tried again.
	//
	// Errors: ErrFinished; ErrClosed; as [Sink.Put] for the file system; the error of a Sync that failed.
	Append(p []byte) error
	// Sync makes durable what was appended before the call, and returns Durable. Appends go on meanwhile. An error is
	// final for the log until the store is opened again: nothing can be appended, and what is not durable is gone.
	Sync() (durable int64, err error)
	// Finish makes an artifact of the log, and returns its Ref. A second call, also after a crash or on a Log that was
	// opened later, returns the same. After an error the Log is of no use, and the log is unchanged or finished.
	//
	// Errors: those of Append and of [Sink.Put].
	Finish(ctx context.Context) (Ref, error)
	// Close closes the Log and leaves the log as it is. Only the first call has an effect.
	Close() error
}
