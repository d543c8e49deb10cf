package rpc

import (
	"os"
	"slices"
	"strings"
	"testing"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
)

// TestMayCall has the calls that are rejected, and in which order of reasons.
func TestMayCall(t *testing.T) {
	t.Parallel()
	c := NewInterceptors(Options{})
	unknown := identity.Caller{Rejected: apierror.TokenInvalid()}
	probe, watch := &healthpb.HealthCheckRequest{}, &healthpb.HealthCheckRequest{Service: "x"}
	const check, project, collect = healthpb.Health_Check_FullMethodName, pb.ToolResultService_Project_FullMethodName, pb.ArtifactService_CollectGarbage_FullMethodName
	for _, draining := range []bool{false, true} {
		c.draining.Store(draining)
		late := ""
		if draining {
			late = "DRAINING"
		}
		for _, call := range []struct {
			who    identity.Caller
			method string
			req    any
			want   string
		}{
			{identity.Caller{Trusted: true}, project, nil, late},
			{identity.Caller{Session: "a"}, project, nil, late},
			{identity.Caller{Trusted: true}, collect, nil, late},
			{identity.Caller{Trusted: true, Session: "a"}, collect, nil, "METHOD_NOT_ALLOWED"},
			{identity.Caller{Trusted: true}, "/toolresult.v1.ToolResultService/New", nil, "METHOD_UNKNOWN"},
			{identity.Caller{Trusted: true}, strings.TrimPrefix(project, "/"), nil, "METHOD_UNKNOWN"},
			{identity.Caller{Trusted: true}, "/" + project, nil, "METHOD_UNKNOWN"},
			{identity.Caller{Session: "a"}, "", nil, "METHOD_UNKNOWN"},
			{unknown, project, nil, "TOKEN_INVALID"},
			{unknown, check, probe, ""},
			{unknown, check, watch, "TOKEN_INVALID"},
			{unknown, check, nil, "TOKEN_INVALID"},
			{unknown, healthpb.Health_Watch_FullMethodName, probe, "TOKEN_INVALID"},
			{unknown, project, probe, "TOKEN_INVALID"},
			{identity.Caller{Session: "a"}, check, watch, ""},
		} {
			got := ""
			if r := c.checkRight(call.who, call.method, call.req); r != nil {
				got = apierror.ReasonName(r.Reason)
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
	text, err := os.ReadFile("../../docs/reference/access.md")
	if err != nil {
		t.Fatal(err)
	}
	for method, right := range Rights() {
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
		if confined := !strings.HasSuffix(lines[i], "| no |"); confined != (right == anyCaller) {
			t.Errorf("docs/reference/access.md says of confined callers: %s", lines[i])
		}
	}
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
