package integration_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"github.com/toolresult/toolresult/integration/sidecartest"
)

// TestHookIsBoundedInMemory gives a hook a payload of 300 MB: it reads all of it, keeps little, and prints nothing.
func TestHookIsBoundedInMemory(t *testing.T) {
	t.Parallel()
	const limit = 256 << 10 // KiB that it may have had, where a payload of 64 MiB takes 192 MiB
	ctx, cancel := context.WithTimeout(t.Context(), sidecartest.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "hook", "copilot-cli", "--patience=50s")
	cmd.Env = append(newEnsured(t).env, "TOOLRESULT_ADDRESS=unix:///nonexistent/s")
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprint(in, `{"toolResult":{"resultType":"success","textResultForLlm":"`); err != nil {
		t.Fatal(err)
	}
	part := bytes.Repeat([]byte("0123456789abcdef"), 64<<10)
	for range 300 {
		if _, err := in.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	most := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if most == nil {
		t.Fatalf("no VmHWM in %s", status)
	}
	if n, err := strconv.Atoi(string(most[1])); err != nil || n > limit {
		t.Errorf("it took %d KiB, %v", n, err)
	}
	if _, err := fmt.Fprint(in, `"}}`); err != nil {
		t.Fatal(err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || printed.Len() > 0 {
		t.Errorf("%v, printed %.200s", err, &printed)
	}
}
