package main

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

var update = flag.Bool("update", false, "write docs/reference/cli-output.md and its schema")

// printed is what a command prints with --output json.
type printed struct {
	command string                    // its words, and the flag that makes it print this
	args    func(*testing.T) []string // further arguments, also flags
	stdin   string
	code    int
	lines   bool // one object on each line; else one object, or several of them
	schema  func(*schemas) *jsonschema.Schema
	about   string // for the page
}

// printsNothing are the commands that print no data, with the reason.
var printsNothing = map[string]string{
	"serve":           "prints its addresses; the address file is their JSON (discovery)",
	"shell":           "prints what a shell prints",
	"hook":            "prints what the host's protocol has, which is JSON of the host's",
	"mcp":             "prints messages of MCP, which are JSON",
	"inspect":         "prints the address of its page",
	"config validate": "prints nothing; its exit code says it",
	"help":            "is for people",
}

// TestEveryCommandPrintsJSON walks the tree of commands: each is one of those whose JSON is tested below, or one that prints no data.
func TestEveryCommandPrintsJSON(t *testing.T) {
	t.Parallel()
	tested := map[string]bool{}
	for _, p := range everyOutput(t) {
		command, _, _ := strings.Cut(p.command, " --")
		tested[command] = true
	}
	seen := map[string]bool{}
	var walk func(path string, c *cobra.Command)
	walk = func(path string, c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(strings.TrimSpace(path+" "+sub.Name()), sub)
		}
		if !c.Runnable() || path == "" {
			return
		}
		seen[path] = true
		f := c.Flags().Lookup("output")
		hasJSON := f != nil && slices.Contains(f.Value.(*formValue).forms, formJSON)
		if why := printsNothing[path]; (why == "") != hasJSON || (why == "") != tested[path] {
			t.Errorf("%s: has json: %t, its json is tested: %t, prints no data: %q", path, hasJSON, tested[path], why)
		}
		if f != nil && f.Shorthand != "o" {
			t.Errorf("%s: --output is -%s", path, f.Shorthand)
		}
	}
	root := &cobra.Command{Use: "toolresult"}
	root.AddCommand(commands(nil)...)
	walk("", root)
	for command := range tested {
		if !seen[command] {
			t.Errorf("there is no command %s", command)
		}
	}
}

// TestOutputIsAsDescribed runs every command with --output json, and compares what it prints with the schema: no member is missing,
// and none is there that is not described.
func TestOutputIsAsDescribed(t *testing.T) {
	newInstalling(t) // doctor and install are for a home
	list := everyOutput(t)
	document := describe(list)
	for _, p := range list {
		command, flags, _ := strings.Cut(p.command, " --")
		args := append(strings.Fields(command), "--output", "json")
		if flags != "" {
			args = append(args, "--"+flags)
		}
		out := toolresult(t, p.stdin, append(args, p.args(t)...)...).want(p.code).out
		values := decode(t, out)
		if len(values) == 0 {
			t.Errorf("%s printed nothing", p.command)
		}
		if lines := strings.Count(out, "\n"); p.lines && lines != len(values) {
			t.Errorf("%s: %d values on %d lines", p.command, len(values), lines)
		}
		validate(t, document, p.command, values)
	}
}

// TestOutputIsDocumented compares the page and the schema with what the code says. Nothing that was described may go, nor become
// optional: programs depend on it.
func TestOutputIsDocumented(t *testing.T) {
	t.Parallel()
	list := everyOutput(t)
	document := describe(list)
	folder := filepath.Join("..", "..", "docs", "reference")
	for name, want := range map[string]string{"cli-output.schema.json": pretty(t, document), "cli-output.md": outputPage(t, filepath.Join(folder, "cli-output.md"), list)} {
		path := filepath.Join(folder, name)
		was, err := os.ReadFile(path)
		if err != nil && !*update {
			t.Fatal(err)
		}
		if name == "cli-output.schema.json" && len(was) > 0 {
			if lost := lostMembers(t, was, document); len(lost) > 0 {
				t.Errorf("%s promises what is no longer printed: %s", name, strings.Join(lost, ", "))
				continue
			}
		}
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if string(was) != want {
			t.Errorf("%s is not what the code says; go test ./cmd/toolresult -run TestOutputIsDocumented -update", name)
		}
	}
}

// describe returns the schema of all commands.
func describe(list []printed) *jsonschema.Schema {
	s := &schemas{map[string]*jsonschema.Schema{}}
	for _, p := range list {
		s.defs[p.command] = p.schema(s)
	}
	return &jsonschema.Schema{
		Schema: "https://json-schema.org/draft/2020-12/schema", Comment: "What commands of toolresult print with --output json; cli-output.md", Defs: s.defs,
	}
}

// lostMembers returns the members that a committed document requires or describes, and another does not.
func lostMembers(t *testing.T, was []byte, is *jsonschema.Schema) (lost []string) {
	t.Helper()
	promised := &jsonschema.Schema{}
	if err := promised.UnmarshalJSON(was); err != nil {
		t.Fatal(err)
	}
	for name, old := range promised.Defs {
		now := is.Defs[name]
		if now == nil {
			lost = append(lost, name)
			continue
		}
		for member := range old.Properties {
			if now.Properties[member] == nil {
				lost = append(lost, name+"."+member)
			}
		}
		for _, member := range old.Required {
			if !slices.Contains(now.Required, member) {
				lost = append(lost, name+"."+member+" (always there)")
			}
		}
	}
	slices.Sort(lost)
	return lost
}

// TestLostMembersAreFound takes a member of a schema away, and makes another optional.
func TestLostMembersAreFound(t *testing.T) {
	t.Parallel()
	document := describe([]printed{{command: "artifacts lease", schema: aMessage(&pb.LeaseSessionResponse{}, true)}, {command: "artifacts list", schema: aMessage(&pb.ArtifactEntry{}, true)}})
	was := []byte(pretty(t, document))
	if lost := lostMembers(t, was, document); len(lost) > 0 {
		t.Errorf("of the same: %q", lost)
	}
	entry := document.Defs["ArtifactEntry"]
	delete(entry.Properties, "path")
	entry.PropertyOrder = nil
	entry.Required = slices.DeleteFunc(entry.Required, func(m string) bool { return m == "bytes" })
	if lost := strings.Join(lostMembers(t, was, document), ", "); lost != "ArtifactEntry.bytes (always there), ArtifactEntry.path" {
		t.Errorf("%q", lost)
	}
}
