package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// The sidecar has no way to be profiled, and releases should have none. So it is built once more with one file added to its
// package main, which go build -overlay takes from elsewhere; nothing else differs, and functions have the names that a
// profile-guided build looks for.
const (
	hookSource = "integration/performance/testdata/profile.go.txt"
	hookPlace  = "cmd/toolresult/zz_profile.go"
	// profileVar names the variable with the path of the profile, which testdata/profile.go.txt reads. The sidecar rejects unknown
	// variables with its prefix.
	profileVar = "PERFORMANCE_CPU_PROFILE"
)

// buildProfiled builds the sidecar with the hook into a directory, and returns its path.
func buildProfiled(dir string) (string, error) {
	source, err := filepath.Abs(hookSource)
	if err != nil {
		return "", err
	}
	place, err := filepath.Abs(hookPlace)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": {place: source}})
	if err != nil {
		return "", err
	}
	overlay, binary := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "profiled")
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return "", err
	}
	if out, err := exec.Command("go", "build", "-overlay", overlay, "-o", binary, "./cmd/toolresult").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return binary, nil
}

// bulkOnly is what profiles the large outputs alone.
const bulkOnly = "bulk"

// profile writes a CPU profile of one sidecar with the defaults. Callers of every payload, or of one, take turns; with every
// payload there is also a stream and an output by path. Only the calls are in it, and not the start.
func (b *bench) profile(path, only string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	b.env = []string{profileVar + "=" + path}
	s, err := b.startSidecar(defaults, false, "--roots="+b.dir)
	if err != nil {
		return err
	}
	work := &side{name: defaults, server: s, open: unary}
	const callers, length = 8, 10 * time.Second
	if err := syscall.Kill(s.pid, syscall.SIGUSR1); err != nil { // begins
		return err
	}
	found := only == bulkOnly
	for _, p := range payloads {
		if only != "" && only != p.name {
			continue
		}
		found = true
		m, err := b.burst(work, callers, p.bytes, length)
		if err != nil {
			return err
		}
		b.say("%s: %s calls a second, %s us of the processor each", p.name, digits(m.rate), digits(m.cpu))
	}
	if !found {
		return fmt.Errorf("there is no payload %q", only)
	}
	if only == "" || only == bulkOnly {
		if err := b.profileBulk(s); err != nil {
			return err
		}
	}
	if err := syscall.Kill(s.pid, syscall.SIGUSR2); err != nil { // ends
		return err
	}
	return waitForProfile(path)
}

// profileBulk adds a large output to the profile, as a stream and by path.
func (b *bench) profileBulk(s *server) (err error) {
	m := &bulk{bench: b, text: b.logs.text, size: 256 << 20, source: filepath.Join(b.dir, "source")}
	f, err := os.Create(m.source)
	if err != nil {
		return err
	}
	err = m.chunks(func(chunk []byte) error { _, err := f.Write(chunk); return err })
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if _, err := m.stream(s); err != nil {
		return err
	}
	_, err = m.byPath(s)
	return err
}

// waitForProfile waits until the sidecar has renamed its profile to its path.
func waitForProfile(path string) error {
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the sidecar wrote no profile to %s", path)
		}
	}
}
