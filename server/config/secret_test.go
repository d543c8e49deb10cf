package config_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/toolresult/toolresult/server/config"
)

func TestReadTokenModes(t *testing.T) {
	t.Parallel()
	for _, mode := range []os.FileMode{0o600, 0o400, 0o700, 0o640, 0o604, 0o610, 0o601, 0o620, 0o602, 0o644, 0o666} {
		path := written(t, "token", secret+"\n")
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		token, err := config.ReadToken(path)
		if private := mode&0o077 == 0; private != (err == nil) || private && string(token) != secret {
			t.Errorf("mode %#o: %v", mode, err)
		}
		if mode == 0o640 {
			wantLines(t, err, `token file "`+path+`": mode 0640 lets other users at the token; run chmod 600 on it`)
		}
	}
}

func TestReadTokenContents(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		secret:                             "",
		secret + "\n":                      "",
		"sixteen-bytes-01":                 "",
		strings.Repeat("x", 4096) + "\n":   "",
		strings.Repeat("x", 4097):          "is longer than 4096 bytes",
		strings.Repeat("x", 1<<20):         "is longer than 4096 bytes",
		"":                                 "is empty",
		"\n":                               "is empty",
		"fifteen-bytes-0\n":                "is 15 bytes long",
		secret + "\n\n":                    "at position 28",
		secret + "\r\n":                    "at position 28",
		"two words, and more than sixteen": "at position 3",
		"sixteen-bytes-0\u00e9":            "at position 15",
	} {
		token, err := config.ReadToken(written(t, "token", content))
		switch {
		case want == "" && err != nil:
			t.Errorf("%.40q: %v", content, err)
		case want == "" && string(token) != strings.TrimSuffix(content, "\n"):
			t.Errorf("%.40q: another token", content)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%.40q: %v, want %q", content, err, want)
		case err != nil && len(content) > 2 && strings.Contains(err.Error(), strings.TrimSpace(content)):
			t.Errorf("error repeats the token: %v", err)
		}
	}
}

func TestReadTokenOtherFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe, private := filepath.Join(dir, "pipe"), filepath.Join(dir, "private")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Mkdir(private, 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, private} {
		_, err := config.ReadToken(path)
		wantLines(t, err, `token file "`+path+`": is not a regular file`)
	}
	if _, err := config.ReadToken(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(written(t, "token", secret), link); err != nil {
		t.Fatal(err)
	}
	if token, err := config.ReadToken(link); err != nil || string(token) != secret {
		t.Errorf("link: %v", err)
	}
}

func TestBearerToken(t *testing.T) {
	t.Parallel()
	path := written(t, "token", secret+"\n")
	for _, c := range []struct {
		config config.Config
		want   string
	}{
		{config.Config{}, ""},
		{config.Config{Token: "from-the-environment"}, "from-the-environment"},
		{config.Config{TokenFile: path}, secret},
	} {
		if token, err := c.config.BearerToken(); err != nil || string(token) != c.want {
			t.Errorf("%+v: %v", c.config, err)
		}
	}
	if _, err := (config.Config{TokenFile: path + "x"}).BearerToken(); err == nil {
		t.Error("a missing token file is accepted")
	}
}

func TestReadKey(t *testing.T) {
	t.Parallel()
	path := written(t, "key", "of any form\n")
	if key, err := config.ReadKey(path); err != nil || string(key) != "of any form\n" {
		t.Errorf("%q, %v", key, err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	_, err := config.ReadKey(path)
	wantLines(t, err, `key file "`+path+`": mode 0640 lets other users at the key; run chmod 600 on it`)
}
