// Package artifactstore turns bytes into a durable path, and the name of that path back into the bytes.
//
// An artifact is stored once and never changes. Its name is the beginning of the BLAKE3 digest of its
// content in lower-case hex, so the same bytes always get the same name and the same path: nothing in a
// name comes from a clock, a process id or a random source.
//
// There are two stores. [Dir] keeps artifacts in a local directory and is durable: when Put returns, the
// artifact survives a power cut. [Memory] keeps them in memory, for tests and dry runs. Both pass the one
// suite in the package artifactstoretest; a bug found in a store becomes a case there first.
//
// The interfaces are split by verb, so that a function asks for exactly what it needs: a projector gets a
// [Sink] and can neither read the store nor open a stage. Failures are the sentinel errors of this
// package, wrapped with the artifact or store that they are about, and with the system's own error
// wherever there is one: errors.Is finds both.
//
// The platform is Linux: the lock is flock(2), owners are user ids and file systems are told apart by
// statfs(2).
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
	// Name is what [Source.Open] takes: 8 to 64 lower-case hex digits, the beginning of the digest.
	Name string
	// Path is what a reader outside this process opens: an absolute path for [Dir], a label for [Memory].
	Path string
	// Size is the length of the content in bytes.
	Size int64
	// Digest is "blake3:" followed by the 64 hex digits of the content's digest.
	Digest string
}

// NewRef returns the Ref of a content under a name and at a path.
func NewRef(c content.ID, name, path string) Ref {
	return Ref{Name: name, Path: path, Size: c.Size, Digest: c.String()}
}

// Sink stores payloads.
type Sink interface {
	// Put stores the whole of b and returns its Ref. When it returns without an error the artifact is as
	// durable as the store can make it. The same content put again, also at the same time, gives the same
	// Ref and writes nothing. When it returns an error nothing of b can be seen in the store.
	//
	// Errors: ErrSizeMismatch when b yields more or fewer bytes than b.Size() said; ErrFull, ErrReadOnly,
	// ErrTooLarge, ErrTooManyFiles by what the file system refused; ErrClosed after the store, or the stage
	// that b came from, was closed; the error of ctx; whatever opening and reading b returned.
	Put(ctx context.Context, b Blob) (Ref, error)
}

// Source reads artifacts back.
type Source interface {
	// Open returns the artifact called name, positioned at its first byte. It reads the whole artifact once
	// to verify it before it returns, so no reader ever sees bytes that differ from those that were put; the
	// cost is one pass over the content, at memory speed for what is cached and at disk speed for the rest.
	//
	// Errors: ErrNameInvalid when name is not 8 to 64 lower-case hex digits; ErrUnknown when there is no
	// such artifact; ErrDamaged when there is one and it is not what was stored; ErrTooManyFiles;
	// ErrClosed; the error of ctx.
	Open(ctx context.Context, name string) (*Reader, error)
	// Pages opens the artifact called name to be read anywhere. Unlike Open it does not read the artifact
	// first: each block is verified when it is read. Of a log, whose name NameOf of the store returns, it
	// reads what there is now.
	//
	// Errors: those of Open; damage of a block that is read is for the Pages to report.
	Pages(ctx context.Context, name string) (*Pages, error)
}

// Stager receives payloads that are still arriving.
type Stager interface {
	// Stage opens an empty stage. ctx bounds the life of the whole stage, not of this call only: once it is
	// done every Write fails.
	//
	// Errors: those of [Sink.Put], except for those about a blob.
	Stage(ctx context.Context) (Stage, error)
}

// Inventory are the artifacts of a store, for whoever keeps its books. Logs that are not finished count, by the name
// that [LiveName] gives them.
type Inventory interface {
	// Has reports whether there is an artifact of that name, sound or not. Errors: ErrNameInvalid, ErrClosed,
	// the error of ctx, what the file system refused.
	Has(ctx context.Context, name string) (bool, error)
	// Remove deletes the artifact of that name, sound or not. Readers that are open go on. When it returns
	// without an error the artifact does not come back after a power cut.
	//
	// Errors: those of Has; ErrUnknown; ErrReadOnly; ErrBusy for a log that is open for appending.
	Remove(ctx context.Context, name string) error
	// Walk calls visit for every artifact, in no order, and stops with the error of visit. Artifacts that come
	// or go meanwhile may be visited or not.
	Walk(ctx context.Context, visit func(StoredArtifact) error) error
	// PathFor returns the path of the artifact of that name, which must be valid, as Ref.Path has it; whether
	// there is one does not matter. NameOf is the other way, and fails with ErrForeign.
	PathFor(name string) string
	Resolve(path string) (string, error)
	// RefFor returns the Ref that Put of a content returns, unless other content has that name. It stores nothing.
	RefFor(content []byte) Ref
}

