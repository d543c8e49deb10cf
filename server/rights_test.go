package server

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/config"
)

// TestEveryMethodHasARight compares the table with the services that a server registers, and with those of the contract.
func TestEveryMethodHasARight(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	table := rights()
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
		if table[method] == nobody {
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

// TestMayCall has what is refused whoever calls, and in which order.
func TestMayCall(t *testing.T) {
	t.Parallel()
	c := &calls{rights: rights()}
	stranger := caller{refused: tokenWrong()}
	probe, watch := &healthpb.HealthCheckRequest{}, &healthpb.HealthCheckRequest{Service: "x"}
	const check, project, collect = healthpb.Health_Check_FullMethodName, pb.ToolResultService_Project_FullMethodName, pb.ArtifactService_CollectGarbage_FullMethodName
	for _, draining := range []bool{false, true} {
		c.draining.Store(draining)
		late := ""
		if draining {
			late = "DRAINING"
		}
		for _, call := range []struct {
			who    caller
			method string
			req    any
			want   string
		}{
			{caller{own: true}, project, nil, late},
			{caller{session: "a"}, project, nil, late},
			{caller{own: true}, collect, nil, late},
			{caller{own: true, session: "a"}, collect, nil, "METHOD_NOT_ALLOWED"},
			{caller{own: true}, "/toolresult.v1.ToolResultService/New", nil, "METHOD_UNKNOWN"},
			{caller{own: true}, strings.TrimPrefix(project, "/"), nil, "METHOD_UNKNOWN"},
			{caller{own: true}, "/" + project, nil, "METHOD_UNKNOWN"},
			{caller{session: "a"}, "", nil, "METHOD_UNKNOWN"},
			{stranger, project, nil, "TOKEN_INVALID"},
			{stranger, check, probe, ""},
			{stranger, check, watch, "TOKEN_INVALID"},
			{stranger, check, nil, "TOKEN_INVALID"},
			{stranger, healthpb.Health_Watch_FullMethodName, probe, "TOKEN_INVALID"},
			{stranger, project, probe, "TOKEN_INVALID"},
			{caller{session: "a"}, check, watch, ""},
		} {
			got := ""
			if r := c.mayCall(call.who, call.method, call.req); r != nil {
				got = reasonName(r.reason)
			}
			if got != call.want {
				t.Errorf("draining %v, %+v: %q", draining, call, got)
			}
		}
	}
}

// TestDocumentedRights compares the table with the one that people read.
func TestDocumentedRights(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/reference/access.md")
	if err != nil {
		t.Fatal(err)
	}
	for method, right := range rights() {
		service, name, _ := strings.Cut(strings.TrimPrefix(method, "/"), "/")
		service = service[strings.LastIndex(service, ".")+1:]
		row := func(line string) bool {
			return strings.HasPrefix(line, "| `"+service+"` |") && strings.Contains(line, "`"+name+"`")
		}
		lines := strings.Split(string(text), "\n")
		i := slices.IndexFunc(lines, row)
		if i < 0 {
			t.Errorf("docs/reference/access.md has no row of %s %s", service, name)
			continue
		}
		if confined := !strings.HasSuffix(lines[i], "| no |"); confined != (right == everyone) {
			t.Errorf("docs/reference/access.md says of confined callers: %s", lines[i])
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
