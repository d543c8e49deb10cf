package redact_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/toolresult/toolresult/redact"
)

// TestWriter writes a text in chunks of all sizes: what comes out is the text without its secrets, and an error of the writer behind
// is returned.
func TestWriter(t *testing.T) {
	t.Parallel()
	const key = "ghp_Zk4mT8qR2vW9xB3nJ7pL6sD1fG5hY0cA8eUw"
	o := redact.Options{Patterns: redact.BuiltIn()}
	text := strings.Repeat("a line of some text\n", 300) + "GITHUB_TOKEN=" + key + "\n" + strings.Repeat("and another\n", 300) + "DB_PASSWORD="
	want := strings.Replace(text, key, "[redacted:github-pat]", 1)
	for _, size := range []int{1, 7, 100, 4096, len(text)} {
		var out bytes.Buffer
		w := redact.NewWriter(o, &out)
		buf := make([]byte, size)
		for r := strings.NewReader(text); ; {
			n, err := r.Read(buf)
			if errors.Is(err, io.EOF) {
				break
			}
			if written, err := w.Write(buf[:n]); err != nil || written != n {
				t.Fatal(written, err)
			}
			clear(buf) // it is the caller's again
		}
		if err := w.Close(); err != nil || out.String() != want {
			t.Errorf("chunks of %d: %d bytes, want %d: %v", size, out.Len(), len(want), err)
		}
	}
	var out bytes.Buffer
	pausing := redact.NewWriter(o, &out)
	for _, step := range []struct{ text, shown string }{{"50%, part", "50%, part"}, {"\nGo on? ", "50%, part\nGo on? "}, {"\nDB_PASSWORD=x7Kq", "50%, part\nGo on? \n"}, {"92mZp4Lw\n", "50%, part\nGo on? \nDB_PASSWORD=[redacted:env-secret]\n"}} {
		if _, err := pausing.Write([]byte(step.text)); err != nil {
			t.Fatal(err)
		}
		if err := pausing.Release(false); err != nil || out.String() != step.shown {
			t.Errorf("behind %q %q is shown, want %q: %v", step.text, out.String(), step.shown, err)
		}
	}
	w := redact.NewWriter(o, iotest.TruncateWriter(failing{}, 10))
	if _, err := w.Write([]byte(text)); !errors.Is(err, errFailing) {
		t.Error(err)
	}
}

// errFailing is the error of failing.
var errFailing = errors.New("nobody reads this")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFailing }
