package packaging_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// image is what the Dockerfile says of an image.
type image struct {
	base, user      string
	copied          string // path of the binary
	entrypoint, cmd []string
	env             map[string]string
}

// parseImage reads the Dockerfile by the parser of BuildKit, whose linter may find nothing.
func parseImage(t *testing.T, text string) (i image, findings []string) {
	t.Helper()
	result, err := parser.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	lint := linter.New(&linter.Config{Warn: func(rule, _, _, message string, _ []parser.Range) { findings = append(findings, rule+": "+message) }})
	stages, _, err := instructions.Parse(result.AST, lint)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range result.Warnings {
		findings = append(findings, w.Short)
	}
	if len(stages) != 1 {
		t.Fatalf("%d stages", len(stages))
	}
	i.base, i.env = stages[0].BaseName, map[string]string{}
	for _, c := range stages[0].Commands {
		switch c := c.(type) {
		case *instructions.CopyCommand:
			i.copied = c.DestPath
		case *instructions.EnvCommand:
			for _, pair := range c.Env {
				i.env[pair.Key] = pair.Value
			}
		case *instructions.UserCommand:
			i.user = c.User
		case *instructions.EntrypointCommand:
			i.entrypoint = c.CmdLine
		case *instructions.CmdCommand:
			i.cmd = c.CmdLine
		case *instructions.RunCommand:
			t.Error("the base has no shell to run anything in")
		}
	}
	return i, findings
}

// TestDockerfile reads the Dockerfile, and one with a mistake.
func TestDockerfile(t *testing.T) {
	text := read(t, "packaging/container/Dockerfile")
	i, findings := parseImage(t, text)
	if len(findings) > 0 {
		t.Errorf("findings: %q", findings)
	}
	if !strings.HasPrefix(i.base, "gcr.io/distroless/static-debian12:nonroot") || i.user != "65532:65532" || !slices.Equal(i.entrypoint, []string{i.copied}) || !slices.Equal(i.cmd, []string{"serve"}) {
		t.Errorf("the image is %+v", i)
	}
	if i.env["TOOLRESULT_SOCKET"] == "" || i.env["TOOLRESULT_STORE"] == "" {
		t.Error("socket and store depend on what the engine sets")
	}
	if _, findings := parseImage(t, text+"MAINTAINER me\n"); len(findings) == 0 {
		t.Error("the linter finds nothing in a Dockerfile with mistakes")
	}
}

// manifest returns the manifest, decoded as strictly as the API server does with strict validation.
func manifest(t *testing.T, text string) (pod corev1.Pod, err error) {
	t.Helper()
	content, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	strict, err := json.UnmarshalStrict(content, &pod)
	return pod, errors.Join(append(strict, err)...)
}

// TestManifest decodes the pod, and looks at what makes the sidecar one: order, probes, rights, a socket that both reach.
func TestManifest(t *testing.T) {
	text := read(t, "packaging/kubernetes/sidecar.yaml")
	pod, err := manifest(t, text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := manifest(t, strings.Replace(text, "startupProbe:", "startUpProbe:", 1)); err == nil {
		t.Error("a field that there is not is decoded")
	}
	if pod.Kind != "Pod" || len(pod.Spec.InitContainers) != 2 || len(pod.Spec.Containers) != 1 {
		t.Fatalf("it is a %s", pod.Kind)
	}
	sidecar, agent := pod.Spec.InitContainers[1], pod.Spec.Containers[0]
	if sidecar.RestartPolicy == nil || *sidecar.RestartPolicy != corev1.ContainerRestartPolicyAlways {
		t.Error("it is no native sidecar")
	}
	for name, probe := range map[string]*corev1.Probe{"startup": sidecar.StartupProbe, "liveness": sidecar.LivenessProbe} {
		if probe == nil || probe.Exec == nil || !slices.Equal(probe.Exec.Command, []string{"/usr/bin/toolresult", "ensure"}) {
			t.Errorf("the %s probe is %+v", name, probe)
		}
	}
	for _, container := range pod.Spec.InitContainers {
		if !confined(container.SecurityContext) {
			t.Errorf("%s may do more than it needs: %+v", container.Name, container.SecurityContext)
		}
	}
	p := pod.Spec.SecurityContext
	if p == nil || p.RunAsNonRoot == nil || !*p.RunAsNonRoot || p.RunAsUser == nil || *p.RunAsUser != 65532 {
		t.Errorf("the pod runs as %+v", p)
	}
	socket := environment(sidecar)["TOOLRESULT_SOCKET"]
	if address := "unix://" + socket; environment(agent)["TOOLRESULT_ADDRESS"] != address || environment(sidecar)["TOOLRESULT_ADDRESS"] != address {
		t.Errorf("not everybody looks for the sidecar at %s", address)
	}
	volumes := map[string]bool{}
	for _, v := range pod.Spec.Volumes {
		volumes[v.Name] = v.EmptyDir != nil
	}
	store := environment(sidecar)["TOOLRESULT_STORE"] // whose files receipts name
	for _, c := range []corev1.Container{sidecar, agent} {
		for _, path := range []string{socket, store} {
			i := slices.IndexFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return volumes[m.Name] && strings.HasPrefix(path, m.MountPath+"/") })
			if i < 0 || c.VolumeMounts[i].ReadOnly != (c.Name == agent.Name && path == store) {
				t.Errorf("%s does not reach %s, or may write where it only reads", c.Name, path)
			}
		}
	}
	if limit, quota := limitOf(pod, "store"), environment(sidecar)["TOOLRESULT_STORE_QUOTA"]; !leavesReserve(limit, quota) {
		t.Errorf("the volume takes %d bytes, and the store %q of them: the pod is evicted", limit, quota)
	}
}

