package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server"
)

// A failure must not cost the user a command, but a typing mistake must be reported: exec checks its flags before the command runs. Variables
// are not checked: they may be meant for other programs, and the sidecar that they name may fail.

// checkTyped returns the first mistake in the flags.
func (e *execution) checkTyped(cmd *cobra.Command) error {
	for name, given := range map[string]time.Duration{"patience": e.patience, "timeout": e.timeout} {
		if given < 0 || given == 0 && name == "patience" && cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s is %s; use more than 0s", name, given)
		}
	}
	req, err := e.request()
	if err != nil {
		return err
	}
	if err := asTyped(server.CheckPolicy(req.GetPolicy())); err != nil {
		return err
	}
	if err := checkStore(e.target.store); err != nil {
		return err
	}
	return e.target.checkAnswer(cmd.Context(), max(patienceOr(e.patience, defaultPatience), startPatience))
}

// asTyped rewrites an error of the contract so that it names the flag and not the field.
func asTyped(err error) error {
	invalid, ok := errors.AsType[*envelope.InvalidError](err)
	if !ok {
		return err
	}
	v := invalid.Violations[0]
	field := v.Field[strings.LastIndexByte(v.Field, '.')+1:]
	return fmt.Errorf("--%s %s", strings.ReplaceAll(field, "_", "-"), v.Message)
}

// checkStore returns why no store can be in a directory that was typed: something on its way is no directory.
func checkStore(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	for errors.Is(err, os.ErrNotExist) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		info, err = os.Stat(dir)
	}
	if errors.Is(err, syscall.ENOTDIR) || err == nil && !info.IsDir() {
		return fmt.Errorf("--store: %s: %w", dir, syscall.ENOTDIR)
	}
	return nil
}

// checkAnswer returns why a sidecar that was typed does not answer within a time, or why a token that was typed cannot be used.
func (t *target) checkAnswer(ctx context.Context, within time.Duration) error {
	if t.address == "" && t.tokenFile == "" {
		return nil
	}
	where, err := t.find(ctx)
	if err != nil {
		return err
	}
	if where.address == "" {
		return errNoSidecar
	}
	c, err := t.dial(where.address)
	if err != nil || t.address == "" {
		return errors.Join(err, closeUnused(c))
	}
	defer func() { _ = closeUnused(c) }()
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	_, err = c.GetServerInfo(ctx, &pb.GetServerInfoRequest{})
	switch status.Code(err) {
	case codes.OK, codes.ResourceExhausted: // it is there, and has much to do
		return nil
	case codes.DeadlineExceeded:
		return fmt.Errorf("--server %s: does not answer within %s", t.address, within)
	}
	return fmt.Errorf("--server %s: %s", t.address, explain(err))
}

// closeUnused closes a connection that has nothing in flight.
func closeUnused(c *connection) error {
	if c == nil {
		return nil
	}
	return c.close()
}

// isRejected reports whether the sidecar has found a mistake in the request, and no failure of its own.
func isRejected(err error) bool {
	switch status.Code(err) {
	case codes.InvalidArgument, codes.FailedPrecondition, codes.OutOfRange, codes.PermissionDenied, codes.Unauthenticated:
		return true
	}
	return false
}
