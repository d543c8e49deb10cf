package artifactstore

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/zeebo/blake3"
)

const (
	// livePrefix begins the name under which a log is read.
	livePrefix = "live/"
	// logNameDigits is the length of the name of a log: 128 bits, so that no two logs ever share one.
	logNameDigits = 32
)

// LogName returns the name of the log that the parts identify. It is a digest of the parts with their lengths, so that
// other parts give another name, and the same parts the same name in any store.
func LogName(parts ...string) string {
	h := blake3.New()
	for _, part := range parts {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part)))) // a hash never fails
		h.WriteString(part)
	}
	return hex.EncodeToString(h.Sum(nil))[:logNameDigits]
}

// CheckLogName fails with ErrNameInvalid unless name has the form of those that LogName returns.
func CheckLogName(name string) error {
	if len(name) == logNameDigits && strings.Trim(name, "0123456789abcdef") == "" {
		return nil
	}
	return fmt.Errorf("log %q: %w", name[:min(len(name), maxNameEcho)], ErrNameInvalid)
}

// LiveName returns the name under which [Source.Pages] reads the log called name.
func LiveName(name string) string { return livePrefix + name }

// ParseLiveName is the inverse of LiveName. It reports false for any other text.
func ParseLiveName(text string) (name string, ok bool) {
	name, ok = strings.CutPrefix(text, livePrefix)
	return name, ok && CheckLogName(name) == nil
}

// NewFinishedLog returns a Log that is finished, with its path and its artifact. durable reports whether the artifact
// survives a power cut. It is for implementations of [Logs].
func NewFinishedLog(path string, ref Ref, durable bool) Log {
	return &finishedLog{path: path, ref: ref, durable: durable}
}

// finishedLog is a Log that has become an artifact.
type finishedLog struct {
	path    string
	ref     Ref
	durable bool
}

// Path and the methods below implement [Log]. A finished log is as durable as its artifact; nothing in it is live.
func (f *finishedLog) Path() string    { return f.path }
func (f *finishedLog) Received() int64 { return f.ref.Size }
func (f *finishedLog) Dropped() int64  { return 0 }
func (f *finishedLog) Close() error    { return nil }

func (f *finishedLog) Durable() int64 {
	if !f.durable {
		return 0
	}
	return f.ref.Size
}

func (f *finishedLog) Append([]byte) error                 { return fmt.Errorf("log: %w", ErrFinished) }
func (f *finishedLog) Sync() (int64, error)                { return f.Durable(), nil }
func (f *finishedLog) Finish(context.Context) (Ref, error) { return f.ref, nil }
