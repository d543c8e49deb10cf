package config_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/toolresult/toolresult/server/config"
)

// A flag is stronger than a variable, and a variable than the file. Every value knows its origin.
func ExampleLoad() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "toolresult.yaml")
	if err := os.WriteFile(file, []byte("store: /srv/results\nkeep_for: 24h\nlog_level: warn\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	set := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	config.Flags(set)
	if err := set.Parse([]string{"--config", file, "--log-level", "debug"}); err != nil {
		log.Fatal(err)
	}
	loaded, err := config.Load(set, []string{"TOOLRESULT_KEEP_FOR=48h", "HOME=/home/me"})
	if err != nil {
		log.Fatal(err)
	}
	c := loaded.Config
	fmt.Println(c.Store, c.KeepFor, c.LogLevel)
	fmt.Println(loaded.Origin("keep_for"), "/", loaded.Origin("log_level"), "/", loaded.Origin("redaction"))
	// Output:
	// /srv/results 48h0m0s debug
	// env TOOLRESULT_KEEP_FOR / flag --log-level / default
}

// Validate names every value out of bounds, with the bound and the origin.
func ExampleLoaded_Validate() {
	loaded, err := config.Load(nil, []string{"TOOLRESULT_SESSION_LEASE=-1s", "TOOLRESULT_TCP=127.0.0.1:0", "HOME=/home/me"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(loaded.Validate())
	// Output:
	// tcp = "127.0.0.1:0": needs a bearer token: set token_file or the variable TOOLRESULT_TOKEN (from env TOOLRESULT_TCP)
	// session_lease = "-1s": is out of bounds: 0s to 8760h (from env TOOLRESULT_SESSION_LEASE)
}
