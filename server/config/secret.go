package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

const (
	// minTokenBytes is the shortest token: 16 bytes of hex are 64 bits, which nobody guesses over a socket.
	minTokenBytes = 16
	// maxTokenBytes keeps a token well inside the header limit of a call.
	maxTokenBytes = 4096
	// maxKeyBytes is more than any key has.
	maxKeyBytes = 1 << 20
)

// Secret is a text that no print, log line or JSON shows: each of them writes "(set)", or nothing for the empty
// secret. string(s) is the text itself.
type Secret string

// String returns "(set)", or "" for the empty secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "(set)"
}

// GoString returns what String returns, quoted, so that %#v hides the secret too.
func (s Secret) GoString() string { return fmt.Sprintf("%q", s.String()) }

// MarshalText returns what String returns, so that JSON and structured logs hide the secret too.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// ReadToken returns the bearer token in the file at path, without one trailing newline. The file must be a
// regular one (a symbolic link to one will do) that neither its group nor others may read, write or execute, and
// the token 16 to 4096 printable ASCII bytes without spaces. No error holds any part of the content.
func ReadToken(path string) (Secret, error) {
	content, err := readPrivate("token", path, maxTokenBytes+2) // a newline, and one byte more to notice
	if err != nil {
		return "", err
	}
	token, err := tokenIn(content)
	if err != nil {
		return "", fmt.Errorf("token file %q: the token %w", path, err)
	}
	return token, nil
}

// ReadKey returns the content of a file with a private key, at most 1 MiB of it. The file must be as for [ReadToken].
func ReadKey(path string) ([]byte, error) { return readPrivate("key", path, maxKeyBytes) }

// readPrivate reads the beginning of a file that only its owner can read.
func readPrivate(what, path string, limit int64) ([]byte, error) {
	// Without O_NONBLOCK, opening a named pipe would wait for a writer.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("%s file: %w", what, err)
	}
	defer func() { _ = f.Close() }() // only read from
	if err := checkPrivate(what, f); err != nil {
		return nil, fmt.Errorf("%s file %q: %w", what, path, err)
	}
	content, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return nil, fmt.Errorf("%s file: %w", what, err)
	}
	return content, nil
}

// checkPrivate looks at the open file, not at the path, which may be replaced in between.
func checkPrivate(what string, f *os.File) error {
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() {
		return errors.New("is not a regular file")
	}
	if perm := st.Mode().Perm(); perm&0o077 != 0 {
		return fmt.Errorf("mode %#o lets other users at the %s; run chmod 600 on it", perm, what)
	}
	return nil
}

// tokenIn is the token that a file has.
func tokenIn(content []byte) (Secret, error) {
	token := Secret(strings.TrimSuffix(string(content), "\n"))
	return token, checkToken(token)
}

// checkToken accepts printable ASCII without spaces, since the token travels in a header, of at least 16 bytes, since it
// may be guessed at.
func checkToken(s Secret) error {
	switch {
	case len(s) == 0:
		return errors.New("is empty")
	case len(s) < minTokenBytes:
		return fmt.Errorf("is %d bytes long; at least %d are needed", len(s), minTokenBytes)
	case len(s) > maxTokenBytes:
		return fmt.Errorf("is longer than %d bytes", maxTokenBytes)
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return fmt.Errorf("holds a space, a control character or a byte that is not ASCII, at position %d; "+
				"no call can carry it", i)
		}
	}
	return nil
}
