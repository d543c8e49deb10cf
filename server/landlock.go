package server

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/landlock-lsm/go-landlock/landlock"
	abi "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"

	"github.com/toolresult/toolresult/server/config"
)

// landlockABI is the version of Landlock that is needed: the first one that knows of TCP beside files, in Linux 6.7.
const landlockABI = 4

// ErrNoLandlock means that the kernel cannot do what the setting landlock asks for.
var ErrNoLandlock = errors.New("landlock is on, and this kernel does not have it in the version that is needed (Linux 6.7, with landlock among its security modules)")

// ErrLandlockDenied means that the process is in a sandbox that forbids the system calls of Landlock; the kernel may have it.
var ErrLandlockDenied = errors.New("landlock is on, and a sandbox forbids it to this process: with systemd, SystemCallFilter= has to allow " +
	"landlock_create_ruleset, landlock_add_rule and landlock_restrict_self; in a container, the seccomp profile")

// What a sidecar does with files of each kind.
const (
	readFile  landlock.AccessFSSet = abi.AccessFSReadFile
	readDir                        = readFile | abi.AccessFSReadDir
	storeWork                      = readDir | abi.AccessFSWriteFile | abi.AccessFSTruncate | abi.AccessFSMakeReg | abi.AccessFSMakeDir |
		abi.AccessFSMakeSym | abi.AccessFSRemoveFile | abi.AccessFSRemoveDir | abi.AccessFSRefer
	removeFile landlock.AccessFSSet = abi.AccessFSRemoveFile
)

// Restrict has the process give up its right to all files but those that a sidecar of a configuration needs from now
// on, whatever its user may: the directory of the store, and the allowed directories to read. It may remove its
// socket and its address file. Configuration, tokens, keys, families and profiles have been read, and are not among them. Without an object
// store it can make no connection over TCP either, and bind no address. It is for the whole process and for good, and
// so it is called once, after New.
//
// Errors: ErrNoLandlock, ErrLandlockDenied. Nothing is given up then.
func Restrict(c config.Config) error {
	if err := landlockError(abi.LandlockGetABIVersion()); err != nil {
		return err
	}
	_, _ = time.Now().Local().Zone() // reads the file of the time zone, once
	rules := []landlock.Rule{landlock.PathAccess(removeFile, filepath.Dir(c.Socket))}
	if c.AddressFile != "" {
		rules = append(rules, landlock.PathAccess(readFile|removeFile, filepath.Dir(c.AddressFile)))
	}
	if c.Store != config.MemoryStore {
		rules = append(rules, landlock.PathAccess(storeWork, c.Store))
	}
	rules = append(rules, landlock.PathAccess(readDir, c.Roots...))
	limits := landlock.V4
	if c.ObjectStore != "" || c.OTLPEndpoint != "" || c.Audit == config.AuditPostgres {
		limits.HandledAccessNet = 0
		rules = append(rules, networkFiles()...)
	}
	if err := limits.Restrict(rules...); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	return nil
}

// landlockError says what is wrong with the answer to the question for the version, if anything.
func landlockError(version int, err error) error {
	switch {
	case errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES): // the kernel itself answers neither
		return ErrLandlockDenied
	case err != nil || version < landlockABI:
		return ErrNoLandlock
	}
	return nil
}

// networkFiles are what a client of the network reads: how names are resolved, and whom to trust. A file that does not exist is
// omitted.
func networkFiles() []landlock.Rule {
	return []landlock.Rule{
		landlock.PathAccess(readFile, existing("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/host.conf",
			"/etc/services", os.Getenv("SSL_CERT_FILE"))...),
		landlock.PathAccess(readDir, existing("/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/usr/share/ca-certificates",
			"/usr/local/share/ca-certificates", "/usr/lib/ssl", "/run/systemd/resolve", os.Getenv("SSL_CERT_DIR"))...),
	}
}

func existing(paths ...string) (there []string) {
	for _, path := range paths {
		if _, err := os.Stat(path); path != "" && err == nil {
			there = append(there, path)
		}
	}
	return there
}
