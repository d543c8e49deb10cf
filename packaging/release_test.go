package packaging_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestReleaseIsBuiltAsByTheMakefile compares flags: a binary of `make release` is what is measured (integration/rest).
func TestReleaseIsBuiltAsByTheMakefile(t *testing.T) {
	makefile := read(t, "Makefile")
	stripped := regexp.MustCompile(`(?m)^STRIPPED := (.*)$`).FindStringSubmatch(makefile)
	flags := regexp.MustCompile(`(?m)^export GOFLAGS \?= (\S+) -tags=(\S+)$`).FindStringSubmatch(makefile)
	if stripped == nil || flags == nil {
		t.Fatal("the Makefile has no STRIPPED or no GOFLAGS")
	}
	for _, target := range []string{"linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"} {
		b, err := made.release.BuildFor(target)
		if err != nil {
			t.Error(err)
			continue
		}
		if got, want := strings.Join(b.Ldflags, " "), stripped[1]+" -X main.version=v{{ .Version }}"; got != want {
			t.Errorf("%s: ldflags are %q, not %q", target, got, want)
		}
		if got := strings.Join(b.Tags, ","); got != flags[2] || !slices.Equal(b.Flags, []string{flags[1]}) {
			t.Errorf("%s: tags are %q and flags %q, not those of %q", target, got, b.Flags, flags[0])
		}
	}
	if _, err := os.Stat(filepath.Join(root, "cmd/toolresult/default.pgo")); err != nil {
		t.Errorf("the profile: %v", err)
	}
}

// TestVersionIsThatOfTheTag asks the binary, and both packages.
func TestVersionIsThatOfTheTag(t *testing.T) {
	for what, got := range map[string]string{
		"binary": output(t, made.binary, "version"), "deb": output(t, "dpkg-deb", "-f", made.packages["deb"], "Version"),
		"rpm": output(t, "rpm", "-qp", "--qf", "%{VERSION}", made.packages["rpm"]),
	} {
		if !strings.Contains(got, version) {
			t.Errorf("%s: version %s is not %s", what, got, version)
		}
	}
	if got := output(t, made.binary, "version"); !strings.HasPrefix(got, "toolresult v"+version+",") {
		t.Errorf("version prints %q", got)
	}
	info := output(t, "go", "version", "-m", made.binary)
	for _, want := range []string{"CGO_ENABLED=0", "-trimpath=true", "-pgo="} {
		if !strings.Contains(info, want) {
			t.Errorf("the binary was not built with %s:\n%s", want, info)
		}
	}
	if strings.Contains(info, "spf13/cobra/doc") {
		t.Error("the binary has what writes manual pages")
	}
}

// TestDocumentsNameOneVersion compares the page and the manifest with the version of these tests.
func TestDocumentsNameOneVersion(t *testing.T) {
	for name, form := range map[string]string{page: `(?:toolresult_|/download/v|toolresult:v|toolresult@v)(\d+\.\d+\.\d+)`, "packaging/kubernetes/sidecar.yaml": `toolresult:v(\S+)`} {
		found := regexp.MustCompile(form).FindAllStringSubmatch(read(t, name), -1)
		if len(found) == 0 {
			t.Errorf("%s names no version", name)
		}
		for _, m := range found {
			if m[1] != version {
				t.Errorf("%s: %s is not of version %s", name, m[0], version)
			}
		}
	}
}

// workflow is the workflow that makes a release.
const workflow = ".github/workflows/release.yml"

// TestWorkflow checks that actions are named by their commits, that no credentials stay, and that a release needs the
// tests of its packages and every job of CI.
func TestWorkflow(t *testing.T) {
	var w struct {
		Jobs map[string]struct {
			Needs     []string
			Container struct{ Image string }
			Steps     []struct {
				Uses, Run string
				With      map[string]any
			}
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, workflow)), &w); err != nil {
		t.Fatal(err)
	}
	runs := func(job, command string) bool {
		for _, s := range w.Jobs[job].Steps {
			if strings.Contains(s.Run, command) {
				return true
			}
		}
		return false
	}
	for name, job := range w.Jobs {
		for _, s := range job.Steps {
			if s.Uses != "" && !regexp.MustCompile(`^[\w.-]+/[\w.-]+@[0-9a-f]{40}$`).MatchString(s.Uses) {
				t.Errorf("%s uses %s, which can become something else", name, s.Uses)
			}
			if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != false {
				t.Errorf("%s keeps the credentials of the checkout", name)
			}
		}
		for _, command := range []string{"make packages ", "ALL=yes .ci/run"} {
			if runs(name, "goreleaser release") && !slices.ContainsFunc(job.Needs, func(need string) bool { return runs(need, command) }) {
				t.Errorf("%s does not need a job that runs %q", name, command)
			}
		}
	}
	_, goVersion, _ := strings.Cut(read(t, "go.mod"), "\ngo ")
	goVersion, _, _ = strings.Cut(goVersion, "\n")
	if got := w.Jobs["packages"].Container.Image; got != "golang:"+goVersion+"-bookworm" {
		t.Errorf("packages are tested in %q, and built by Go %s", got, goVersion)
	}
}