// StoredArtifact is an artifact as Walk finds it.
type StoredArtifact struct {
	Name   string
	Size   int64     // of its content, in bytes
	Stored time.Time // when it was put, as far as the store knows
}

// Logs keeps payloads that grow for as long as a task runs, may be read meanwhile, and survive their writer.
type Logs interface {
	// OpenLog opens the log called name, as [LogName] makes names, for appending, and creates it if it is not
	// there: then that is durable when it returns. A log that is finished opens too, and takes nothing more.
	//
	// Errors: ErrNameInvalid; ErrBusy when it is open; ErrFinished when its artifact cannot be read any more;
	// ErrDamaged when bytes are missing or altered that were durable; those of [Sink.Put], except for those
	// about a blob.
	OpenLog(ctx context.Context, name string) (Log, error)
}

// Store is what the owner of artifacts holds: every verb. Everyone else is handed the one that they need.
type Store interface {
	Sink
	Source
	Stager
	Logs
	Inventory
}

// Stage is one payload that is still arriving. Its methods may be called from several goroutines, one
// after the other or at once; the order of concurrent writes is the caller's business.
//
// The way to use it is to defer Discard at once, write, Seal, and Put the blob into the same store, which
// then takes the bytes over without copying them. After a failed Write the stage is useless: it has given
// back its space, and every further call returns the first error.
type Stage interface {
	// Write appends p. It fails with ErrSealed after Seal, with the error of the stage's context, or as Put
	// does for the file system and for a closed store.
	io.Writer
	// WriteParts appends all parts, in their order, as one Write of them would if they were next to each
	// other in memory, and keeps none of them. It returns how many newlines are in them: a store counts
	// them for its index anyway. It fails like Write.
	WriteParts(parts [][]byte) (newlines int, err error)
	// Prefix returns what has been written so far, without ending the payload: a blob that stays as it is
	// while more is written, until Discard. Put copies it. It fails like Write, but also works after Seal.
	Prefix() (Blob, error)
	// Seal ends the payload and returns it. The blob can be read and put, any number of times, until
	// Discard; readers opened from it are of no use after that. A second Seal fails with ErrSealed.
	Seal() (Blob, error)
	// Discard gives back what the stage holds. It never removes an artifact that was put. It may be called
	// at any time and more than once; only the first call does anything, and after it every other call, and
	// every use of the blob, fails with ErrClosed or with the error that ended the stage before. An error means that something was
	// left behind, which the next start of the store removes.
	Discard() error
}

// Log is a log that is open for appending. Its methods may be called at once; the order of concurrent appends is
// the caller's business.
//
// What was appended can be read at once, and survives a crash of this process. What was synced survives a power
// cut. Both stay as they are when the Log is closed.
type Log interface {
	// Path is what a reader outside this process opens. It stays the same for ever: when the log is finished it
	// leads to the artifact.
	Path() string
	// Received returns how many bytes the log has.
	Received() int64
	// Durable returns how many of them survive a power cut: always 0 in a store that is not durable.
	Durable() int64
	// Dropped returns how many bytes at the end OpenLog cut off, because after a crash nothing vouched for them.
	Dropped() int64
	// Append writes p at the end: all of it, or nothing and an error, after which it may be tried again.
	//
	// Errors: ErrFinished; ErrClosed; as [Sink.Put] for the file system; the error of a Sync that failed.
	Append(p []byte) error
	// Sync makes durable what was appended before the call, and returns Durable. Appends go on meanwhile. An
	// error is final for the log until the store is opened again: nothing can be appended, and what is not
	// durable is gone.
	Sync() (durable int64, err error)
	// Finish makes an artifact of the log, and returns its Ref. It may be called again, also after a crash or on
	// a Log that was opened later, and returns the same. After an error the Log is of no use, and the log is
	// as it was, or finished.
	//
	// Errors: those of Append and of [Sink.Put].
	Finish(ctx context.Context) (Ref, error)
	// Close lets go of the log, and leaves it as it is. Only the first call does anything.
	Close() error
}
