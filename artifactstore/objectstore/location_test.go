package objectstore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/artifactstore/objectstore"
)

func TestParseLocation(t *testing.T) {
	for text, want := range map[string]string{
		"s3://bucket":                                             "s3://bucket",
		"s3://bucket/":                                            "s3://bucket",
		"s3://my.bucket-1/a/b_c/d.e=f/":                           "s3://my.bucket-1/a/b_c/d.e=f",
		"s3://bucket/p?region=eu-central-1":                       "s3://bucket/p",
		"s3://bucket?endpoint=https://minio.example:9000":         "s3://bucket",
		"s3://bucket?endpoint=https://minio.example/&region=x":    "s3://bucket",
		"s3://bucket?endpoint=http://127.0.0.1:7070":              "s3://bucket",
		"s3://bucket?endpoint=http://[::1]:7070":                  "s3://bucket",
		"s3://bucket?endpoint=http://localhost":                   "s3://bucket",
		"s3://bucket?endpoint=http://10.0.0.1:7070&insecure=true": "s3://bucket",
	} {
		l, err := objectstore.ParseLocation(text)
		if err != nil || l.URL() != want {
			t.Errorf("%s: %q, %v, want %q", text, l.URL(), err, want)
		}
	}
	for text, want := range map[string]string{
		"":                       "is not of the form",
		"bucket":                 "is not of the form",
		"https://bucket/p":       "is not of the form",
		"s3:bucket":              "is not of the form",
		"s3://bucket:80":         "is not of the form",
		"s3://bucket#x":          "is not of the form",
		"s3://%zz":               "is not a URL",
		"s3://key:secret@bucket": "holds credentials",
		"s3:///p":                "no valid name of a bucket",
		"s3://B":                 "no valid name of a bucket",
		"s3://bucket/../x":       "a prefix with",
		"s3://bucket/a//b":       "a prefix with",
		"s3://bucket/a%20b":      "a prefix with",
		"s3://bucket/a%0ab":      "a prefix with",
		"s3://bucket/a%00":       "a prefix with",
		"s3://bucket/é":          "a prefix with",
		"s3://bucket/" + strings.Repeat("a", 257):                "more than 256 bytes",
		"s3://bucket?endpoint=":                                  "without a value",
		"s3://bucket?region=a&region=b":                          "twice",
		"s3://bucket?secret=x":                                   "other than endpoint",
		"s3://bucket?region=a%0ab":                               "has a region with",
		"s3://bucket?insecure=yes":                               "neither true nor false",
		"s3://bucket?endpoint=minio.example":                     "has an endpoint that",
		"s3://bucket?endpoint=ftp://minio.example":               "has an endpoint that",
		"s3://bucket?endpoint=https://k:s@minio.example":         "has an endpoint that",
		"s3://bucket?endpoint=https://minio.example/path":        "has an endpoint that",
		"s3://bucket?endpoint=http://minio.example":              "http endpoint on another machine",
		"s3://bucket?endpoint=http://10.0.0.1&insecure=false":    "http endpoint on another machine",
		"s3://bucket?endpoint=http://localhost.example":          "http endpoint on another machine",
		"s3://bucket?endpoint=http://127.0.0.1.example&region=x": "http endpoint on another machine",
		"s3://bucket?%zz":                                        "parameters that cannot be read",
	} {
		_, err := objectstore.ParseLocation(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func FuzzParseLocation(f *testing.F) {
	for _, seed := range []string{"s3://bucket/a/b?endpoint=http://127.0.0.1:1&region=r", "s3://k:s@b", "s3://bucket/\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := objectstore.ParseLocation(text)
		if err != nil {
			return
		}
		again, err := objectstore.ParseLocation(l.URL())
		if err != nil || again.URL() != l.URL() {
			t.Errorf("%q is %q, which is %q, %v", text, l.URL(), again.URL(), err)
		}
		for _, c := range l.URL() {
			if c <= ' ' || c > '~' {
				t.Errorf("%q is %q", text, l.URL())
			}
		}
	})
}

func TestFindCredentials(t *testing.T) {
	file := filepath.Join(t.TempDir(), "credentials")
	must(t, os.WriteFile(file, []byte("[default]\naws_access_key_id = k\naws_secret_access_key = "+secret+"\n[half]\naws_access_key_id = k\n[none]\n"), 0o600))
	broken := filepath.Join(t.TempDir(), "broken")
	must(t, os.WriteFile(broken, []byte(secret+"\n"), 0o600))
	for what, c := range map[string]struct {
		env  map[string]string
		good bool
	}{
		"nothing":            {nil, false},
		"both":               {map[string]string{"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": secret}, true},
		"with a token":       {map[string]string{"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": secret, "AWS_SESSION_TOKEN": "t"}, true},
		"no secret":          {map[string]string{"AWS_ACCESS_KEY_ID": "k", "AWS_SHARED_CREDENTIALS_FILE": file}, false},
		"no key":             {map[string]string{"AWS_SECRET_ACCESS_KEY": secret}, false},
		"a file":             {map[string]string{"AWS_SHARED_CREDENTIALS_FILE": file}, true},
		"a missing file":     {map[string]string{"AWS_SHARED_CREDENTIALS_FILE": file + "x"}, false},
		"a file of nonsense": {map[string]string{"AWS_SHARED_CREDENTIALS_FILE": broken}, false},
		"half a profile":     {map[string]string{"AWS_SHARED_CREDENTIALS_FILE": file, "AWS_PROFILE": "half"}, false},
		"an empty profile":   {map[string]string{"AWS_SHARED_CREDENTIALS_FILE": file, "AWS_PROFILE": "none"}, false},
		"a missing profile":  {map[string]string{"AWS_SHARED_CREDENTIALS_FILE": file, "AWS_PROFILE": "other"}, false},
	} {
		got, err := objectstore.FindCredentials(func(name string) string { return c.env[name] })
		if (err == nil) != c.good || err != nil && !errors.Is(err, objectstore.ErrNoCredentials) {
			t.Errorf("%s: %v", what, err)
		}
		if text := fmt.Sprintf("%v %+v %#v %v", got, got, got, err); strings.Contains(text, secret) {
			t.Errorf("%s: the secret is shown: %s", what, text)
		}
	}
}
