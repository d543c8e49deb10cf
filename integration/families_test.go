package integration_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// An operator's families are checked by the command line, listed by the server,
// and stop it at start-up when a convention is broken.
func TestFamiliesOfAnOperator(t *testing.T) {
	t.Parallel()
	listed := mustCLI(t, environment(t), nil, "families", exampleFamilies)
	for _, want := range []string{"task_list ", "acme.v1.DeployResult ", "  800 ", "  yours\n", "  built in\n"} {
		if !strings.Contains(listed, want) {
			t.Errorf("%q is missing in\n%s", want, listed)
		}
	}
	s := startSidecar(t, launch{Args: withFamilies(t)})
	info, err := s.GetServerInfo(t.Context(), &pb.GetServerInfoRequest{})
	if err != nil || !slices.Contains(info.GetFamilies(), "acme.v1.RestartResult") || !slices.Contains(info.GetFamilies(), "command") {
		t.Errorf("%v, %v", info.GetFamilies(), err)
	}
	set, err := os.ReadFile(exampleFamilies)
	if err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(t.TempDir(), "broken.binpb")
	for says, content := range map[string][]byte{
		"the file is no descriptor set":                    set[:100],
		"no message has an outcome template":               nil,
		"acme.v1.DeployOutput has no field version of the": []byte(strings.Replace(string(set), "\n\aversion", "\n\aVersion", 1)),
	} {
		if err := os.WriteFile(broken, content, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"families", broken}, {"serve", "--families", broken, "--store=memory", "--socket", filepath.Join(shortDir(t), "s")}} {
			if r := cli(t, environment(t), nil, args...); r.code != 125 || !strings.Contains(r.stderr, says) || !strings.Contains(r.stderr, broken) {
				t.Errorf("%q: exit code %d, %s", says, r.code, r.stderr)
			}
		}
	}
	if r := cli(t, environment(t), nil, "families", exampleFamilies, exampleFamilies); r.code != 125 || !strings.Contains(r.stderr, `family "acme.v1.DeployResult": is there twice`) {
		t.Errorf("twice the same: exit code %d, %s", r.code, r.stderr)
	}
}
