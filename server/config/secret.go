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
	// Without O_NONBLOCK, opening a named pipe would wait for a writer.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", fmt.Errorf("token file: %w", err)
	}
	defer func() { _ = f.Close() }() // only read from
	if err := checkTokenFile(f); err != nil {
		return "", fmt.Errorf("token file %q: %w", path, err)
	}
	content, err := io.ReadAll(io.LimitReader(f, maxTokenBytes+2)) // a newline, and one byte more to notice
	if err != nil {
		return "", fmt.Errorf("token file: %w", err)
	}
	token := Secret(strings.TrimSuffix(string(content), "\n"))
	if err := checkToken(token); err != nil {
		return "", fmt.Errorf("token file %q: the token %w", path, err)
	}
	return token, nil
}

// checkTokenFile looks at the open file, not at the path, which may be replaced in between.
func checkTokenFile(f *os.File) error {
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() {
		return errors.New("is not a regular file")
	}
	if perm := st.Mode().Perm(); perm&0o077 != 0 {
		return fmt.Errorf("mode %#o lets other users at the token; run chmod 600 on it", perm)
	}
	return nil
}

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
