package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/sidecar"
)

// The prompt hook of a host says what its agent looks for, and the commands of the agent use it.
// Not every host gives both a session, but one process of the host starts both, and that process
// names the session.

// maxFocus bounds a focus, in bytes, as policy.proto states it.
const maxFocus = 8 << 10

// maxAncestors bounds the processes between a host and what it starts.
const maxAncestors = 16

// shells are the names of programs by which hosts start others.
var shells = []string{"sh", "bash", "dash", "zsh", "fish", "ksh", "ash", "busybox", "env"}

// ancestor is a process above this one.
type ancestor struct {
	parent int
	name   string // of its program
	start  uint64 // when it was started, in a unit of the system: pids are used again
}

// hostSession returns the session of the agent host that this process was started by: the nearest
// process above it that is neither a shell nor toolresult; "" if the system does not say. Where
// there is no host, nothing sets the focus of that session.
func hostSession() string { return sessionAbove(os.Getppid(), findAncestor) }

// sessionAbove returns the session of the host that is a process or above it.
func sessionAbove(pid int, find func(pid int) (ancestor, bool)) string {
	for range maxAncestors {
		a, ok := find(pid)
		if !ok || pid <= 1 {
			return ""
		}
		name := strings.TrimPrefix(a.name, "-") // of a login shell
		if !slices.Contains(shells, name) && !strings.HasPrefix(name, "toolresult") {
			return fmt.Sprintf("host-process-%d-%d", pid, a.start)
		}
		pid = a.parent
	}
	return ""
}

// errNoHost means that a prompt is of no session that anything could use it for.
var errNoHost = errors.New("left alone: no process above this one is a host")

// setFocus sets the focus of the session of the host. It waits for a sidecar for as long as the
// patience lasts, because the prompt of the user waits for it.
func (h *hook) setFocus(ctx context.Context, focus string) error {
	session := hostSession()
	if session == "" {
		return errNoHost
	}
	ctx, cancel := context.WithTimeout(ctx, patienceOr(h.patience, defaultPatience))
	defer cancel()
	done := make(chan error, 1)
	go func() {
		where, err := h.target.find(ctx)
		if err == nil && where.address == "" {
			err = sidecar.ErrNone // one in this process would forget it at once
		}
		if err == nil {
			err = h.target.withConnection(ctx, func(c *connection) error {
				_, err := c.SetSessionFocus(ctx, &pb.SetSessionFocusRequest{SessionId: session, Focus: focus})
				return err
			})
		}
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
