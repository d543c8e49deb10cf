// Command generate writes redact/rules.json from the default rules of
// gitleaks, in the version that this module's go.mod pins. It is a module of its
// own so that what gitleaks needs is not among what the product needs.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime/debug"

	"github.com/BurntSushi/toml"
	"github.com/zricethezav/gitleaks/v8/config"
)

const module = "github.com/zricethezav/gitleaks/v8"

// upstream is the part of gitleaks.toml that is read.
type upstream struct {
	Rules []struct {
		ID          string
		Regex       string
		Path        string
		Entropy     float64
		SecretGroup int
		Allowlists  []struct {
			Condition   string
			RegexTarget string
			Regexes     []string
		}
	}
}

// rule is one line of rules.json. Rules about paths are omitted: a stream of
// tool output has none.
type rule struct {
	ID          string   `json:"id"`
	Regex       string   `json:"regex"`
	Path        bool     `json:"path,omitempty"` // upstream looks only at files of some kind
	Entropy     float64  `json:"entropy,omitempty"`
	SecretGroup int      `json:"secret_group,omitempty"`
	Allow       []string `json:"allow,omitempty"` // expressions that allow a secret
}

func main() {
	log.SetFlags(0)
	out := flag.String("o", "", "the file to write; without it, what it would be goes to stdout")
	check := flag.String("check", "", "the file to compare with instead")
	flag.Parse()
	data, err := generate()
	if err != nil {
		log.Fatal(err)
	}
	switch {
	case *check != "":
		old, err := os.ReadFile(*check)
		if err != nil {
			log.Fatal(err)
		}
		if !bytes.Equal(old, data) {
			log.Fatalf("%s is not what %s gives; `make rules` writes it", *check, module)
		}
		fmt.Println(*check, "is what the rules of", module, "give")
	case *out != "":
		err = os.WriteFile(*out, data, 0o644)
	default:
		_, err = os.Stdout.Write(data)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func generate() ([]byte, error) {
	var u upstream
	if _, err := toml.Decode(config.DefaultConfig, &u); err != nil {
		return nil, err
	}
	version, err := version()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\"source\": %q, \"version\": %q,\n", module, version)
	fmt.Fprintf(&b, "\"licence\": %q,\n\"rules\": [\n", "MIT; Copyright (c) 2019 Zachary Rice; see LICENSE.gitleaks")
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	separator := ""
	for _, r := range u.Rules {
		if r.Regex == "" {
			continue // only a path
		}
		ours := rule{ID: r.ID, Regex: r.Regex, Path: r.Path != "", Entropy: r.Entropy, SecretGroup: r.SecretGroup}
		for _, a := range r.Allowlists {
			if a.Condition == "AND" {
				continue // with a path
			}
			if a.RegexTarget == "" {
				ours.Allow = append(ours.Allow, a.Regexes...)
			}
		}
		b.WriteString(separator)
		if err := enc.Encode(ours); err != nil {
			return nil, err
		}
		separator = ","
	}
	b.WriteString("]}\n")
	return b.Bytes(), nil
}

func version() (string, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", errors.New("the binary does not know what it was built from")
	}
	for _, d := range info.Deps {
		if d.Path == module {
			return d.Version, nil
		}
	}
	return "", errors.New(module + " is not among the dependencies")
}
