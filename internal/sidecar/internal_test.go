package sidecar

import (
	"strings"
	"testing"
)

// TestDiscoveryBySystem: a sidecar is found where it runs, and has to be named elsewhere.
func TestDiscoveryBySystem(t *testing.T) {
	t.Parallel()
	for _, goos := range []string{"linux", "darwin"} {
		if err := canDiscover(goos); err != nil {
			t.Error(goos, err)
		}
	}
	if err := canDiscover("windows"); err == nil || !strings.Contains(err.Error(), "TOOLRESULT_ADDRESS") {
		t.Error(err)
	}
}

// TestDefaultSocketFits: the paths of sockets fit into what the kernel takes where no XDG_RUNTIME_DIR is set, also in a temporary
// directory of macOS, and with the largest user id.
func TestDefaultSocketFits(t *testing.T) {
	t.Parallel()
	const macOS = 103 // its MaxSocketPath
	for temporary, want := range map[string]string{
		"": "/tmp/toolresult-", "/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/": "/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/toolresult-",
		"relative": "/tmp/toolresult-",
	} {
		socket := FromEnvironment([]string{"TMPDIR=" + temporary}).Socket
		if !strings.HasPrefix(socket, want) || !strings.HasSuffix(socket, "/toolresult.sock") {
			t.Errorf("TMPDIR=%s: %s", temporary, socket)
		}
		if longest := len(want) + len("4294967294/toolresult.sock"); longest > macOS {
			t.Errorf("TMPDIR=%s: a path of %d bytes", temporary, longest)
		}
	}
}