// TestIdentityIsThatOfTheRelease compares what cosign checks with the workflow that signs.
func TestIdentityIsThatOfTheRelease(t *testing.T) {
	want := "--certificate-identity " + made.release.Nfpms[0].Homepage + "/" + workflow + "@refs/tags/v" + version + " "
	if text := read(t, "SECURITY.md"); !strings.Contains(text, want) || strings.Contains(text, "identity-regexp") {
		t.Errorf("SECURITY.md has no %q, or accepts more", want)
	}
}

// TestPackagesAreReproducible makes them again, elsewhere and from a copy of the binary with another time.
func TestPackagesAreReproducible(t *testing.T) {
	dir := t.TempDir()
	again := filepath.Join(dir, "toolresult")
	content, err := os.ReadFile(made.binary)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(again, content, 0o755); err != nil {
		t.Fatal(err)
	}
	packages, err := made.release.Write(dir, again, fields("amd64"), made.commit)
	if err != nil {
		t.Fatal(err)
	}
	if host := output(t, "rpm", "-qp", "--qf", "%{BUILDHOST}", packages["rpm"]); host != made.release.Nfpms[0].RPM.BuildHost {
		t.Errorf("the rpm names the machine %q", host)
	}
	for format, path := range packages {
		one, err := os.ReadFile(made.packages[format])
		if err != nil {
			t.Fatal(err)
		}
		two, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one, two) {
			t.Errorf("two %s of one commit differ", format)
		}
	}
}

// installed are files that both formats have.
var installed = []string{
	"/usr/bin/toolresult", "/etc/toolresult/config.yaml", "/usr/lib/systemd/system/toolresult.service", "/usr/lib/systemd/system/toolresult.socket",
	"/usr/lib/systemd/user/toolresult.service", "/usr/lib/systemd/user/toolresult.socket", "/usr/share/man/man1/toolresult.1.gz",
	"/usr/share/man/man1/toolresult-exec.1.gz", "/usr/share/bash-completion/completions/toolresult",
	"/usr/share/fish/vendor_completions.d/toolresult.fish", "/usr/share/doc/toolresult/copyright",
}

// TestPackagesHaveEverything lists both. All files belong to root, and only root may write them.
func TestPackagesHaveEverything(t *testing.T) {
	lists := map[string]string{
		"deb": output(t, "dpkg-deb", "-c", made.packages["deb"]), "rpm": output(t, "rpm", "-qplv", made.packages["rpm"]),
	}
	for format, list := range lists {
		for _, path := range installed {
			if !regexp.MustCompile(`(?m)\s\.?` + regexp.QuoteMeta(path) + `$`).MatchString(list) {
				t.Errorf("the %s has no %s:\n%s", format, path, list)
			}
		}
		for line := range strings.Lines(list) {
			owned := strings.Contains(line, " root/root ") || regexp.MustCompile(` root +root `).MatchString(line)
			if !owned || line[5] == 'w' || line[8] == 'w' {
				t.Errorf("the %s has a file that others own or write: %s", format, line)
			}
		}
	}
	if !strings.Contains(lists["deb"], "/usr/share/zsh/vendor-completions/_toolresult") || !strings.Contains(lists["rpm"], "/usr/share/zsh/site-functions/_toolresult") {
		t.Error("completions of zsh are missing")
	}
	if got := strings.TrimSpace(output(t, "rpm", "-qpc", made.packages["rpm"])); got != "/etc/toolresult/config.yaml" {
		t.Errorf("configuration of the rpm is %q", got)
	}
	conffiles := output(t, "dpkg-deb", "--ctrl-tarfile", made.packages["deb"])
	if !strings.Contains(conffiles, "/etc/toolresult/config.yaml") {
		t.Error("the deb does not keep a changed configuration")
	}
}

// TestCompletionsAndPages has shells read the completions, and mandoc the pages.
func TestCompletionsAndPages(t *testing.T) {
	dir := filepath.Join(root, ".bin/packaging")
	for shell, file := range map[string]string{"bash": "toolresult.bash", "zsh": "_toolresult", "fish": "toolresult.fish"} {
		if out, err := exec.Command(shell, "-n", filepath.Join(dir, "completions", file)).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", file, err, out)
		}
	}
	script := `PATH=` + filepath.Dir(made.binary) + `:$PATH; . ` + filepath.Join(dir, "completions/toolresult.bash") + `
		_init_completion() { cur=ex prev=toolresult words=(toolresult ex) cword=1; }
		COMP_TYPE=9 COMP_LINE="toolresult ex" COMP_POINT=13; __start_toolresult; echo "${COMPREPLY[*]}"`
	if got := output(t, "bash", "-c", script); !strings.Contains(got, "exec") {
		t.Errorf("bash completes `toolresult ex` to %q", got)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "man/*.1.gz"))
	if err != nil || len(pages) < 40 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range pages {
		text := output(t, "zcat", page)
		if day := made.commit.Format("Jan 2006"); !strings.Contains(text, day) {
			t.Errorf("%s is not of %s", filepath.Base(page), day)
		}
		if out, err := exec.Command("mandoc", "-T", "lint", "-W", "error", page).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", filepath.Base(page), err, out)
		}
	}
	if text := output(t, "sh", "-c", "zcat "+filepath.Join(dir, "man/toolresult-serve.1.gz")); strings.Contains(text, os.Getenv("HOME")+"/") {
		t.Error("the page of serve has the home of who built it")
	}
}
