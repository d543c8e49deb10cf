// House measures Go modules as a reader meets them: sizes of packages, files, functions and interfaces, comments,
// examples, and tests beside the code. It prints a Markdown table with a column for each module.
//
//	go run ./integration/house [-packages] [-document FILE] [DIR | MODULE@VERSION]...
//
// A MODULE@VERSION is downloaded by the go command. With -document, FILE gets the table between its markers and, below
// it, one line for each row in which the first module is worse than another (see document.go). With -packages it prints
// one row for each package of the modules instead.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

func main() {
	document := flag.String("document", "", "write the table and the list of worse rows to this file")
	packages := flag.Bool("packages", false, "print the measures of each package")
	flag.Parse()
	args := flag.Args()
	if len(args) == 0 {
		args = []string{"."}
	}
	if err := run(args, *packages, *document); err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
}

// run measures modules and prints their table, or writes it to a document.
func run(args []string, packages bool, document string) error {
	var modules []*module
	for _, arg := range args {
		dir, err := locate(arg)
		if err != nil {
			return err
		}
		m, err := measure(dir)
		if err != nil {
			return fmt.Errorf("measure %s: %w", arg, err)
		}
		if _, version, found := strings.Cut(arg, "@"); found {
			m.name += " " + version
		}
		modules = append(modules, m)
	}
	if packages {
		for _, m := range modules {
			fmt.Print(m.packageTable())
		}
		return nil
	}
	rows := compare(modules)
	if document == "" {
		fmt.Print(table(modules, rows))
		return nil
	}
	was, err := os.ReadFile(document)
	if err != nil {
		return fmt.Errorf("read document: %w", err)
	}
	now, err := rewrite(string(was), table(modules, rows), rows)
	if err != nil {
		return err
	}
	return os.WriteFile(document, []byte(now), 0o644)
}

// locate returns the folder of a module, which it downloads if arg has a version.
func locate(arg string) (string, error) {
	if !strings.Contains(arg, "@") {
		return arg, nil
	}
	cmd := exec.Command("go", "mod", "download", "-json", arg)
	cmd.Dir = os.TempDir() // outside of this module, whose go.mod must not change
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var got struct{ Dir, Error string }
	if unreadable := json.Unmarshal(out, &got); unreadable != nil || got.Error != "" || err != nil {
		return "", fmt.Errorf("download %s: %v %s%s", arg, err, got.Error, stderr.String())
	}
	return got.Dir, nil
}
