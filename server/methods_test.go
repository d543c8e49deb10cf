package server

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/server/config"
	"github.com/toolresult/toolresult/server/rpc"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// TestEveryMethodHasARight compares the table with the services that a server registers, and with those of the contract.
func TestEveryMethodHasARight(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	table := rpc.Rights()
	registered := map[string]bool{}
	for name, service := range s.grpc.GetServiceInfo() {
		for _, m := range service.Methods {
			registered["/"+name+"/"+m.Name] = true
		}
	}
	if len(registered) < 20 {
		t.Fatalf("only %d methods are registered", len(registered))
	}
	for method := range registered {
		if _, known := table[method]; !known {
			t.Errorf("%s has no row", method)
		}
	}
	for method := range table {
		later := strings.HasPrefix(method, "/"+pb.AuditService_ServiceDesc.ServiceName+"/") // where there is an audit log
		if !registered[method] && !later {
			t.Errorf("%s has a row, and no service has it", method)
		}
	}
}

// newServer is a server that nobody calls.
func newServer(t *testing.T) *Server {
	t.Helper()
	c := config.Default(nil)
	c.Socket, c.Store = filepath.Join(socketDir(t), "run", "s"), config.MemoryStore
	s, err := New(c, Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// socketDir is a directory with a name that is short enough for a socket.
func socketDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "tr")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
