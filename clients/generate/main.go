// Command generate writes what the clients have of the contract beside generated messages: a class of errors for each reason of a
// rejected call, a copy of the policy of deadlines and retries, which packages of other languages cannot read from outside of
// their folder, and for Rust a table of fields. `make generate` runs it.
package main

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
)

// policies are where each client has its copy of proto/service_config.json.
var policies = []string{
	"clients/go/service_config.json",
	"clients/python/src/toolresult/service_config.json",
	"clients/typescript/src/service_config.ts",
	"clients/rust/src/service_config.json",
	"clients/java/src/main/resources/io/github/toolresult/service_config.json",
}

// classes are the templates of the classes of errors.
//
//go:embed classes.tmpl
var classes string

func main() {
	log.SetFlags(0)
	log.SetPrefix("generate: ")
	out := flag.String("out", ".", "the folder that has clients/")
	flag.Parse()
	if err := generate(*out); err != nil {
		log.Fatal(err)
	}
}

// generate writes all files below out. It reads those of the working directory, which is the root of the repository.
func generate(out string) error {
	config, err := os.ReadFile("proto/service_config.json")
	if err != nil {
		return err
	}
	for _, path := range policies {
		content := config
		if filepath.Ext(path) == ".ts" { // not every runtime imports JSON
			content = fmt.Appendf(nil, "// Deadlines and retries of the calls (gRPC service config). Made by `make generate`.\nexport const serviceConfig = %s as const;\n", bytes.TrimSpace(config))
		}
		if err := write(filepath.Join(out, path), content); err != nil {
			return err
		}
	}
	if err := write(filepath.Join(out, fieldsPath), rustFields()); err != nil {
		return err
	}
	source, err := os.ReadFile("proto/toolresult/v1/error.proto")
	if err != nil {
		return err
	}
	reasons, err := readReasons(string(source))
	if err != nil {
		return err
	}
	all, err := template.New("").Funcs(template.FuncMap{"wrap": wrap, "initialisms": initialisms}).Parse(classes)
	if err != nil {
		return err
	}
	for _, t := range all.Templates() {
		if t.Name() == "" {
			continue
		}
		var text bytes.Buffer
		if err := t.Execute(&text, reasons); err != nil {
			return err
		}
		if err := write(filepath.Join(out, t.Name()), text.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// reason is a reason of a rejected call.
type reason struct {
	Name string // FIELD_MISSING
	Type string // FieldMissing
	Code string // INVALID_ARGUMENT
	When string // A required field is not set.
	Hint string
}

var (
	valueLine = regexp.MustCompile(`^ERROR_REASON_(\w+) = \d+(?: \[\(hint\) = "(.+)"\])?;$`)
	valueText = regexp.MustCompile(`^([A-Z_]+)\. (.+)$`)
)

// readReasons reads the values of ErrorReason and their comments, in the order of the contract. Generated Go code has no comments.
func readReasons(source string) (reasons []reason, err error) {
	var comment []string
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		if text, ok := strings.CutPrefix(line, "// "); ok {
			comment = append(comment, text)
			continue
		}
		if m := valueLine.FindStringSubmatch(line); m != nil && m[1] != "UNSPECIFIED" {
			text := valueText.FindStringSubmatch(strings.Join(comment, " "))
			if text == nil || m[2] == "" {
				return nil, fmt.Errorf("%s has no status or no hint", m[1])
			}
			reasons = append(reasons, reason{m[1], pascal(m[1]), text[1], text[2], strings.ReplaceAll(m[2], `\"`, `"`)})
		}
		comment = nil
	}
	if len(reasons) == 0 {
		return nil, fmt.Errorf("there are no reasons")
	}
	return reasons, nil
}

// pascal turns FIELD_MISSING into FieldMissing.
func pascal(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(strings.ToLower(name), "_") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// initialisms writes the initialisms of a Go name in capitals.
func initialisms(name string) string {
	for _, word := range []string{"Json", "Fd", "Gc", "Id"} {
		at := strings.Index(name, word)
		if rest := at + len(word); at >= 0 && (rest == len(name) || name[rest] < 'a') {
			name = name[:at] + strings.ToUpper(word) + name[rest:]
		}
	}
	return name
}

// width is the length of lines of comments, in bytes.
const width = 100

// wrap breaks a text into lines that begin with a prefix.
func wrap(prefix, text string) string {
	var lines []string
	line := prefix
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > width && line != prefix {
			lines = append(lines, line)
			line = prefix
		}
		if line != prefix {
			line += " "
		}
		line += word
	}
	return strings.Join(append(lines, line), "\n")
}

// write writes a file, and makes its folder.
func write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}
