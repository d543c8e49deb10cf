package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/inspect"
	"github.com/toolresult/toolresult/server/config"
)

// inspectCommand returns `inspect`. It serves a page for people, and runs until it is interrupted; package inspect has the page. The
// sidecar is that of the user, which is started apart if there is none, so that the page is of what agents do meanwhile; or, with --store,
// one in this process.
func inspectCommand() *cobra.Command {
	t := target{running: true, ensured: &starting{}, revived: true, alone: true}
	var listen string
	cmd := &cobra.Command{
		Use: "inspect [flags]", Short: "Serve a page that shows sessions, calls and what the model saw of each", Args: cobra.NoArgs,
		Long: "Prints the address of the page, with a token that a browser needs once, and serves until it is interrupted. The page is for\n" +
			"this machine alone: it shows what tools wrote. It reads, and changes nothing.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			listener, err := listenOnLoopback(cmd.Context(), listen)
			if err != nil {
				return err
			}
			defer listener.Close()
			ctx, stop := notIgnored(cmd.Context(), syscall.SIGHUP) // a closed terminal leaves no store of trials
			defer stop()
			return t.withConnection(ctx, func(c *connection) error {
				token := rand.Text()
				trials := &trials{}
				page, err := inspect.New(inspect.Options{
					Sidecar: inspect.Sidecar{ToolResultServiceClient: c, ArtifactServiceClient: c, AuditServiceClient: c}, Token: token, Trials: trials.sidecar,
				})
				if err != nil {
					return err
				}
				if err := writeln(cmd.OutOrStdout(), fmt.Sprintf("http://%s/?token=%s", listener.Addr(), token)); err != nil {
					return err
				}
				return errors.Join(servePage(ctx, listener, page), trials.close())
			})
		},
	}
	t.flags(cmd.Flags())
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "address of the loopback interface; port 0 is any that is free")
	return cmd
}

// listenOnLoopback listens on an address, which must be of the loopback interface.
func listenOnLoopback(ctx context.Context, address string) (net.Listener, error) {
	resolved, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, err
	}
	if !resolved.IP.IsLoopback() {
		return nil, fmt.Errorf("--listen %s: the page is for this machine alone; use 127.0.0.1, and a tunnel from elsewhere", address)
	}
	var l net.ListenConfig
	return l.Listen(ctx, "tcp", resolved.String())
}

// servePage serves until ctx is done.
func servePage(ctx context.Context, listener net.Listener, page http.Handler) error {
	s := &http.Server{Handler: page, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	stopped := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stopped()
	if err := s.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// trials is the sidecar in which the page tries policies. It is in this process, starts when it is needed, and has a store of its own
// that is deleted with it. Safe for concurrent use.
type trials struct {
	mu         sync.Mutex
	connection *connection // nil: it has not started
	store      string      // directory
	closed     bool
}

// trialQuota bounds the store of trials, in bytes; what was tried before gives way.
const trialQuota = 1 << 30

// sidecar returns the service of the sidecar.
func (t *trials) sidecar(ctx context.Context) (pb.ToolResultServiceClient, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.connection != nil {
		return t.connection, nil
	}
	if t.closed {
		return nil, context.Canceled
	}
	c, err := defaultConfig()
	if err != nil {
		return nil, err
	}
	store, err := os.MkdirTemp("", "toolresult-inspect-")
	if err != nil {
		return nil, err
	}
	c.Store, c.ObjectStore, c.Audit, c.Volatile = store, "", config.AuditOff, true
	c.StoreQuota, c.SessionLease = trialQuota, 0
	connection, err := embed(ctx, c, true)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(store))
	}
	t.connection, t.store = connection, store
	return connection, nil
}

// close ends the sidecar, if it has started, and deletes its store.
func (t *trials) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	if t.connection == nil {
		return nil
	}
	err := errors.Join(t.connection.close(), os.RemoveAll(t.store))
	t.connection = nil
	return err
}
