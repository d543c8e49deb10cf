package profile_test

import (
	"testing"

	"github.com/toolresult/toolresult/projectors/profile"
)

// Status 0 of these lines says that all they print ended well, or does not.
func TestStatusCovers(t *testing.T) {
	t.Parallel()
	for want, lines := range map[bool][]string{
		true: {
			"", "make", "cd x && make -j4 && make test", "FOO=1 make 2>&1", "(cd x; make)", "{ make; }", "echo x | python", "time make", "cd x || exit 1; make",
			"make || { echo no; exit 1; }", "make || exit", "make || exit $?", "make || exit 1; make test", "set -o pipefail; make | tail",
			"set -euo pipefail\nmake | tail\nmake test", "set -e; make; make test", "set -o errexit; make; make test", "set -e; cd x && make; make test",
			"bash -o pipefail -c 'make | tail'", "bash -c 'set -e; make; make test'", "'", "export A=b; make", "exec make", "cd $(git rev-parse --show-toplevel) && make",
			"trap 'rm -f x' EXIT; make", "test -d x || npm ci", "[ -f x ] && make", "set -e; for d in a b; do make -C $d; done", "set -o pipefail; (make | tail)",
			"! true", "command -v go >/dev/null 2>&1; make", "V=$(git describe); make", "echo \"in $PWD\" && make", "make <<< $X", "set -eo pipefail; make | tail; echo ok",
			"make > log 2>&1", "which bash", "apt-get install zsh", "bash build.sh", "sudo bash build.sh", "ssh -p 22 host make", "bash -c 'bash -c make'",
			"source .venv/bin/activate; pytest", "set -o pipefail && make | tail", "docker exec -e A=1 c make", "cat <<E\nhello\nE", "pwsh -c 'make'",
		},
		false: {
			"make | tail", "make 2>&1 | tail -300", "make; echo done", "make || true", "make || exit 0", "make || echo failed", "make || false; make test",
			"! make", "make &", "make & wait", "bash -c 'make | tail'", "sh -ec 'make | tail'", "set -e; make | tail", "make && make test | tee log", "make |& tail",
			"(make; true)", "make\nmake test", "make | tee log", "if make; then echo ok; fi", "for d in a b; do make -C $d; done", "while make; do :; done",
			"a && b; c", "set -e; make && echo ok; cat x", "set -e; set +e; make; make test", "set -o pipefail; set +o pipefail; make | tail",
			"trap 'exit 0' EXIT; make", "make > o 2>&1; tail o", "timeout 60 bash -c 'make | tail'", "docker exec c sh -c 'make; echo'", "ssh host 'make | tail'",
			"eval 'make | tail'", "echo \"$(make)\"", "out=$(make); echo \"$out\"", "out=$(make 2>&1)\ntail -50 <<< \"$out\"", "make &| tail", "make | '",
			"f() { make | tail; }; f", "cat <<E\n$(make)\nE", "coproc make", "make | cat; exit ${PIPESTATUS[0]}", "(set -e; true); make; make test",
			"cat <(make)", "tail -n 50 <(make 2>&1)", "tee log < <(make)", "bash <<'EOF'\nmake | tail\nEOF", "cat <<'EOF' | bash\nmake | tail\nEOF",
			"ssh host <<'EOF'\nmake\necho ok\nEOF", "echo 'make | tail' | bash", "bash -s <<< 'make | tail'", "bash -c \"bash -c 'make | tail'\"",
			"bash -lc \"docker exec c sh -c 'make; echo ok'\"", "bash -c \"$SCRIPT\"", "su -c 'make | tail' user", "su - user -c 'make | tail'",
			"script -qc 'make | tail' /dev/null", "flock l -c 'make | tail'", "nix-shell --run 'make | tail'", "fish -c 'make | tail'",
			"pwsh -c 'make | select -last 50'", "cmd /c 'make & echo ok'", "ssh host 'make|tail'", "ssh -p 22 host make \\| tail", "ssh host make \\; echo ok",
			"make || { echo failed; exit; }", "make || { echo failed; exit $?; }", "make || exit 00", "make || exit 256", "make || ! false",
			"(set -e; make; echo ok) || exit 1", "(set -e; make; make test) && echo deployed", "set -e; (make; make test) || exit 1",
			"docker exec -e FOO=1 c bash -c 'make; make test'", "docker run bash bash -c 'make | tail'", "docker run --entrypoint sh img -c 'make | tail'",
			"bash -O extglob -c 'make | tail'", "bash --rcfile f -c 'make | tail'", "bash -c -l 'make | tail'", "env -S 'make | tail'",
			"[ -n \"$CI\" ] && set -o pipefail; make | tail", "trap 'exit 0' ERR; make", "make >/dev/null 2>&1; echo \"exit: $?\"",
			"source ./build.sh; echo done", ". ./build.sh; ls", "set -- -e; make; echo ok", "set -e; ! make; cat x", "make | Select-Object -Last 50",
		},
	} {
		for _, line := range lines {
			if got := profile.StatusCovers(line); got != want {
				t.Errorf("%q: %v", line, got)
			}
		}
	}
}
