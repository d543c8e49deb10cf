package clients_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/integration/sidecartest"
)

// TestTutorials executes the blocks of each tutorial in their order, in one shell, in an empty folder of a user with an empty home:
// "sh" blocks are commands, blocks with a title are files, and a "text" block is what the commands before it print, in which "..." is
// any text of a line.
func TestTutorials(t *testing.T) {
	t.Parallel()
	for _, l := range languages(t) {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			blocks := readBlocks(t, filepath.Join(root, "docs", "tutorials", l.name+".md"))
			defer l.alone()()
			out := follow(t, blocks)
			for i, b := range blocks {
				if b.kind != "text" {
					continue
				}
				if got := out[i-1]; !matches(b.text, got) {
					t.Errorf("the commands\n%s\nprint\n%s\nand not\n%s", blocks[i-1].text, got, b.text)
				}
			}
		})
	}
}

// block is a code block of a page.
type block struct{ kind, title, text string }

// fence begins a code block: its kind and, of a file, its title.
var fence = regexp.MustCompile("^```([a-z]+)(?: title=(\\S+))?$")

// readBlocks returns the code blocks of a page. Every one of them is executed or compared.
func readBlocks(t testing.TB, path string) (blocks []block) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	inside, compared := false, 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch m := fence.FindStringSubmatch(line); {
		case inside && line == "```":
			inside = false
		case inside:
			blocks[len(blocks)-1].text += line + "\n"
		case m != nil:
			inside = true
			blocks = append(blocks, block{kind: m[1], title: m[2]})
		case strings.HasPrefix(line, "```"):
			t.Fatalf("%s: %s says nothing that is executed", path, line)
		}
	}
	for i, b := range blocks {
		switch {
		case b.kind == "text" && (i == 0 || blocks[i-1].kind != "sh"):
			t.Fatalf("%s: no commands are before the text %q", path, b.text)
		case b.kind == "text":
			compared++
		case b.kind != "sh" && b.title == "":
			t.Fatalf("%s: a block of %s has no title", path, b.kind)
		}
	}
	if compared == 0 {
		t.Fatalf("%s: nothing that is printed is compared", path)
	}
	return blocks
}

// follow executes blocks, and returns what each of commands printed.
func follow(t testing.TB, blocks []block) map[int]string {
	t.Helper()
	home := sidecartest.ShortDir(t)
	source, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { endEnsured(filepath.Join(home, "toolresult")) })
	var script strings.Builder
	script.WriteString("set -euo pipefail\n")
	for i, b := range blocks {
		switch b.kind {
		case "text":
		case "sh":
			fmt.Fprintf(&script, "%s\nprintf '\\n%s %%d\\n' %d\n", b.text, mark, i)
		default:
			fmt.Fprintf(&script, "mkdir -p \"$(dirname '%s')\"\ncat >'%s' <<'END OF BLOCK'\n%sEND OF BLOCK\n", b.title, b.title, b.text)
		}
	}
	c := exec.CommandContext(t.Context(), "bash", "-c", script.String())
	c.Dir = t.TempDir()
	c.Env = append(toolEnvironment(t), "RUSTUP_HOME="+rustupHome(), "PATH="+filepath.Dir(named(t, home))+":"+os.Getenv("PATH"),
		"CLONE="+source)
	c.Env = append(c.Env, homeEnvironment(t, home)...)
	var stdout, stderr strings.Builder
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, stdout.String(), stderr.String())
	}
	out := map[int]string{}
	rest := stdout.String()
	for i, b := range blocks {
		if b.kind == "sh" {
			out[i], rest, _ = strings.Cut(rest, fmt.Sprintf("\n%s %d\n", mark, i))
		}
	}
	return out
}

// mark is printed behind the output of a block.
const mark = "=== end of block"

// rustupHome returns where the toolchains of Rust are, which are no part of what a user of them installs.
func rustupHome() string {
	if dir := os.Getenv("RUSTUP_HOME"); dir != "" {
		return dir
	}
	return filepath.Join(os.Getenv("HOME"), ".rustup")
}

// named returns a path of the sidecar whose last part is "toolresult", as in PATH.
func named(t testing.TB, home string) string {
	t.Helper()
	path := filepath.Join(home, "bin", "toolresult")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	absolute, err := filepath.Abs(binary)
	if err == nil {
		err = os.Symlink(absolute, path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// matches reports whether a text is as a page has it: "..." stands for any text of a line.
func matches(want, got string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(want)), `\.\.\.`, `.*`)
	return regexp.MustCompile(`^` + pattern + `$`).MatchString(strings.TrimSpace(got))
}
