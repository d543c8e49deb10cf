package profile_test

import (
	"strings"
	"testing"

	"github.com/toolresult/toolresult/projectors/profile"
)

// programsThatPrint are command lines and the profiles of the programs whose output is seen; "" for none.
var programsThatPrint = map[string]string{
	"go test ./...":                       "go-test",
	"/usr/local/go/bin/go test ./...":     "go-test",
	"go -C sub test ./...":                "go-test",
	"go test ./... -json":                 "go-test-json",
	"go build && go test ./...":           "", // the noise of one may be the answer of the other
	"git status; git status -s":           "git-status",
	"git add -A && git status":            "git-status",
	"cd /x && go test ./...":              "go-test",
	"cd /x; export A=b\nsource v; go vet": "go-vet",
	"cat f.go; . ./build.sh":              "", "cat f.go; echo \"$(bash build.sh)\"": "", "cat f.go <(bash build.sh)": "", "cat f.go - < <(make)": "", "echo \"$(date; make)\"; cat f.go": "",
	"echo \"in $(pwd)\"; cat f.go": "cat", "source .venv/bin/activate; cat f.go": "cat", ". ./build.sh": "",
	"A=b C=d go test":                     "go-test",
	"go test ./... 2>&1":                  "go-test",
	"go test ./... > log 2>&1":            "go-test",
	"go test ./... || true":               "go-test",
	"go test ./...; echo \"exit: $?\"":    "go-test",
	"set -o pipefail && go test":          "go-test",
	"(cd x && go test)":                   "go-test",
	"{ go test; }":                        "go-test",
	"! go test":                           "go-test",
	"time go test ./...":                  "go-test",
	"go test ./... | tee log":             "go-test",
	"go test ./... 2>&1 | cat":            "go-test",
	"go test ./... |& tee -a log | cat -": "go-test",
	"go test ./... | cat other":           "cat",
	"go test ./... | grep FAIL":           "", // its rules must not hide what was searched for
	"go test ./... | grep -c FAIL":        "grep",
	"go test ./... | grep -v PASS":        "go-test",
	"cat x.log | grep -A5 ERROR":          "cat",
	"go test ./... | head -50":            "go-test",
	"go test ./... | tail":                "go-test",
	"go test ./... | sort":                "",
	"go test ./... &":                     "",
	"for i in 1 2; do go test; done":      "",
	"if go test; then echo yes; fi":       "",
	"go test 'unclosed":                   "",
	"$GO test":                            "",
	"go $VERB":                            "",
	"echo hello":                          "",
	"cd /x":                               "",
	"":                                    "",
	"sudo -u me apt-get install -y jq":    "apt",
	"sudo DEBIAN_FRONTEND=x apt install":  "apt",
	"timeout -k 5 600 cargo test":         "cargo-test",
	"timeout --signal=KILL 10m make -j8":  "make",
	"timeout 5 something":                 "timeout",
	"env -u X A=b nice -n 10 make":        "make",
	"nice make":                           "make",
	"nohup stdbuf -oL make":               "make",
	"/usr/bin/time -v make":               "make",
	"env":                                 "",
	"npx jest --ci":                       "jest",
	"npx --yes -p typescript tsc":         "tsc",
	"npx -- eslint .":                     "eslint",
	"pnpm exec vitest run":                "vitest",
	"yarn jest":                           "jest",
	"yarn":                                "yarn",
	"uv run pytest -x":                    "pytest",
	"uv run --with x python -m pytest":    "pytest",
	"uv run python3.12 -m unittest -v":    "unittest",
	"uv sync":                             "uv",
	"uvx ruff check":                      "ruff",
	"poetry run pytest":                   "pytest",
	"bundle exec make":                    "make",
	"python -m pytest tests":              "pytest",
	"python3 -W ignore -m pytest":         "pytest",
	".venv/bin/python3.11 -m pip install": "pip",
	"python manage.py test app":           "unittest",
	"python script.py":                    "",
	"./gradlew build":                     "gradle",
	"./mvnw -q test":                      "maven",
	"x86_64-linux-gnu-gcc -c a.c":         "gcc",
	"gcc-13 a.c":                          "gcc",
	"clang-18 a.c":                        "clang",
	"clang-tidy a.c":                      "",
	"git -C /x --no-pager diff":           "git-diff",
	"git diff main --stat":                "git-diff-stat",
	"git show HEAD:src/a.go":              "git-show-file",
	"git show HEAD":                       "git-show",
	"git -c a.b=c log -3":                 "git-log",
	"git frobnicate":                      "",
	"docker --context x buildx build .":   "docker-build",
	"kubectl -n prod get pods":            "kubectl-get",
	"kubectl get pod x -o yaml":           "kubectl-object",
	"sed -n '1,50p' f":                    "cat",
	"sed -i s/a/b/ f":                     "",
	"command -v git":                      "which",
	"bash -c 'go test ./...'":             "go-test",
	`bash -lc "cd x && go test ./..."`:    "go-test",
	`sh -ec "echo \"a\"; make"`:           "make",
	"bash -eo pipefail -c 'make | tee x'": "make",
	`bash -c "bash -c 'make'"`:            "",
	`bash -c "$SCRIPT"`:                   "",
	"bash build.sh":                       "",
	"bash -c 'make' | grep -n x":          "grep",
	"docker exec -it c bash -lc 'make'":   "make",
	"timeout 9 sh -c 'cd x && make'":      "make",
	"ssh host 'cd x && make | tail'":      "make",
	"eval make test":                      "make",
	"ssh host":                            "",
	"bash -c":                             "",
	"npm run build":                       "npm-run",
	"npm --prefix app install":            "npm",
	"yarn test --ci":                      "npm-run",
	"kubectl get pods -o wide":            "kubectl-get",
	"kubectl get pods --output=json":      "kubectl-object",
	"git show --stat HEAD":                "git-log",
	strings.Repeat("env ", 9) + "ls":      "",
	strings.Repeat("ls; ", 17):            "",
}

