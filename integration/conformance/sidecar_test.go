package conformance_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/toolresult/toolresult/integration/sidecartest"
)

// binary is the path of the built sidecar.
var binary string

func TestMain(m *testing.M) { os.Exit(sidecartest.Main(m, &binary)) }

// sidecar is a running process of the binary.
type sidecar struct {
	*sidecartest.Sidecar
	dir string // of the test: the socket, the store, and files that payloads may name
}

// start starts a sidecar in a directory, with the store that is there from an earlier start.
func start(dir string) (*sidecar, error) {
	family, err := writeFamily(dir)
	if err != nil {
		return nil, err
	}
	families, err := filepath.Abs("../../docs/examples/acme.binpb")
	if err != nil {
		return nil, err
	}
	s, err := sidecartest.Serve(sidecartest.Options{
		Binary: binary, Home: dir, Socket: filepath.Join(dir, "run", "s"), Store: filepath.Join(dir, "store"),
		Args: []string{"--log-level=info", "--roots", dir, "--families", families + "," + family},
	})
	if err != nil {
		return nil, err
	}
	return &sidecar{s, dir}, nil
}
