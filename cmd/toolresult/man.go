//go:build man

package main

import (
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// init adds `man`, which only builds with the tag "man" have: what writes the pages is a part of no release.
func init() { further["man"] = manCommand }

// manCommand returns `man DIRECTORY`, which writes a manual page for each command. Their date is SOURCE_DATE_EPOCH.
func manCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man DIRECTORY", Short: "Write the manual pages", Args: cobra.ExactArgs(1), Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
			if err != nil {
				return err
			}
			date := time.Unix(seconds, 0).UTC()
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			root := cmd.Root()
			root.AddCommand(commands(nil)...)
			root.RemoveCommand(cmd)
			root.DisableAutoGenTag = true // it has the date of today
			return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "toolresult", Manual: "toolresult", Date: &date}, args[0])
		},
	}
}