// Which profile a command line has: that of what a reader sees in the end.
func TestFindSeesTheProgramThatPrints(t *testing.T) {
	t.Parallel()
	s := profile.BuiltIn()
	for line, want := range programsThatPrint {
		got := ""
		choice := s.Explain(line)
		if p := s.Find(line); p != nil {
			got = p.Name()
		}
		if got != want || choice.Profile != s.Find(line) {
			t.Errorf("%q: %q, want %q; %s", line, got, want, strings.Join(choice.Steps, "; "))
		}
		if len(choice.Steps) == 0 || (choice.Profile != nil) != (choice.Pattern != "" && choice.Command != "") {
			t.Errorf("%q is not explained: %+v", line, choice)
		}
	}
}

// Lines that grow with every statement, or have statements in each other, have an answer: what is followed of them is
// bounded. Without bounds this test does not end.
func TestHostileLinesHaveAnswers(t *testing.T) {
	t.Parallel()
	s := profile.BuiltIn()
	for name, line := range map[string]string{
		"a file that doubles":         "make > o;" + strings.Repeat("cat o o > o;", 4000),
		"a file that is appended to":  "make > o;" + strings.Repeat("cat o >> o;", 4000),
		"redirections in each other":  strings.Repeat("{ make;", 6000) + "make" + strings.Repeat(";}>o", 6000),
		"blocks in each other":        "set -e;" + strings.Repeat("{ ", 8000) + "make" + strings.Repeat(";make;}", 8000),
		"a list without end":          strings.Repeat("make||", 12_000) + "make",
		"a list with errexit":         "set -e;" + strings.Repeat("make && ", 8000) + "make;make",
		"quiet statements":            strings.Repeat("cd x;", 13_000) + "make",
		"filters behind each other":   "make" + strings.Repeat("|cat", 900),
		"many programs in a pipeline": "make" + strings.Repeat("|awk 1", 9000),
	} {
		c := s.Explain(line)
		if known := c.Profile != nil; known != (name == "filters behind each other") {
			t.Errorf("%s: %q", name, c.Steps)
		}
		_ = profile.StatusCovers(line) // it ends
	}
}

// FuzzCommandLine: any command line has an answer, the same each time; and a code
// that is certain for a command alone is not when another command runs before it.
func FuzzCommandLine(f *testing.F) {
	for _, seed := range []string{"grep x f", "cd x && sudo -u me go test ./... 2>&1 | tee log", `bash -lc "cd x; make"`, "git -C x diff main --stat",
		"env env env env env env env env env env ls", "timeout 5", "uv run --with", "a=b", "[[ -f x ]]", "$(x) y", "ls;ls;ls;ls", "time", "((1))", "<f", ". build.sh", "cat <<E\nx\nE"} {
		f.Add(seed)
	}
	s := profile.BuiltIn()
	f.Fuzz(func(t *testing.T, line string) {
		first, again := s.Explain(line), s.Explain(line)
		if first.Profile != again.Profile || first.Profile != s.Find(line) || len(first.Steps) == 0 {
			t.Fatalf("%q: %+v, and then %+v", line, first, again)
		}
		for _, code := range []int32{1, 2, 127} {
			if m := s.Exit("true && "+line, code); m != nil {
				t.Fatalf("%q after another command: code %d means %v", line, code, m)
			}
		}
	})
}

// Whose code it is has to be certain. TestExitMeaning of projectors has more.
func TestExitOfTheSoleCommandAlone(t *testing.T) {
	t.Parallel()
	s := profile.BuiltIn()
	for _, c := range []struct {
		line    string
		code    int32
		program string
	}{
		{"python3 -m pytest tests", 1, "python -m pytest"},
		{`"grep" x f`, 1, "grep"},
		{`\grep x f`, 1, "grep"},
		{"command -v nosuch", 1, "command -v"},
		{"command grep x f", 1, ""},
		{"timeout 5 grep x f", 1, ""},
		{"timeout 5 grep x f", 124, "timeout"},
		{"sudo grep x f", 1, ""},
		{"git -C x diff", 1, ""},
		{"git diff --stat", 1, "git diff"},
		{"git show HEAD:x", 128, "git show"},
		{"bash -c 'grep x f'", 1, ""},
		{"bash -c 'grep x f'", 127, "bash"},
		{"ls x", 1, "ls"},
		{"find .", 1, "find"},
		{"cargo test", 101, "cargo test"},
		{"cargo build", 1, ""},
	} {
		m := s.Exit(c.line, c.code)
		if m.GetProgram() != c.program || (m != nil) != (m.GetText() != "") {
			t.Errorf("%q, code %d: %v, want %q", c.line, c.code, m, c.program)
		}
	}
}
