package profile_test

import (
	"testing"

	"github.com/toolresult/toolresult/projectors/profile"
)

func TestStatusCovers(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"": true, "make": true, "cd x && make -j4 && make test": true, "FOO=1 make 2>&1": true, "(cd x; make)": true, "{ make; }": true,
		"echo x | python": true, "time make": true, "cd x || exit 1; make": true, "make || { echo no; exit 1; }": true,
		"set -o pipefail; make | tail": true, "set -euo pipefail\nmake | tail\nmake test": true, "set -e; make; make test": true,
		"bash -o pipefail -c 'make | tail'": true, "bash -c 'set -e; make; make test'": true, "'": true, "export A=b; make": true,
		"make | tail": false, "make 2>&1 | tail -300": false, "make; echo done": false, "make || true": false, "make || exit 0": false,
		"! make": false, "make &": false, "bash -c 'make | tail'": false, "sh -ec 'make | tail'": false, "set -e; make | tail": false,
		"make && make test | tee log": false, "make |& tail": false, "(make; true)": false, "make\nmake test": false,
	} {
		if got := profile.StatusCovers(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
