package sidecar

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode"

	"github.com/toolresult/toolresult/internal/privatedir"
)

// Address is the content of an address file, one JSON object.
type Address struct {
	// Address is the socket of the sidecar, unix:///PATH.
	Address string `json:"address"`
	// TCP is the address and the port of its other listener; empty: it has none. Whoever calls it needs the token.
	TCP string `json:"tcp,omitempty"`
	// PID is the number of its process.
	PID int `json:"pid"`
	// Version is that of its build; empty: unknown.
	Version string `json:"version,omitempty"`
}

// maxAddressFile bounds what is read of an address file, in bytes.
const maxAddressFile = 16 << 10

// ReadAddress reads an address file. It follows none that another user could have written: the file and its directory are of
// this user, and nobody else can write them. Its address is a socket. Whether somebody serves there is not known.
//
// The error is fs.ErrNotExist when there is no file.
func ReadAddress(path string) (_ Address, err error) {
	defer func() { err = ofAddressFile(path, err) }()
	if err := privatedir.Check(filepath.Dir(path)); err != nil {
		return Address{}, err
	}
	// What is no file, such as a pipe, would be waited for.
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Address{}, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return Address{}, err
	}
	switch {
	case !info.Mode().IsRegular():
		return Address{}, errors.New("is no file")
	case !privatedir.IsOurs(info):
		return Address{}, errors.New("belongs to another user")
	case info.Mode().Perm()&0o022 != 0:
		return Address{}, fmt.Errorf("mode %04o lets other users write", info.Mode().Perm())
	}
	text, err := io.ReadAll(io.LimitReader(f, maxAddressFile))
	if err != nil {
		return Address{}, err
	}
	return parseAddress(text)
}

// parseAddress reads the content of an address file. What it does not know is for later versions.
func parseAddress(text []byte) (Address, error) {
	var a Address
	if err := json.Unmarshal(text, &a); err != nil {
		return Address{}, fmt.Errorf("is not the JSON of an address file: %w", err)
	}
	socket, isSocket := strings.CutPrefix(a.Address, "unix://")
	if !isSocket || !filepath.IsAbs(socket) || strings.ContainsFunc(socket, unicode.IsControl) {
		return Address{}, fmt.Errorf("has the address %q, which is not unix:///PATH", a.Address)
	}
	return a, nil
}

// WriteAddress writes an address file in one step, with mode 0600, in a directory that only this user can enter, which it makes.
// It replaces a file of a sidecar that is dead, and anything else that is no directory.
//
// It fails when the file is of another sidecar that lives.
func WriteAddress(path string, a Address) (err error) {
	defer func() { err = ofAddressFile(path, err) }()
	dir := filepath.Dir(path)
	if err := privatedir.Make(dir); err != nil {
		return err
	}
	if other, err := ReadAddress(path); err == nil && other.Address != a.Address {
		if peer, err := (Place{Address: other.Address}).peer(); err == nil {
			return fmt.Errorf("is of a sidecar that lives, process %d at %s", peer.PID, other.Address)
		}
	}
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, filepath.Base(path)+".*") // of mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// RemoveAddress removes an address file if it is that of the given process. It does nothing when the file is gone, or is of
// another sidecar.
func RemoveAddress(path string, pid int) error {
	if a, err := ReadAddress(path); err != nil || a.PID != pid {
		return nil // a file that cannot be read is none that this process wrote
	}
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return ofAddressFile(path, err)
	}
	return nil
}

// ofAddressFile returns an error that names the address file; nil for nil.
func ofAddressFile(path string, err error) error {
	if err != nil {
		err = fmt.Errorf("address file %s: %w", path, err)
	}
	return err
}

// IsLoopback reports whether HOST:PORT is on this machine: an address of the loopback network, or localhost. Other names are
// not looked up: what a name resolves to may change between the check and the connection.
func IsLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}
