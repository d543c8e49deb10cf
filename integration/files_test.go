package integration_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/grpc/codes"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// ofFile is a command whose standard output is a file.
func ofFile(path string) *pb.ProjectRequest {
	req := completed(0, "")
	req.Output.GetCommand().Stdout = &pb.Payload{Source: &pb.Payload_File{File: &pb.FileReference{Path: path}}}
	return req
}

// A file under an allowed directory gives what its bytes give, and nothing else is
// opened.
func TestPayloadsThatAreFiles(t *testing.T) {
	t.Parallel()
	root, outside := t.TempDir(), t.TempDir()
	s := startSidecar(t, launch{Args: []string{"--roots", root}})
	text := counted(300_000)
	path := filepath.Join(root, "log")
	secret := filepath.Join(outside, "secret")
	for at, content := range map[string]string{path: text, filepath.Join(root, "small"): "a\n", filepath.Join(root, "empty"): "", secret: canary} {
		if err := os.WriteFile(at, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, make := range map[string]func(string) error{
		"out":       func(p string) error { return os.Symlink(secret, p) },
		"inside":    func(p string) error { return os.Symlink("log", p) },
		"directory": func(p string) error { return os.Mkdir(p, 0o700) },
		"pipe":      func(p string) error { return syscall.Mkfifo(p, 0o600) },
	} {
		if err := make(filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string]string{"log": text, "inside": text, "small": "a\n", "empty": ""} {
		got := s.project(t, within(&pb.Budget{MaxTokens: 500}, ofFile(filepath.Join(root, name))))
		want := s.project(t, within(&pb.Budget{MaxTokens: 500}, completed(0, content)))
		if got.GetReceipt().GetText() != want.GetReceipt().GetText() {
			t.Errorf("%s: a file and its bytes differ:\n%s\n%s", name, got.GetReceipt().GetText(), want.GetReceipt().GetText())
		}
	}
	for at, want := range map[string]struct {
		code   codes.Code
		reason string
	}{
		"":     {codes.InvalidArgument, "FIELD_MISSING"},
		"log":  {codes.PermissionDenied, "FILE_NOT_ALLOWED"},
		secret: {codes.PermissionDenied, "FILE_NOT_ALLOWED"},
		root + "/../" + filepath.Base(root) + "/log": {codes.PermissionDenied, "FILE_NOT_ALLOWED"},
		root:                {codes.PermissionDenied, "FILE_NOT_ALLOWED"},
		root + "/out":       {codes.PermissionDenied, "FILE_NOT_ALLOWED"},
		root + "/directory": {codes.PermissionDenied, "FILE_NOT_ALLOWED"},
		root + "/pipe":      {codes.PermissionDenied, "FILE_NOT_ALLOWED"},
		root + "/missing":   {codes.NotFound, "FILE_NOT_FOUND"},
	} {
		_, err := s.Project(t.Context(), ofFile(at))
		t.Run(fmt.Sprintf("%q", at), func(t *testing.T) { wantRefusal(t, err, want.code, want.reason, "") })
	}
	closed := startSidecar(t, launch{})
	_, err := closed.Project(t.Context(), ofFile(path))
	wantRefusal(t, err, codes.InvalidArgument, "FIELD_OUT_OF_BOUNDS", "")
	wantNoTemp(t, s)
}

// fileProvocations has a row for every refusal of a payload that is a file.
func fileProvocations() []provocation {
	return []provocation{
		{listed{"Project", "PERMISSION_DENIED", "FILE_NOT_ALLOWED"}, "", withFile("/etc/passwd")},
		{listed{"Project", "NOT_FOUND", "FILE_NOT_FOUND"}, "", withFile("missing")},
		{listed{"Project", "ABORTED", "FILE_CHANGED"}, "", withGrowingFile},
	}
}

// withFile names a file, which is in an allowed directory unless its path is absolute.
func withFile(path string) provoke {
	return func(t *testing.T, _ *sidecar) error {
		t.Helper()
		root := t.TempDir()
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, path)
		}
		_, err := startSidecar(t, launch{Args: []string{"--roots", root}}).Project(t.Context(), ofFile(path))
		return err
	}
}

// withGrowingFile names a file that grows while it is read. Nothing of it stays.
func withGrowingFile(t *testing.T, _ *sidecar) error {
	t.Helper()
	root := t.TempDir()
	s := startSidecar(t, launch{Args: []string{"--roots", root}})
	path := filepath.Join(root, "log")
	if err := os.WriteFile(path, []byte(strings.Repeat("a line\n", 3_000_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return
		}
		defer f.Close()
		for {
			select {
			case <-stop:
				return
			default:
				_, _ = f.WriteString("more\n")
			}
		}
	}()
	_, err := s.Project(t.Context(), ofFile(path))
	close(stop)
	<-stopped
	wantNoTemp(t, s)
	return err
}
