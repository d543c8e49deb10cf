package integration_test

import (
	"os"
	"strings"
	"testing"
)

const grpcurlPath = "../.bin/grpcurl"

// TestGrpcurl calls the sidecar with a client that knows nothing of the
// contract but what reflection tells.
func TestGrpcurl(t *testing.T) {
	t.Parallel()
	_, err := os.Stat(grpcurlPath)
	leg(t, err == nil, "needs "+grpcurlPath+"; make builds it")
	s := startSidecar(t, launch{})
	grpcurl := func(args ...string) ran {
		return run(t, os.Environ(), nil, grpcurlPath, append([]string{"-plaintext", "-unix"}, args...)...)
	}
	for what, c := range map[string]struct{ args, want []string }{
		"list of services": {[]string{s.Socket, "list"},
			[]string{"grpc.health.v1.Health\n", "grpc.reflection.v1.ServerReflection\n", "toolresult.v1.ToolResultService\n"}},
		"list of RPCs": {[]string{s.Socket, "list", "toolresult.v1.ToolResultService"},
			[]string{"ToolResultService.Compact\n", "ToolResultService.GetServerInfo\n", "ToolResultService.ParseReceipt\n", "ToolResultService.Project\n", "ToolResultService.Render\n", "ToolResultService.SetSessionFocus\n"}},
		"description of a message": {[]string{s.Socket, "describe", "toolresult.v1.CommandOutput"},
			[]string{"message CommandOutput {", ".toolresult.v1.Payload stdout = 3;"}},
		"a call": {[]string{"-d", `{"output":{"toolName":"ExecCommand","command":{"exitStatus":0,"stdout":{"inline":"aGVsbG8K"}}}}`,
			s.Socket, "toolresult.v1.ToolResultService/Project"},
			[]string{`"text": "Process exited with code 0\nstdout:\nhello"`, `"stdoutPreview": "hello\n"`}},
		"health": {[]string{s.Socket, "grpc.health.v1.Health/Check"}, []string{`"status": "SERVING"`}},
	} {
		r := grpcurl(c.args...)
		if r.code != 0 {
			t.Errorf("%s: exit code %d: %s", what, r.code, r.stderr)
		}
		wantIn(t, r.stdout, c.want...)
	}
	r := grpcurl("-d", `{}`, s.Socket, "toolresult.v1.ToolResultService/Project")
	if r.code == 0 || !strings.Contains(r.stderr, `"reason": "FIELD_MISSING"`) {
		t.Errorf("an empty request: exit code %d: %s", r.code, r.stderr)
	}
}