// limitOf returns the bytes that a volume of the pod takes; 0 for one without a limit.
func limitOf(pod corev1.Pod, name string) int64 {
	for _, v := range pod.Spec.Volumes {
		if v.Name == name && v.EmptyDir != nil && v.EmptyDir.SizeLimit != nil {
			return v.EmptyDir.SizeLimit.Value()
		}
	}
	return 0
}

// leavesReserve reports whether a quota of artifacts leaves a quarter of a volume to records.
func leavesReserve(limit int64, quota string) bool {
	n, err := strconv.ParseInt(quota, 10, 64)
	return err == nil && n > 0 && n <= limit*3/4
}

// confined reports whether a container can neither gain rights nor write its root.
func confined(c *corev1.SecurityContext) bool {
	return c != nil && c.ReadOnlyRootFilesystem != nil && *c.ReadOnlyRootFilesystem && c.AllowPrivilegeEscalation != nil && !*c.AllowPrivilegeEscalation &&
		c.Capabilities != nil && slices.Equal(c.Capabilities.Drop, []corev1.Capability{"ALL"})
}

// environment returns the variables of a container.
func environment(c corev1.Container) map[string]string {
	env := map[string]string{}
	for _, v := range c.Env {
		env[v.Name] = v.Value
	}
	return env
}

// nonroot is the user of the image.
const nonroot = 65532

// imageRoot lays out what the image has, and nothing else: the binary, users, certificates, and the home of the user.
func imageRoot(t *testing.T, i image) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("only root can change to another root directory")
	}
	dir := newRoot(t)
	for _, d := range []string{"etc/ssl/certs", "home", "proc", "tmp", "run/toolresult", "var/lib/toolresult", filepath.Dir(i.copied)} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	binary, err := os.ReadFile(made.binary)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		i.copied: binary, "etc/ssl/certs/ca-certificates.crt": []byte("# certificates\n"),
		"etc/passwd": []byte("root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n"),
		"etc/group":  []byte("root:x:0:\nnonroot:x:65532:\n"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	home := filepath.Join(dir, "home/nonroot")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(home, nonroot, nonroot); err != nil {
		t.Fatal(err)
	}
	// As kubelet makes an emptyDir: of root, and open to the group of the pod.
	for _, volume := range []string{"run/toolresult", "var/lib/toolresult"} {
		path := filepath.Join(dir, volume)
		if err := os.Chown(path, 0, nonroot); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o777|os.ModeSetgid); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestImageServes starts the image's command as its user in a root that has what the image has, and calls it with the same binary.
func TestImageServes(t *testing.T) {
	i, _ := parseImage(t, read(t, "packaging/container/Dockerfile"))
	dir := imageRoot(t, i)
	env := []string{"HOME=/home/nonroot", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"}
	for name, value := range i.env {
		env = append(env, name+"="+value)
	}
	serveAndCall(t, process{root: dir, uid: nonroot, gid: nonroot, env: env}, append(i.entrypoint, i.cmd...), i.env["TOOLRESULT_SOCKET"])
}

// TestPodServes does it as the manifest says, with a root that nobody can write, and asks as its probes do.
func TestPodServes(t *testing.T) {
	i, _ := parseImage(t, read(t, "packaging/container/Dockerfile"))
	pod, err := manifest(t, read(t, "packaging/kubernetes/sidecar.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	sidecar := pod.Spec.InitContainers[1]
	dir := imageRoot(t, i)
	makeDirectory(t, dir, pod.Spec.InitContainers[0].Command)
	readOnly(t, dir, "run/toolresult", "var/lib/toolresult")
	p := process{root: dir, uid: nonroot, gid: nonroot}
	for name, value := range i.env {
		p.env = append(p.env, name+"="+value)
	}
	for name, value := range environment(sidecar) {
		p.env = append(p.env, name+"="+value)
	}
	if out, err := p.command(sidecar.StartupProbe.Exec.Command...).CombinedOutput(); err == nil {
		t.Errorf("the probe succeeds before anything serves: %s", out)
	}
	serveAndCall(t, p, append(slices.Clone(i.entrypoint), sidecar.Args...), environment(sidecar)["TOOLRESULT_SOCKET"], sidecar.LivenessProbe.Exec.Command)
}

// makeDirectory runs the first container of the pod, whose program is not in our image: with that of this machine, in the root.
func makeDirectory(t *testing.T, root string, command []string) {
	t.Helper()
	last := len(command) - 1
	cmd := exec.Command(command[0], append(slices.Clone(command[1:last]), filepath.Join(root, command[last]))...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nonroot, Gid: nonroot}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", command, err, out)
	}
}

// serveAndCall starts a command, waits until it serves, has other commands succeed, takes the receipt of a real command from it, and ends
// it as an engine does.
func serveAndCall(t *testing.T, p process, command []string, socket string, others ...[]string) {
	t.Helper()
	serve := p.command(command...)
	var log bytes.Buffer
	serve.Stderr = &log
	stop := p.start(t, serve, &log)
	waitFor(t, filepath.Join(p.root, socket), &log)
	for _, other := range others {
		if out, err := p.command(other...).CombinedOutput(); err != nil || !strings.Contains(string(out), socket) {
			t.Errorf("%q: %v\n%s\n%s", other, err, out, &log)
		}
	}
	// Nothing but the binary is there to be run, and it prints enough.
	receipt, err := p.command(command[0], "exec", "--server", "unix://"+socket, "--max-lines", "6", "--", command[0], "profile", "list").CombinedOutput()
	if err != nil || !strings.Contains(string(receipt), "Process exited with code 0") || !strings.Contains(string(receipt), "\n[…") {
		t.Errorf("the receipt is %v\n%s", err, receipt)
	}
	stop()
}
